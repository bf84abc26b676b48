# Nothing was written yet.
