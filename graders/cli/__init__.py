"""The ``grade`` command. Only this room reads the command line, exits and prints."""
