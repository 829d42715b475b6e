# Makes one sandbox: launch.pl NAME BASE CGROUP FOLDER, on descriptor 3 "ready" or "fault WORDS".
# CGROUP/init must exist. FOLDER/init is written before "ready", so that the sandbox is known if the reader is gone by then.
use strict;
use warnings;
my $here;
BEGIN { $here = __FILE__ =~ s{[^/]+$}{}r; require "$here$_.pl" for qw(kernel filter root) }

my ($IDS) = (65536);
my ($name, $base, $cgroup, $folder) = @ARGV;
open(my $report, '>&=', 3) or exit 1;
keep_no_descriptor();
$report->autoflush(1);

sub start_time {
    my ($pid) = @_;
    open(my $stat, '<', "/proc/$pid/stat") or die "init has ended\n";
    my ($after) = <$stat> =~ /.*\) (.*)/s;
    return (split / /, $after)[19];
}

sub loopback_up {
    my ($AF_INET, $SOCK_DGRAM, $SIOCSIFFLAGS, $IFF_UP) = (2, 2, 0x8914, 1);
    socket(my $socket, $AF_INET, $SOCK_DGRAM, 0) or die "socket: $!\n";
    my $request = pack('a16 s x22', 'lo', $IFF_UP);
    ioctl($socket, $SIOCSIFFLAGS, $request) or die "loopback: $!\n";
}

# Process 1 of the sandbox. Every namespace but the user namespace is the host's to own: root inside has no power over them.
# It ignores SIGCHLD, so the kernel reaps each orphan itself, and becomes a sleep that nothing inside can signal.
sub be_init {
    my ($ask, $mapped) = @_;
    kernel('setsid');
    kernel('unshare', CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET);
    kernel('sethostname', $name, length $name);
    loopback_up();
    build_root($folder, $name, $base);
    open(STDIN, '<', '/dev/null') && open(STDOUT, '>', '/dev/null') or die "null: $!\n";
    kernel('unshare', CLONE_NEWUSER);
    syswrite $ask, "map\n";
    sysread($mapped, my $answer, 1) or die "no user map\n";
    drop_privileges(0, 0);
    $SIG{CHLD} = 'IGNORE';
    %ENV = ();
    open(STDERR, '>', '/dev/null') or die "null: $!\n";
    exec { '/bin/sleep' } 'sleep', 'infinity' or die "sleep: $!\n";
}

sub write_map {
    my ($pid, $file) = @_;
    open(my $map, '>', "/proc/$pid/$file") or die "$file: $!\n";
    syswrite $map, "0 $base $IDS" or die "$file: $!\n";
}

sub make {
    pipe(my $asked, my $ask) or die "pipe: $!\n";
    pipe(my $mapped, my $answer) or die "pipe: $!\n";
    kernel('unshare', CLONE_NEWCGROUP | CLONE_NEWPID);
    my $init = fork_into("$cgroup/init");
    if ($init == 0) {
        close $_ for $asked, $answer, $report;
        eval { be_init($ask, $mapped) };
        syswrite $ask, "fault $@";
        exit 1;
    }
    close $_ for $ask, $mapped;
    my $line = <$asked> // "fault it was killed\n";
    die $line unless $line eq "map\n";
    write_map($init, $_) for qw(uid_map gid_map);
    syswrite $answer, '.';
    my $fault = <$asked>;    # end of file at the exec of init
    die $fault if defined $fault;
    my $start = start_time($init);
    write_file("$folder/init.new", "$init $start\n");
    rename "$folder/init.new", "$folder/init" or die "init: $!\n";
}

# A maker inside the cgroup: whoever kills the cgroup kills a half-made sandbox with it.
eval {
    my $maker = fork_into($cgroup);
    exit 0 if $maker > 0;
    make();
    print {$report} "ready\n";
    exit 0;
};
my $fault = $@ =~ s/^fault //r;
print {$report} "fault $fault";
exit 1;
