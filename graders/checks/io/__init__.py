"""The `io` check: one program, many inputs, each run as a process of its own in one sandbox.

    io                     the check: its model, its plan, its result
    program_tests          tests as a document or JSON lines have them
    data_directory         tests as a directory has them
    comparisons            is this output right
    first_difference       where it differs first
    verdicts               what one test came to: AC, WA, TLE, MLE, OLE, RTE
    checker                a program of the case in place of a comparison
    groups                 points for tests together

The sandbox gets the input of one test at a time, and never an expected output: what a program printed is compared here.
"""
