"""The Common Test Report Format: one JSON object whose ``results.tests`` lists the tests.

Tests with the status ``skipped``, ``pending`` or ``other`` count as not run. The group of a test is its ``suite``, a
name or a list of names, otherwise its ``filePath``. (ctrf.io, ctrf.schema.json)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gradebox.graders.documents import strict_json
from gradebox.graders.runners.test_reports.test_report import (
    MAX_TESTS,
    CutOff,
    Report,
    Reported,
    State,
    Unreadable,
    nested,
)

_STATES: Mapping[str, State] = {
    "passed": State.PASSED,
    "failed": State.FAILED,
    "skipped": State.SKIPPED,
    "pending": State.SKIPPED,
    "other": State.SKIPPED,
}


def parse(data: bytes) -> Report:
    """Parse a CTRF report. Raises CutOff if it is empty or ends too early, and Unreadable if it is no such report."""
    try:
        document = strict_json.loads(data)
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated"):
            raise CutOff("it ends before its end" if error.doc.strip() else "it is empty") from None
        raise Unreadable(f"it is not JSON: {error}") from None
    except ValueError as error:
        raise Unreadable(f"it is not JSON: {str(error).partition(';')[0]}") from None
    results = document.get("results") if isinstance(document, dict) else None
    tests = results.get("tests") if isinstance(results, dict) else None
    if not isinstance(results, dict) or not isinstance(tests, list):
        raise Unreadable("it is JSON, but not a CTRF report: it has no list `results.tests`")
    if len(tests) > MAX_TESTS:
        raise Unreadable(f"it has more than {MAX_TESTS} tests")
    reported = [_test(test) for test in tests]
    summary = results.get("summary")
    declared = summary.get("failed") if isinstance(summary, dict) else None
    if isinstance(declared, int) and declared > 0 and not any(test.state is State.FAILED for test in reported):
        reported.append(Reported("summary", State.FAILED))
    return Report(tuple(reported))


def _test(test: Any) -> Reported:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        raise Unreadable("a test in it has no name")
    status = test.get("status")
    state = _STATES.get(status) if isinstance(status, str) else None
    if state is None:
        raise Unreadable("the state of a test is not passed, failed, skipped, pending or other")
    return Reported(test["name"], state, _group(test))


def _group(test: Mapping[str, Any]) -> str:
    match test.get("suite"):
        case str(suite) if suite:
            return suite
        case list(suites) if suites:
            return nested(suite for suite in suites if isinstance(suite, str))
    path = test.get("filePath")
    return path if isinstance(path, str) else ""
