"""Container engines: the interface, the choice of one by its address, and a package for each."""
