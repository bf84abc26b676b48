"""The parts of the soak: what is graded, what goes wrong meanwhile, and what is watched."""
