"""What graders import to start the candidate, a file for each language."""
