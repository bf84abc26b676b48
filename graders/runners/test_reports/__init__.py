"""Reports of test runners about each test, as JUnit XML, CTRF or TAP. Pure.

    test_report        what a report says, whatever its format, and the tests that a case lists by name
    junit, ctrf, tap   one format each: bytes -> Report
    assessment         the score of a report, together with the exit status that it must agree with

A report lies where the candidate's code could write it. It is hostile input, read with caps, and it proves nothing that
the exit status of its runner does not confirm.
"""
