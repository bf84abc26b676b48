"""What is there when a submission brings nothing: it tries nothing, and gets nothing."""

raise SystemExit(3)
