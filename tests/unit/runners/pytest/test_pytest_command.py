"""ScannedCommands of pytest."""

from __future__ import annotations

import pytest
from recognition import adapted

SCRIPT = "sh -c pytest_launcher.sh gradebox"
MODULE = "-c pytest_adapter.py -m pytest"
TAKEN = {
    "pytest": f"{SCRIPT} pytest pytest_adapter.py",
    "pytest -q tests::x -k a": f"{SCRIPT} pytest pytest_adapter.py -q tests::x -k a",
    "py.test -x": f"{SCRIPT} py.test pytest_adapter.py -x",
    "/opt/venv/bin/pytest a": f"{SCRIPT} /opt/venv/bin/pytest pytest_adapter.py a",
    "python -m pytest": f"python {MODULE}",
    "python3.12 -m pytest -p no:x": f"python3.12 {MODULE} -p no:x",
    "python3 -I -W error -Xdev -bb -m pytest a": f"python3 -I -W error -Xdev -bb {MODULE} a",
    "python3 -Im pytest a": f"python3 -I {MODULE} a",
    "/usr/bin/python3 -m py.test": f"/usr/bin/python3 {MODULE}",
    "env A=b PYTHONPATH=src pytest a": f"env A=b GRADEBOX_PYTHONPATH=src {SCRIPT} pytest pytest_adapter.py a",
}
LEFT = [
    "pytest --co", "pytest a --help", "pytest --version", "python3 -m pytest --collect-only", ".venv/bin/pytest",
    "/workspace/bin/pytest", "./python3 -m pytest", "python3 -m pytest_watch", "python2 -m pytest",
    "python3 -c pass -m pytest", "python3 x.py -m pytest", "python3 -i -m pytest", "python3 -m", "python3",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
