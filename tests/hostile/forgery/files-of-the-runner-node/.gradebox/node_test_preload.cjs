process.reallyExit(0);
