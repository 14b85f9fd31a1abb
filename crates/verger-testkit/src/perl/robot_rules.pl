#!/usr/bin/env perl
# Drives WWW::RobotRules with a clock of its own.
#
# Commands on standard input, each a letter, the lengths of its arguments and, on the next line, the
# arguments without anything between them:
#
#   N <name>              a new crawler
#   R <name>              another name for it
#   P <url> <text> <until>  a robots.txt; <until> is empty or a time
#   A <url>               a question; its answer, 1, 0 or -1, is a line on standard output
#   T <time>              what the clock shows from now on
use strict;
use warnings;

my $now;
BEGIN { $now = 0; *CORE::GLOBAL::time = sub () { $now }; }
use WWW::RobotRules;

binmode STDIN;
binmode STDOUT;

my $rules;
while (defined(my $line = <STDIN>)) {
    my ($command, @lengths) = split ' ', $line;
    my @arguments = map { read_exactly($_) } @lengths;
    if ($command eq 'N') {
        $rules = WWW::RobotRules->new($arguments[0]);
    }
    elsif ($command eq 'R') {
        $rules->agent($arguments[0]);
    }
    elsif ($command eq 'P') {
        my ($url, $text, $until) = @arguments;
        $rules->parse($url, $text, length $until ? $until : undef);
    }
    elsif ($command eq 'A') {
        print $rules->allowed($arguments[0]), "\n";
    }
    elsif ($command eq 'T') {
        $now = $arguments[0];
    }
    else {
        die "expected a command, but found $line";
    }
}

sub read_exactly {
    my ($length) = @_;
    my $bytes = '';
    while (length $bytes < $length) {
        read(STDIN, $bytes, $length - length $bytes, length $bytes) or die "expected more input";
    }
    return $bytes;
}
