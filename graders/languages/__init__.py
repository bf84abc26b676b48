"""The languages in which a case can have examples and unit tests: one file each."""
