"""The sources of submissions: one file for each form in which work is handed in."""
