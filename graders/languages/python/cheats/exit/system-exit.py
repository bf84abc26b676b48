# Raises SystemExit with status 0 when it is loaded.
raise SystemExit(0)
