"""Mutants of a reference: small mistakes, graded to see whether the checks of a case notice them."""
