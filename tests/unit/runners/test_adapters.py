"""Adapters: which command is a test runner, what is run in its place, and what its report makes of an exit status."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.grading.case_files import read_runners
from graders.model.plan import Role, Step
from graders.model.tampering import TamperingKind
from graders.runners import adapters
from graders.runners.adapter_heads import Adapter
from graders.runners.adapters import (
    SOURCES,
    adapt,
    judge,
    recognise,
    told,
)
from sandbox.defences import Defence, switched_off
from sandbox.images.recipes import find_images_directory
from sandbox.types import Capture, Ending, Outcome

RUNNERS = {name: name.upper() for name in map(adapters.runner_name, SOURCES)}
SCRIPT = "sh -c ADAPTER PYTEST LAUNCHER gradebox"
PYTEST, UNITTEST = "-c ADAPTER PYTEST -m pytest", "-c ADAPTER UNITTEST -m unittest"
TAKEN = {
    "pytest": f"{SCRIPT} pytest ADAPTER PYTEST",
    "pytest -q tests::x -k a": f"{SCRIPT} pytest ADAPTER PYTEST -q tests::x -k a",
    "py.test -x": f"{SCRIPT} py.test ADAPTER PYTEST -x",
    "/opt/venv/bin/pytest a": f"{SCRIPT} /opt/venv/bin/pytest ADAPTER PYTEST a",
    "python -m pytest": f"python {PYTEST}",
    "python3.12 -m pytest -p no:x": f"python3.12 {PYTEST} -p no:x",
    "python3 -I -W error -Xdev -bb -m pytest a": f"python3 -I -W error -Xdev -bb {PYTEST} a",
    "python3 -Im pytest a": f"python3 -I {PYTEST} a",
    "/usr/bin/python3 -m py.test": f"/usr/bin/python3 {PYTEST}",
    "python3 -m unittest discover -s t": f"python3 {UNITTEST} discover -s t",
    "env A=b PYTHONPATH=src pytest a": f"env A=b GRADEBOX_PYTHONPATH=src {SCRIPT} pytest ADAPTER PYTEST a",
    "timeout -k 5 60 python3 -m unittest": f"timeout -k 5 60 python3 {UNITTEST}",
}
LEFT = [
    "pytest --co", "pytest a --help", "pytest --version", "python3 -m pytest --collect-only", "python3 -m unittest -h",
    ".venv/bin/pytest", "/workspace/bin/pytest", "./python3 -m pytest", "python3 -m pytest_watch", "python2 -m pytest",
    "python3 -c pass -m pytest", "python3 x.py -m pytest", "python3 -i -m pytest", "python3 -m", "python3",
    "coverage run -m pytest", "make test", "uv run pytest", "timeout pytest", "timeout 60", "env", "env -i pytest",
    "nosuch", "sh test.sh", "sh -c",
]  # fmt: skip
LINES = {
    "pytest -q": '"$@" -q',
    "  pytest -q\n": '"$@" -q',
    "cd tests && pytest": 'cd tests && "$@"',
    "cd $DIR && pytest": 'cd $DIR && "$@"',
    "cd 'a b' &&  A=1 B=\"x y\" python3 -m pytest tests/*.py -k 'a and b'": (
        "cd 'a b' &&  A=1 B=\"x y\" \"$@\" tests/*.py -k 'a and b'"
    ),
    "PYTHONPATH=src exec pytest $ARGS": 'GRADEBOX_PYTHONPATH=src exec "$@" $ARGS',
    "PYTHONPATH=src:$PYTHONPATH pytest": 'PYTHONPATH=src:$PYTHONPATH "$@"',
    "pytest a > out.txt 2>&1": '"$@" a > out.txt 2>&1',
    "2>err pytest a": '2>err "$@" a',
    "py'te'st \\\n  a": '"$@" \\\n  a',
    "timeout 60 pytest -q": 'timeout 60 "$@" -q',
    "env PYTHONPATH=src pytest -q": 'env GRADEBOX_PYTHONPATH=src "$@" -q',
}
NO_LINES = [
    "pytest; true", "pytest || true", "pytest && echo x", "pytest | tee log", "pytest &", "(pytest)", "! pytest",
    "pytest < in", "pytest 3>x", "pytest &> x", "pytest $(cat x)", "pytest `cat x`", 'pytest "$@"', "pytest $1",
    "pytest $?", "cd a; pytest", "cd a && cd b && pytest", "cd a || pytest", "make && pytest", "cd a b && pytest",
    "$PYTHON -m pytest", "python3 -m $M", "python3 2>x -m pytest", "if pytest", "pytest\necho", "pytest 'a",
    "# pytest", "", "A=1", "export A=1 && pytest", "{ pytest; }", "[[ pytest ]]", "pytest <<E", "echo pytest",
    "pytest #x",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_that_is_a_test_runner_runs_through_ours(command: str) -> None:
    adapted = recognise(command.split())
    assert adapted is not None
    assert " ".join(adapted.argv(RUNNERS)) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_is_not_evidently_one_is_run_as_it_is(command: str) -> None:
    assert recognise(command.split()) is None


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("shell", [("sh", "-c"), ("/bin/bash", "-ec")])
def test_a_line_of_one_command_stays_the_shells_to_read(line: str, shell: tuple[str, ...]) -> None:
    adapted = recognise((*shell, line))
    assert adapted is not None
    argv = adapted.argv(RUNNERS)
    assert argv[:4] == (*shell, LINES[line], "sh")
    assert argv[4:] == _head(line)


def _head(line: str) -> tuple[str, ...]:
    if "python3" in line:
        return ("python3", "-c", "ADAPTER PYTEST", "-m", "pytest")
    return ("sh", "-c", "ADAPTER PYTEST LAUNCHER", "gradebox", "pytest", "ADAPTER PYTEST")


@pytest.mark.parametrize("line", NO_LINES)
def test_a_line_that_is_more_or_might_be_is_run_as_it_is(line: str) -> None:
    assert recognise(("sh", "-c", line)) is None
    assert recognise(("sh", "-c", "pytest", line)) is None


@given(st.text("pytes3mthon -'\"\\$`;&|<>()#=\n\t{}[]*!cdA1", max_size=40))
def test_any_line_is_understood_or_left(line: str) -> None:
    adapted = recognise(("sh", "-c", line))
    if adapted is not None:
        assert '"$@"' in adapted.argv(RUNNERS)[2]
        assert not set(line) & set(";|`<()")


def test_only_the_adapter_that_is_asked_for_is_taken() -> None:
    assert recognise(["pytest"], Adapter.UNITTEST) is None
    assert recognise(["pytest"], Adapter.NONE) is None
    assert recognise([]) is None
    assert recognise(["pytest"], Adapter.PYTEST) is not None


def test_every_adapter_can_be_hinted_at_and_has_a_source_that_fits_into_an_argument() -> None:
    sources = read_runners(find_images_directory())
    assert all(len(sources[name].encode()) < 128 * 1024 for name in RUNNERS)
    assert all(
        "Write the command as" in adapters.hint(adapter) for adapter in Adapter if adapter not in ("auto", "none")
    )


def test_an_adapted_step_shows_the_command_of_the_author() -> None:
    plain = Step(Role.CHECK, "c", ("pytest", "a"), "/workspace", 5.0, {"PYTHONPATH": "src", "A": "b"}, stdin=b"{}")
    step = adapt(plain, Adapter.AUTO, RUNNERS)
    assert (plain.command, step.command) == (("pytest", "a"), ("pytest", "a"))
    assert step.argv[0] == "sh"
    assert step.env == {"GRADEBOX_PYTHONPATH": "src", "A": "b"}
    assert step.stdin == step.token.encode() + b"\n{}"
    assert len(step.token) == 32
    assert step.report
    assert adapt(plain, Adapter.AUTO, RUNNERS).token != step.token
    assert adapt(plain, Adapter.NONE, RUNNERS) is plain


def step(*argv: str) -> Step:
    return Step(Role.CHECK, "c", ("wrapped",), "/workspace", 5.0, token="aa" * 16, shown=argv or ("pytest",))


def ended(status: int | None, *lines: str, token: str = "aa" * 16) -> Outcome:
    text = "".join(f"{token} {line}\n" for line in lines).encode()
    ending = Ending.SIGNALLED if status is None else Ending.EXITED
    return Outcome(ending, status, report=Capture(text, total_bytes=len(text)))


def cut(outcome: Outcome) -> Outcome:
    """Return the same with a part of its report lost."""
    return replace(outcome, report=replace(outcome.report, total_bytes=outcome.report.total_bytes + 1))


MISSING, PASSED = TamperingKind.TOKEN_MISSING, TamperingKind.CONTROL_PASSED
JUDGED = [
    ("passed", ended(0, "done 3 0"), "", []),
    ("no end", ended(0), "before the test runner came to its end", [MISSING]),
    ("another token", ended(0, "done 3 0", token="bb" * 16), "before the test runner came to its end", [MISSING]),
    ("no counts", ended(0, "done"), "before the test runner came to its end", [MISSING]),
    ("odd counts", ended(0, "done 3 -1"), "before the test runner came to its end", [MISSING]),
    ("a part lost", cut(ended(0, "done 3 0")), "before the test runner came to its end", [MISSING]),
    ("failed tests", ended(0, "done 3 1"), "though tests failed", [MISSING]),
    ("no tests", ended(0, "done 0 0"), "no test was run", []),
    ("control", ended(0, "control a b", "control a b", "done 3 0"), "what must fail passed: a b", [PASSED]),
    ("control of a failure", ended(1, "control a", "done 3 3"), "what must fail passed: a", [PASSED]),
    ("control of the dead", ended(None, "control a"), "what must fail passed: a", [PASSED]),
    ("skipped", ended(0, "skipped t, by work.py", "done 2 0"), "had a test skipped: t, by work.py", []),
    ("skipped and failed", ended(1, "skipped t", "done 2 1"), "", []),
    ("failed", ended(1, "done 3 1"), "", []),
    ("failed without an end", ended(1), "", []),
    ("signalled", ended(None), "", []),
    ("said that it is missing", ended(0, "missing pytest"), "before the test runner came to its end", [MISSING]),
]


@pytest.mark.parametrize(("outcome", "reason", "kinds"), [row[1:] for row in JUDGED], ids=[row[0] for row in JUDGED])
def test_what_a_report_makes_of_an_exit_status(outcome: Outcome, reason: str, kinds: list[TamperingKind]) -> None:
    found = judge(step(), outcome)
    assert bool(found.reason) == bool(reason)
    assert reason in found.reason
    assert [seen.kind for seen in found.tampering] == kinds
    assert not found.missing


def test_a_failure_that_is_worth_something_must_be_the_runners_own() -> None:
    assert judge(step(), ended(1, "done 3 1"), needs_end=True).reason == ""
    found = judge(step(), ended(1), needs_end=True)
    assert found.reason == "exit status 1, before the test runner came to its end"
    assert found.tampering == ()


@pytest.mark.parametrize(
    ("adapter", "outcome", "passed", "said"),
    [
        (Adapter.PYTEST, ended(1, "done 4 4"), 4, "4 tests passed by the report, and 0 by the count of the test"),
        (Adapter.PYTEST, ended(1, "done 4 2"), 3, "3 tests passed by the report, and 2 by the count"),
        (Adapter.NODE_TEST, ended(1, "done 1 3"), 1, "1 tests passed by the report, and 0 by the count"),
        (Adapter.PYTEST, ended(1, "done 4 2"), 2, ""),
        (Adapter.PYTEST, ended(1, "done 4 2"), 0, ""),
        (Adapter.PYTEST, ended(1, "done 1 3"), 0, ""),
        (Adapter.PYTEST, ended(1), 4, ""),
        # Their reports count in another way.
        (Adapter.UNITTEST, ended(1, "done 4 4"), 4, ""),
        (Adapter.JEST, ended(1, "done 4 4"), 4, ""),
    ],
)
def test_a_report_may_not_have_more_tests_that_passed_than_the_runner(
    adapter: Adapter, outcome: Outcome, passed: int, said: str
) -> None:
    found = adapters.overstated(step(), outcome, adapter, passed)
    assert bool(found) == bool(said)
    assert found.startswith(said)


def test_a_program_that_the_image_lacks_is_the_shells_failure_in_a_line() -> None:
    assert judge(step(), ended(127, "missing pytest")).missing == "pytest"
    assert judge(step("sh", "-c", "pytest"), ended(127, "missing pytest")) == adapters.RunnerJudgment()
    assert judge(step(), ended(127, "missing pytest", token="bb" * 16)).missing == ""


@pytest.mark.parametrize(
    ("defence", "outcome"),
    [(Defence.COMPLETION_TOKEN, ended(0)), (Defence.OWN_CONTROLS, ended(0, "control a", "done 1 0"))],
)
def test_without_the_defence_nothing_is_seen(defence: Defence, outcome: Outcome) -> None:
    assert judge(step(), outcome).tampering
    with switched_off(defence):
        assert judge(step(), outcome) == adapters.RunnerJudgment()


@given(st.binary(max_size=200))
def test_any_report_can_be_read(report: bytes) -> None:
    assert told("aa" * 16, report) == adapters.RunnerReport()
    assert told("", report) == adapters.RunnerReport()
    line = b"aa" * 16 + b" done 2 1\n"
    # What stands before it on its line makes it none.
    found = told("aa" * 16, report + line).done
    assert found == ((2, 1) if not report or report.endswith(b"\n") else None)
