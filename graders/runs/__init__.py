"""Run directories: written while a run goes on, read by reports, and gone on with after whatever ended it."""
