# System calls that perl-base has no function for, by number. Each one dies with its name, or returns what the kernel returned.
use strict;
use warnings;
use Config;

my %x86_64 = (
    keyctl => 250, mount => 165, umount2 => 166, pivot_root => 155, sethostname => 170, unshare => 272, setns => 308,
    prctl => 157, capset => 126, setgroups => 116, setresgid => 119, setresuid => 117, setsid => 112, prlimit64 => 302,
    clone3 => 435, pidfd_open => 434, fcntl => 72,
);
my %aarch64 = (
    keyctl => 219, mount => 40, umount2 => 39, pivot_root => 41, sethostname => 161, unshare => 97, setns => 268,
    prctl => 167, capset => 91, setgroups => 159, setresgid => 149, setresuid => 147, setsid => 157, prlimit64 => 261,
    clone3 => 435, pidfd_open => 434, fcntl => 25,
);
our ($MACHINE) = $Config{archname} =~ /^(x86_64|aarch64)-linux/ or die "only x86-64 and arm64 Linux are known here\n";
my %NUMBER = $MACHINE eq 'x86_64' ? %x86_64 : %aarch64;

use constant {
    CLONE_NEWNS => 0x0002_0000, CLONE_NEWCGROUP => 0x0200_0000, CLONE_NEWUTS => 0x0400_0000, CLONE_NEWIPC => 0x0800_0000,
    CLONE_NEWUSER => 0x1000_0000, CLONE_NEWPID => 0x2000_0000, CLONE_NEWNET => 0x4000_0000,
    CLONE_INTO_CGROUP => 1 << 33, SIGCHLD => 17,
};
use constant { GUEST_UID => 1000, GUEST_GID => 1000 };

sub kernel {
    my ($name, @arguments) = @_;
    my $result = syscall($NUMBER{$name}, @arguments);
    die "$name: $!\n" if $result < 0;
    return $result;
}

# A child that is in the cgroup from its first instruction: no moment outside it, and no wait for the kernel to move it.
# Returns as fork does.
sub fork_into {
    my ($cgroup) = @_;
    open(my $folder, '<', $cgroup) or die "cgroup: $!\n";
    my $request = pack('Q11', CLONE_INTO_CGROUP, 0, 0, 0, SIGCHLD, 0, 0, 0, 0, 0, fileno $folder);
    return kernel('clone3', $request, length $request);
}

# What the caller's process left open must not reach a sandbox: everything above standard error ends at the next exec.
sub keep_no_descriptor {
    my ($F_SETFD, $FD_CLOEXEC) = (2, 1);
    opendir(my $folder, '/proc/self/fd') or die "descriptors: $!\n";
    for my $number (grep { /^[0-9]+$/ && $_ > 2 } readdir $folder) { kernel('fcntl', $number + 0, $F_SETFD, $FD_CLOEXEC) }
}

# The same for every command, whatever the adapter was given; a hard limit can only be lowered.
sub limit {
    my ($resource, $soft, $hard) = @_;
    my $old = pack('QQ', 0, 0);
    syscall($NUMBER{prlimit64}, 0, $resource, 0, $old) == 0 or die "prlimit64: $!\n";    # not kernel(): that fills a copy
    my ($most) = (unpack('QQ', $old))[1];
    $hard = $most if $most < $hard;
    my $new = pack('QQ', $soft < $hard ? $soft : $hard, $hard);
    kernel('prlimit64', 0, $resource, $new, 0);
}

# No capability may be gained from here on, and none is held; the filter (filter.pl) holds. Needs the capabilities that it gives
# away.
sub drop_privileges {
    my ($uid, $gid) = @_;
    limit(4, 0, 0);          # RLIMIT_CORE
    limit(7, 1024, 4096);    # RLIMIT_NOFILE
    my ($PR_CAPBSET_READ, $PR_CAPBSET_DROP, $PR_SET_NO_NEW_PRIVS) = (23, 24, 38);
    for my $capability (0 .. 63) {
        last if syscall($NUMBER{prctl}, $PR_CAPBSET_READ, $capability, 0, 0, 0) < 0;
        kernel('prctl', $PR_CAPBSET_DROP, $capability, 0, 0, 0);
    }
    kernel('setgroups', 0, 0);
    kernel('setresgid', $gid, $gid, $gid);
    kernel('setresuid', $uid, $uid, $uid);
    my ($header, $none) = (pack('LL', 0x2008_0522, 0), pack('L6', (0) x 6));
    kernel('capset', $header, $none);
    kernel('prctl', $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    install_filter(sandbox_filter());
    my ($KEYCTL_JOIN_SESSION_KEYRING) = (1);
    kernel('keyctl', $KEYCTL_JOIN_SESSION_KEYRING, 0);
    umask 022;
}

1;
