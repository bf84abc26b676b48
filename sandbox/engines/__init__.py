"""Container engines: one folder each behind one `Engine` protocol."""
