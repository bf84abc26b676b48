"""The `io` check: one program gets many inputs, each in its own process in one sandbox.

    io                     the check: its model, its plan, its result
    program_tests          tests written in a document or JSON lines
    data_directory         tests in a directory
    comparisons            whether an output is right
    first_difference       where it first differs
    verdicts               the verdict of one test: AC, WA, TLE, MLE, OLE, RTE
    checker                a program of the case in place of a comparison
    interactor             a program of the case that talks with the candidate
    groups                 points for groups of tests

The sandbox gets the input of one test at a time, and never an expected output: the host compares the program's output.
Only an interactor gets an expected output, and the candidate cannot read anything that belongs to an interactor.
"""
