# Runs one command in a sandbox: enter.pl INIT START CGROUP BASE.
# Descriptors: 0 to 2 the command's streams, 3 the report, 4 the request. The request holds arguments and environment, so that
# no process list shows them. The report is "fault KIND NUMBER" where the command never ran, then "exited N" or "signaled N".
use strict;
use warnings;
my $here;
BEGIN { $here = __FILE__ =~ s{[^/]+$}{}r; require "$here$_.pl" for qw(kernel filter pump) }

my ($init, $start, $cgroup, $base) = @ARGV;
open(my $report, '>&=', 3) or exit 1;
open(my $request, '<&=', 4) or exit 1;
keep_no_descriptor();
$0 = 'sandproof-enter';    # the guest may see a child of this process before it is the command

sub fault {
    my ($kind, $number) = @_;
    syswrite $report, "fault $kind $number\n";
    exit 1;
}

# A pidfd stays with its process: whoever has the number later is never entered.
sub open_init {
    my $pidfd = eval { kernel('pidfd_open', $init + 0, 0) } // fault('gone', 0);
    open(my $stat, '<', "/proc/$init/stat") or fault('gone', 0);
    my ($after) = (<$stat> // '') =~ /.*\) (.*)/s or fault('gone', 0);
    fault('gone', 0) unless (split / /, $after)[19] eq $start;
    return $pidfd;
}

sub join_sandbox {
    my ($pidfd) = @_;
    eval {
        kernel('setns', $pidfd, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP);
        kernel('setsid');
        drop_privileges(GUEST_UID, GUEST_GID);
        1;
    } or fault('join', $! + 0);
}

sub run_argv {
    my ($argv, $environment) = @_;
    %ENV = @$environment;
    no warnings 'exec';
    exec { $argv->[0] } @$argv;
    my $number = $! + 0;
    my ($ENOENT, $E2BIG) = (2, 7);
    fault('exec', $number) if $number == $E2BIG;
    syswrite STDERR, "$argv->[0]: $!\n";
    exit($number == $ENOENT ? 127 : 126);
}

local $/;
my ($kind, $cwd, $has_input, $count, @words) = unpack('(N/a*)*', <$request>);
my @argv = splice(@words, 0, $count);
require "${here}files.pl" if $kind eq 'file';
my $pidfd = open_init();
eval { kernel('setns', $pidfd, CLONE_NEWPID); 1 } or fault('gone', $! + 0);

my ($in_read, $in_write);
$has_input ? pipe($in_read, $in_write) : open($in_read, '<', '/dev/null') or fault('pipe', $! + 0);
pipe(my $out_read, my $out_write) or fault('pipe', $! + 0);
pipe(my $err_read, my $err_write) or fault('pipe', $! + 0);
# The streams are the guest's own: it may open them again by name, as /dev/stdout.
chown $base + GUEST_UID, $base + GUEST_GID, $_ or fault('pipe', $! + 0) for $has_input ? $in_read : (), $out_write, $err_write;

my $leader = eval { fork_into($cgroup) } // fault('gone', $! + 0);
if ($leader == 0) {
    join_sandbox($pidfd);
    $has_input or open($in_read, '<', '/dev/null') or fault('join', $! + 0);
    open(STDIN, '<&', $in_read) && open(STDOUT, '>&', $out_write) && open(STDERR, '>&', $err_write) or fault('join', $! + 0);
    chdir $cwd or fault('cwd', $! + 0);
    close $_ for grep { defined } $in_write, $out_read, $err_read;    # a file operation is no new program: nothing closes them
    $kind eq 'file' ? run_file_operation(@argv) : run_argv(\@argv, \@words);
}
close $_ for $in_read, $out_write, $err_write;
$SIG{PIPE} = 'IGNORE';
my $input = $has_input ? new_stream(\*STDIN, $in_write) : undef;
my @outputs = (new_stream($out_read, \*STDOUT), new_stream($err_read, \*STDERR));
undef $in_write;
pump_until_end(kernel('pidfd_open', $leader, 0), $input, @outputs);
waitpid($leader, 0);
syswrite $report, ($? & 127) ? 'signaled ' . ($? & 127) . "\n" : 'exited ' . ($? >> 8) . "\n";
close $_ for $report, $request;
pump_rest(@outputs);
close $_ for \*STDIN, \*STDOUT, \*STDERR;
discard(@outputs);
exit 0;
