<?php
fscanf(STDIN, "%d", $count);
$sum = 0;
while ($count-- > 0) {
    fscanf(STDIN, "%d", $number);
    $sum += abs($number);
}
echo $sum, "\n";
