"""What a conftest.py says that decides results in place of the tests, and what honest ones say."""

from __future__ import annotations

import pytest

from gradebox.graders.runners.pytest.conftest_code import deciding

MAKEREPORT = """
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
"""
BOTH = "report.a, report.outcome = 1, 'passed'"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import os\nos._exit(0)\n", "os._exit(0)"),
        ("def pytest_sessionfinish(session):\n    os._exit(0)\n", "os._exit(0)"),
        ("def pytest_sessionfinish(session):\n    session.exitstatus = 0\n", "session.exitstatus = 0"),
        ('def pytest_pyfunc_call():\n    """Fast."""\n    return True\n', "return True"),
        ("def pytest_runtestloop(session):\n    return True\n", "return True"),
        ("def pytest_cmdline_main(config):\n    return 0\n", "return 0"),
        ("def pytest_ignore_collect():\n    return True\n", "return True"),
        ("def pytest_collection_modifyitems(items):\n    items[:] = []\n", "items[:] = []"),
        ("def pytest_collection_modifyitems(items):\n    items.clear()\n", "items.clear()"),
        ("def pytest_collection_modifyitems(items):\n    del items[:]\n", "del items[:]"),
        (MAKEREPORT + "    report.outcome = 'passed'\n", "report.outcome = 'passed'"),
        (
            MAKEREPORT + "    if report.when == 'call':\n        report.outcome = 'passed'\n",
            "report.outcome = 'passed'",
        ),
        (MAKEREPORT + "    setattr(report, 'outcome', 'passed')\n", "setattr(report, 'outcome', 'passed')"),
        (MAKEREPORT + "    if call.excinfo is not None:\n        report.a, report.outcome = 1, 'passed'\n", BOTH),
    ],
)
def test_what_decides_whatever_the_tests_do_is_found(text: str, line: str) -> None:
    assert deciding(text) == {line}


@pytest.mark.parametrize(
    "text",
    [
        # docs.pytest.org: making test result information available in fixtures
        MAKEREPORT + "    setattr(item, 'rep_' + report.when, report)\n",
        MAKEREPORT + "    if item.get_closest_marker('known') and report.failed:\n        report.outcome = 'passed'\n",
        MAKEREPORT + "    if report.failed:\n        report.outcome = 'skipped'\n        report.wasxfail = 'known'\n",
        "def pytest_sessionfinish(session, exitstatus):\n    if exitstatus == 5:\n        session.exitstatus = 0\n",
        "def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if item.mine]\n",
        "def pytest_collection_modifyitems(items):\n    kept = items[:]\n    items.clear()\n    items.extend(kept)\n",
        "def pytest_ignore_collect(path):\n    return 'data' in str(path)\n",
        "def pytest_ignore_collect():\n    return False\n",
        "def pytest_collection(session):\n    return None\n",
        "def pytest_runtest_call(item):\n    return\n",
        "def pytest_unconfigure(config):\n    if config.stuck:\n        os._exit(0)\n",
        "collect_ignore = ['setup.py']\npytest_plugins = ['mine']\n",
        "def pytest_pyfunc_call(",
    ],
)
def test_what_honest_projects_write_is_not(text: str) -> None:
    assert deciding(text) == frozenset()
