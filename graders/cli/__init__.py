"""The ``grade`` command. Only this package reads the command line, exits and prints."""
