use strict;
use warnings;

my $count = <STDIN>;
my $sum = 0;
$sum += <STDIN> for 1 .. $count;
print "$sum\n";
