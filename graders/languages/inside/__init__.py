"""Programs for every language that run inside a sandbox. None of them runs on the host, except in tests."""
