"""An index of all runs below a directory: an SQLite database for fast queries, which can be deleted at any time."""
