"""What a grader and a candidate of Python run, each in a process of its own."""
