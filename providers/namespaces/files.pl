# File operations, run in a child that has joined the sandbox as the exec user: the kernel's own rights and links apply, and
# no link can lead outside. Exit status 0, or the errno of what failed; 200 and above are refusals of our own.
use strict;
use warnings;
use Fcntl qw(:mode O_RDONLY O_WRONLY O_CREAT O_EXCL O_NONBLOCK O_NOFOLLOW);
use Errno qw(ENOENT EEXIST EISDIR EINVAL ELOOP);

my ($NOT_A_FILE, $NOT_COMMITTED, $CUT_SHORT) = (200, 201, 202);
my ($CHUNK, $LINKS) = (65536, 40);

sub give_up { my ($number) = @_; exit($number // ($! + 0) || EINVAL) }

sub kind_of {
    my ($mode) = @_;
    return S_ISREG($mode) ? 'file' : S_ISDIR($mode) ? 'directory' : S_ISLNK($mode) ? 'link' : 'other';
}

sub parent_of { my ($path) = @_; return $path =~ m{^(.*/)[^/]+/*$}s ? $1 : './' }

sub make_parents {
    my ($path) = @_;
    my $parent = parent_of($path);
    return if -d $parent;
    make_parents($parent) if $parent ne './' && $parent ne '/';
    mkdir($parent, 0777) or $! == EEXIST or give_up();
}

# Where a write through links ends; the last part may not exist yet.
sub follow {
    my ($path) = @_;
    for (1 .. $LINKS) {
        my $target = readlink $path;
        return $path unless defined $target;
        $path = $target =~ m{^/} ? $target : parent_of($path) . $target;
    }
    give_up(ELOOP);
}

sub print_all {
    my ($bytes) = @_;
    while (length $bytes) { my $count = syswrite(STDOUT, $bytes) // give_up(); substr($bytes, 0, $count, '') }
}

sub read_exactly {
    my ($count) = @_;
    my $bytes = '';
    while (length $bytes < $count) { sysread(STDIN, $bytes, $count - length $bytes, length $bytes) or return undef }
    return $bytes;
}

# Content comes in chunks, each after its length; length 0 commits. Without it the old content stays.
sub write_content {
    my ($file) = @_;
    while (defined(my $head = read_exactly(4))) {
        my $length = unpack('N', $head) or return 1;
        my $chunk = read_exactly($length) // return 0;
        while (length $chunk) { my $count = syswrite($file, $chunk) // return 0; substr($chunk, 0, $count, '') }
    }
    $! = 0;
    return 0;
}

sub operation_write {
    my ($given, $mode) = @_;
    give_up(EISDIR) if $given =~ m{/$};
    make_parents($given);
    my $path = follow($given);
    my @old = lstat $path;
    give_up(EISDIR) if @old && S_ISDIR($old[2]);
    give_up($NOT_A_FILE) if @old && !S_ISREG($old[2]);
    my $permissions = $mode ne '' ? $mode + 0 : @old ? S_IMODE($old[2]) : 0644;
    my $new = parent_of($path) . '.sandproof-' . unpack('H*', random_bytes());
    sysopen(my $file, $new, O_WRONLY | O_CREAT | O_EXCL, 0600) or give_up();
    my $fault = !write_content($file) ? ($! + 0 || $NOT_COMMITTED) : 0;
    $fault ||= chmod($permissions, $file) && close($file) && rename($new, $path) ? 0 : $! + 0;
    unlink $new if $fault;
    exit $fault;
}

sub random_bytes {
    open(my $random, '<:raw', '/dev/urandom') or give_up();
    sysread($random, my $bytes, 16) == 16 or give_up();
    return $bytes;
}

sub operation_read {
    my ($path) = @_;
    sysopen(my $file, $path, O_RDONLY | O_NONBLOCK) or give_up();
    my ($device, $mode, $left) = (stat $file)[0, 2, 7];
    give_up(EISDIR) if S_ISDIR($mode);
    give_up($NOT_A_FILE) if !S_ISREG($mode) || $device == (stat '/proc')[0];    # files of /proc may have no end
    while ($left > 0) {    # no further than it was long: who appends without end holds up nobody
        my $count = sysread($file, my $chunk, $left < $CHUNK ? $left : $CHUNK) // give_up();
        give_up($CUT_SHORT) if $count == 0;
        print_all($chunk);
        $left -= $count;
    }
    exit 0;
}

sub print_entry {
    my ($name, $path) = @_;
    my @found = lstat $path or give_up();
    print_all(pack('(N/a*)*', $name, kind_of($found[2]), $found[7], S_IMODE($found[2])));
}

sub operation_stat { my ($path) = @_; print_entry('', $path); exit 0 }

sub list_folder {
    my ($path, $prefix, $recursive) = @_;
    opendir(my $folder, $path) or give_up();
    for my $name (sort grep { $_ ne '.' && $_ ne '..' } readdir $folder) {
        print_entry("$prefix$name", "$path/$name");
        list_folder("$path/$name", "$prefix$name/", 1) if $recursive && !-l "$path/$name" && -d _;
    }
}

sub operation_list { my ($path, $recursive) = @_; list_folder($path, '', $recursive); exit 0 }

sub remove_tree {
    my ($path) = @_;
    opendir(my $folder, $path) or give_up();
    for my $name (grep { $_ ne '.' && $_ ne '..' } readdir $folder) {
        my $child = "$path/$name";
        if (!-l $child && -d _) { remove_tree($child) }
        else { unlink $child or $! == ENOENT or give_up() }
    }
    rmdir $path or $! == ENOENT or give_up();
}

sub operation_remove {
    my ($given, $recursive) = @_;
    my $path = $given =~ s{(?<=.)/+$}{}r;
    my @found = lstat $path or give_up();
    if (!S_ISDIR($found[2])) { unlink $path or give_up() }
    elsif ($recursive) { remove_tree($path) }
    else { rmdir $path or give_up() }
    exit 0;
}

sub operation_make_directory {
    my ($path, $recursive) = @_;
    make_parents($path);
    exit 0 if mkdir($path, 0777);
    my $number = $! + 0;
    exit 0 if $recursive && -d $path;
    give_up($number);
}

my %OPERATION = (write => \&operation_write, read => \&operation_read, stat => \&operation_stat, list => \&operation_list,
    remove => \&operation_remove, 'make-directory' => \&operation_make_directory);

sub run_file_operation {
    my ($name, @arguments) = @_;
    $OPERATION{$name}->(@arguments);
}

1;
