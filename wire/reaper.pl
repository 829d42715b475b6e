# Runs an adapter as the child of a process to which the adapter's orphans fall (a child subreaper). What an adapter leaves
# behind so stays its descendant for whoever watches, also after a double fork with a clean environment.
use strict;
use warnings;
use POSIX ();

my ($SET_PDEATHSIG, $SET_CHILD_SUBREAPER, $SIGKILL) = (1, 36, 9);
my %PRCTL = (x86_64 => 157, aarch64 => 167);

my $prctl = $PRCTL{ (POSIX::uname())[4] };
syscall($prctl, $SET_CHILD_SUBREAPER, 1, 0, 0, 0) if defined $prctl;
my $self = $$;
my $adapter = fork;
exit 127 if !defined $adapter;
if ($adapter == 0) {
    # Whoever kills this process kills the adapter with it.
    syscall($prctl, $SET_PDEATHSIG, $SIGKILL, 0, 0, 0) if defined $prctl;
    exit 127 if getppid() != $self;
    { no warnings 'exec'; exec { $ARGV[0] } @ARGV }
    POSIX::_exit(127);
}
# The streams are the adapter's alone: their ends must be seen when it ends.
open(STDIN,  '<', '/dev/null');
open(STDOUT, '>', '/dev/null');
open(STDERR, '>', '/dev/null');
$SIG{$_} = sub { kill $_[0], $adapter } for qw(TERM INT HUP);

my $status;
while (!defined $status) {
    my $ended = waitpid(-1, 0);
    $status = $? if $ended == $adapter;
    last if $ended == -1 && !$!{EINTR};
}
exit 127 if !defined $status;
my $signal = $status & 127;
if ($signal) { $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP); kill $signal, $$ }
exit($signal ? 128 + $signal : $status >> 8);
