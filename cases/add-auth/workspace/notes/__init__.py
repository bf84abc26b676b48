"""A small JSON notes service on the standard library."""
