"""Test runners: one folder each, with its recognition, its control files and its adapter."""
