"""Checks that the author writes as code in the case, in JavaScript or Python."""
