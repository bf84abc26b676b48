// Ends the process with success when it is loaded.
process.exit(0);
