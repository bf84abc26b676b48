<?php
fscanf(STDIN, "%d", $count);
$sum = 0;
while ($count-- > 0) {
    fscanf(STDIN, "%d", $number);
    $sum += $number;
}
echo $sum, "\n";
