# The seccomp filter of every process in a sandbox. A network namespace confines the families below and not, say, AF_VSOCK, by
# which a machine talks to its hypervisor: no other family can be opened. It is not a general filter of system calls.
use strict;
use warnings;
use constant { KILL_PROCESS => 0x8000_0000, FAIL_WITH => 0x0005_0000, ALLOW => 0x7fff_0000 };
use constant { EQUAL => 0x15, AT_LEAST => 0x35 };
use constant { CALL => 0, ARCHITECTURE => 4, FAMILY => 16 };    # offsets; the kernel too reads only the low half of a family

our $MACHINE;
my ($architecture, $socket, $socketpair) = $MACHINE eq 'x86_64' ? (0xc000_003e, 41, 53) : (0xc000_00b7, 198, 199);
my ($IO_URING_SETUP, $X32, $SKIPPED) = (425, 0x4000_0000, 0xffff_ffff);    # a tracer sets -1 to skip a call
my ($EPERM, $ENOSYS, $EAFNOSUPPORT) = (1, 38, 97);
my @FAMILIES = (1, 2, 10, 16);                                             # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK

# Instructions: code, how many to skip if true and if false, value.
sub load { my ($offset) = @_; return [0x20, 0, 0, $offset] }
sub result { my ($value) = @_; return [0x06, 0, 0, $value] }
sub if_true { my ($test, $value, @then) = @_; return ([$test, 0, scalar @then, $value], @then) }
sub if_not { my ($value, @then) = @_; return ([EQUAL, scalar @then, 0, $value], @then) }

# Other architectures have other numbers for the same calls: i386 and 32-bit Arm programs do not run at all.
# io_uring opens sockets without the call socket, and a filter does not see what is in its ring.
sub sandbox_filter {
    my @family = (load(FAMILY), (map { if_true(EQUAL, $_, result(ALLOW)) } @FAMILIES), result(FAIL_WITH | $EAFNOSUPPORT));
    return (
        load(ARCHITECTURE),
        if_not($architecture, result(KILL_PROCESS)),
        load(CALL),
        $MACHINE eq 'x86_64' ? if_true(AT_LEAST, $X32, if_not($SKIPPED, result(FAIL_WITH | $EPERM))) : (),
        if_true(EQUAL, $IO_URING_SETUP, result(FAIL_WITH | $ENOSYS)),
        if_true(EQUAL, $socket, @family),
        if_true(EQUAL, $socketpair, @family),
        result(ALLOW),
    );
}

# For this process and all that come of it; cannot be undone. Needs no-new-privileges.
sub install_filter {
    my (@program) = @_;
    my ($PR_SET_SECCOMP, $SECCOMP_MODE_FILTER) = (22, 2);
    my $instructions = join '', map { pack('SCCL', @$_) } @program;
    my $filter = pack('S x6 P', scalar @program, $instructions);
    eval { kernel('prctl', $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER, $filter, 0, 0); 1 } or die "filter of system calls: $!\n";
}

1;
