# Tries what launch.pl needs and undoes it by ending: prints a line "NAME WORDS" for each thing that fails.
use strict;
use warnings;
my $here;
BEGIN { $here = __FILE__ =~ s{[^/]+$}{}r; require "$here$_.pl" for qw(kernel filter) }

sub try {
    my ($name, $action) = @_;
    my $child = fork // die "fork: $!\n";
    if ($child == 0) { eval { $action->(); 1 } or print "$name $@"; exit 0 }
    waitpid($child, 0);
}

$| = 1;
my ($cgroup) = @ARGV;
my ($nothing, $root, $tmpfs, $place) = ('', '/', 'tmpfs', '/tmp');
my ($PR_SET_NO_NEW_PRIVS) = (38);
try('user-namespaces', sub { kernel('unshare', CLONE_NEWUSER) });
try('namespaces', sub { kernel('unshare', CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP) });
try('mounts', sub {
    kernel('unshare', CLONE_NEWNS);
    kernel('mount', $nothing, $root, $nothing, 1 << 18 | 16384, 0);
    kernel('mount', $tmpfs, $place, $tmpfs, 0, 0);
});
try('seccomp', sub { kernel('prctl', $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); install_filter(sandbox_filter()) });
try('cgroup', sub { my $child = fork_into($cgroup); exit 0 if $child == 0; waitpid($child, 0) }) if defined $cgroup;
