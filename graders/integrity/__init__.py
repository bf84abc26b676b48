"""Protects what a submission must not decide: finds the files to restore, to remove, and to flag as tampering."""
