// Loaded by bun before anything else where bunfig.toml is believed.
process.exit(0);
