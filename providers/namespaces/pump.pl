# Carries bytes between the adapter's sockets and real pipes of the guest, each stream with one chunk of memory.
use strict;
use warnings;
use constant { EINTR => 4, EAGAIN => 11 };

my ($CHUNK, $F_SETFL, $O_NONBLOCK, $FIONREAD) = (65536, 4, 2048, 0x541B);

# A stream has `from`, `to` and, once the leader has ended, `left`: how many bytes are still to be carried.
sub new_stream {
    my ($from, $to) = @_;
    fcntl($_, $F_SETFL, $O_NONBLOCK) for $from, $to;
    return { from => $from, to => $to, buffer => '' };
}

sub stop_reading {
    my ($stream) = @_;
    delete($stream->{from}) and $stream->{left} = 0;
}

sub fill {
    my ($stream) = @_;
    my $most = defined $stream->{left} && $stream->{left} < $CHUNK ? $stream->{left} : $CHUNK;
    my $count = sysread($stream->{from}, $stream->{buffer}, $most);
    if (!defined $count) { stop_reading($stream) unless $! == EAGAIN || $! == EINTR; return }
    $stream->{left} -= $count if defined $stream->{left};
    delete $stream->{from} if $count == 0;
}

sub drain {
    my ($stream) = @_;
    my $count = syswrite($stream->{to}, $stream->{buffer});
    if (defined $count) { substr($stream->{buffer}, 0, $count, ''); return }
    return if $! == EAGAIN || $! == EINTR;
    $stream->{buffer} = '';
    delete $stream->{to};    # the reader has gone
}

sub wants_read { my ($s) = @_; return $s->{from} && $s->{buffer} eq '' && (!defined $s->{left} || $s->{left} > 0) }
sub wants_write { my ($s) = @_; return $s->{to} && $s->{buffer} ne '' }

# One wait, one step of every stream that is ready; true when $until (a descriptor) is readable.
sub step {
    my ($until, @streams) = @_;
    my ($read, $write) = ('', '');
    vec($read, $until, 1) = 1 if defined $until;
    for my $stream (@streams) {
        vec($read, fileno $stream->{from}, 1) = 1 if wants_read($stream);
        vec($write, fileno $stream->{to}, 1) = 1 if wants_write($stream);
    }
    select($read, $write, undef, undef) >= 0 or return 0;
    for my $stream (@streams) {
        if (wants_write($stream)) { drain($stream) if vec($write, fileno $stream->{to}, 1) }
        elsif (wants_read($stream)) { fill($stream) if vec($read, fileno $stream->{from}, 1) }
        # Nobody reads output: it is read all the same, so that a writer inside never blocks or dies of it.
        $stream->{buffer} = '' unless $stream->{to};
    }
    return defined $until && vec($read, $until, 1);
}

# Input whose reader closed it is not read further; its end is passed on when all of it was carried.
sub settle_input {
    my ($input) = @_;
    delete $input->{from} unless $input->{to};
    delete $input->{to} if !$input->{from} && $input->{buffer} eq '';
}

# Until the leader, a pidfd, has ended.
sub pump_until_end {
    my ($leader, $input, @outputs) = @_;
    until (step($leader, $input ? $input : (), @outputs)) { settle_input($input) if $input }
    delete @$input{qw(from to)} if $input;
}

# What the leader wrote is in the pipes by now: exactly that is carried. A child that still writes holds up nobody.
sub pump_rest {
    my (@outputs) = @_;
    for my $stream (grep { $_->{from} } @outputs) {
        my $bytes = pack('i', 0);
        ioctl($stream->{from}, $FIONREAD, $bytes);
        $stream->{left} = unpack('i', $bytes);
    }
    step(undef, @outputs) while grep { wants_read($_) || wants_write($_) } @outputs;
}

# Children of the command live on with its pipes: read and forget until the last one has closed them.
sub discard {
    my (@outputs) = @_;
    for my $stream (@outputs) { delete @$stream{qw(to left)} }
    step(undef, @outputs) while grep { $_->{from} } @outputs;
}

1;
