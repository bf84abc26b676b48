"""Protects grading from submissions: finds the files to restore, to remove, and to flag as tampering."""
