"""An index of all runs below a directory: an SQLite database that answers at once, and that can be thrown away."""
