"""Carries out the stages of a check."""
