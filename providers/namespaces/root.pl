# The file system of a sandbox, made in a mount namespace of its own by the host's root: what is bound here read-only
# belongs to the host's user namespace, so nobody inside can undo it.
use strict;
use warnings;
use constant {
    MS_RDONLY => 1, MS_NOSUID => 2, MS_NODEV => 4, MS_NOEXEC => 8, MS_REMOUNT => 32, MS_BIND => 4096, MS_REC => 16384,
    MS_PRIVATE => 1 << 18, MNT_DETACH => 2,
};
my $TTY_GROUP = 5;

sub mount_new {
    my ($type, $target, $flags, $data) = @_;
    kernel('mount', $type, $target, $type, $flags, $data);
}

sub bind_to {
    my ($source, $target, $flags) = @_;
    my $nothing = '';
    kernel('mount', $source, $target, $nothing, MS_BIND, 0);
    kernel('mount', $nothing, $target, $nothing, MS_BIND | MS_REMOUNT | $flags, 0) if $flags;
}

sub write_file {
    my ($path, $content) = @_;
    open(my $file, '>', $path) or die "$path: $!\n";
    print {$file} $content;
    close $file or die "$path: $!\n";
}

# Folders of the host that a program needs to run, and nothing that is the host's own.
sub bind_system {
    for my $name (qw(bin sbin lib lib32 lib64 libx32)) {
        if (-l "/$name") { symlink(readlink "/$name", $name) or die "$name: $!\n" }
        elsif (-d "/$name") { mkdir $name or die "$name: $!\n"; bind_to("/$name", $name, MS_RDONLY | MS_NOSUID | MS_NODEV) }
    }
    for my $path (qw(usr etc/alternatives etc/ssl)) {
        next unless -d "/$path";
        mkdir $path, 0755 or die "$path: $!\n";
        bind_to("/$path", $path, MS_RDONLY | MS_NOSUID | MS_NODEV);
    }
    if (-f '/etc/ld.so.cache') {
        write_file('etc/ld.so.cache', '');
        bind_to('/etc/ld.so.cache', 'etc/ld.so.cache', MS_RDONLY | MS_NOSUID | MS_NODEV);
    }
}

sub make_devices {
    my ($base) = @_;
    my $tty = $base + $TTY_GROUP;
    for my $name (qw(null zero full random urandom tty)) {
        write_file("dev/$name", '');
        bind_to("/dev/$name", "dev/$name", 0);
    }
    mkdir "dev/$_" or die "dev/$_: $!\n" for qw(pts shm);
    mount_new('devpts', 'dev/pts', MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620,gid=$tty");
    mount_new('tmpfs', 'dev/shm', MS_NOSUID | MS_NODEV, "mode=1777,uid=$base,gid=$base");
    my %links = (ptmx => 'pts/ptmx', fd => '/proc/self/fd', stdin => '/proc/self/fd/0', stdout => '/proc/self/fd/1',
        stderr => '/proc/self/fd/2');
    symlink($links{$_}, "dev/$_") or die "dev/$_: $!\n" for keys %links;
}

sub make_proc {
    mount_new('proc', 'proc', MS_NOSUID | MS_NODEV | MS_NOEXEC, '');
    for my $name (qw(sys irq bus fs sysrq-trigger)) {
        bind_to("proc/$name", "proc/$name", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC) if -e "proc/$name";
    }
    for my $name (qw(cmdline kcore keys key-users kmsg kallsyms kpagecount kpageflags kpagecgroup timer_list timer_stats sched_debug
        latency_stats interrupts softirqs vmallocinfo slabinfo config.gz)) {
        bind_to('dev/null', "proc/$name", 0) if -e "proc/$name";
    }
    for my $name (qw(acpi asound scsi driver)) {
        mount_new('tmpfs', "proc/$name", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, 'mode=0755') if -d "proc/$name";
    }
}

sub make_accounts {
    my ($name) = @_;
    my ($uid, $gid) = (GUEST_UID, GUEST_GID);
    write_file('etc/passwd', "root:x:0:0:root:/root:/bin/sh\nsandbox:x:$uid:$gid:sandbox:/home/sandbox:/bin/sh\n"
        . "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
    write_file('etc/group', "root:x:0:\ntty:x:$TTY_GROUP:\nsandbox:x:$gid:\nnogroup:x:65534:\n");
    write_file('etc/hosts', "127.0.0.1 localhost $name\n::1 localhost\n");
    write_file('etc/hostname', "$name\n");
    write_file('etc/nsswitch.conf', "passwd: files\ngroup: files\nhosts: files\n");
}

# Ends with the new root as root and working folder; nothing of the host's mounts is reachable any more.
# $place: any folder of the host; only this mount namespace sees what is mounted on it.
sub build_root {
    my ($place, $name, $base) = @_;
    my ($nothing, $root, $here) = ('', '/', '.');
    kernel('mount', $nothing, $root, $nothing, MS_REC | MS_PRIVATE, 0);
    mount_new('tmpfs', $place, MS_NOSUID | MS_NODEV, "mode=0755,uid=$base,gid=$base");
    chdir $place or die "$place: $!\n";
    my @folders = qw(etc proc dev tmp run var var/tmp root home home/sandbox);
    mkdir $_, 0755 or die "$_: $!\n" for @folders;
    make_accounts($name);
    chown $base, $base, @folders, glob('etc/*');
    chown $base + GUEST_UID, $base + GUEST_GID, 'home/sandbox';
    chmod 01777, 'tmp', 'var/tmp';
    chmod 0700, 'root';
    bind_system();
    make_devices($base);
    make_proc();
    kernel('pivot_root', $here, $here);
    kernel('umount2', $here, MNT_DETACH);
    chdir '/' or die "root: $!\n";
}

1;
