"""Reports of test runners about each test, as JUnit XML, CTRF or TAP. Pure.

    test_report        the content of a report in any format, and the tests that a case lists by name
    junit, ctrf, tap   one format each: bytes -> Report
    assessment         the score of a report together with the exit status, with which it must agree

The candidate's code could write the file of a report. So a report is hostile input, read with caps, and proves only
what the exit status of its runner confirms.
"""
