"""Adapters: what is run in place of a command that is a test runner, and which commands are left as they are."""

from __future__ import annotations

import shlex

import pytest
from command_forms import FORMS, Form
from hypothesis import example, given
from hypothesis import strategies as st
from recognition import shown

from gradebox.graders.languages.language import MODULES
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.runners import AUTO, NONE, names, runners
from gradebox.graders.runners.adapter import adapt, hint, recognise

LEFT = [
    "coverage run -m pytest", "make test", "uvx pytest", "timeout pytest", "timeout 60", "env", "env -i pytest",
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


@pytest.mark.parametrize("command", LEFT)
def test_what_is_not_evidently_a_test_runner_is_run_as_it_is(command: str) -> None:
    assert recognise(command.split()) is None


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("shell", [("sh", "-c"), ("/bin/bash", "-ec")])
def test_a_line_of_one_command_stays_the_shells_to_read(line: str, shell: tuple[str, ...]) -> None:
    adapted = recognise((*shell, line))
    assert adapted is not None
    argv = adapted.argv()
    assert argv[:4] == (*shell, LINES[line], "sh")
    assert shown(argv[4:]) == _head(line)


def _head(line: str) -> list[str]:
    if "python3" in line:
        return ["python3", "-c", "pytest_adapter.py", "-m", "pytest"]
    return ["sh", "-c", "pytest_launcher.sh", "gradebox", "pytest", "pytest_adapter.py"]


@pytest.mark.parametrize("line", NO_LINES)
def test_a_line_that_is_more_or_might_be_is_run_as_it_is(line: str) -> None:
    assert recognise(("sh", "-c", line)) is None
    assert recognise(("sh", "-c", "pytest", line)) is None


@example("&&")
@given(st.text("pytes3mthon -'\"\\$`;&|<>()#=\n\t{}[]*!cdA1", max_size=40))
def test_any_line_is_understood_or_left(line: str) -> None:
    adapted = recognise(("sh", "-c", line))
    if adapted is not None:
        assert '"$@"' in adapted.argv()[2]
        assert not set(line) & set(";|`<()")


def test_only_the_adapter_that_is_requested_is_used() -> None:
    assert recognise(["pytest"], "unittest") is None
    assert recognise(["pytest"], NONE) is None
    assert recognise([]) is None
    assert recognise(["pytest"], "pytest") is not None


def test_a_case_can_name_every_runner_and_learns_what_its_command_looks_like() -> None:
    assert names() == ("auto", "none", *runners())
    assert all(runners()[name].shape in hint(name) for name in runners())


def test_an_adapted_step_shows_the_command_of_the_author() -> None:
    plain = Step(Role.CHECK, "c", ("pytest", "a"), "/workspace", 5.0, {"PYTHONPATH": "src", "A": "b"}, stdin=b"{}")
    step = adapt(plain, AUTO)
    assert (plain.command, step.command) == (("pytest", "a"), ("pytest", "a"))
    assert step.argv[0] == "sh"
    assert step.env == {"PYTHONPATH": "src", "A": "b", MODULES: ""}
    assert step.renamed == {"PYTHONPATH": "GRADEBOX_PYTHONPATH"}
    assert step.stdin == step.token.encode() + b"\n{}"
    assert len(step.token) == 32
    assert step.report
    assert adapt(plain, AUTO).token != step.token
    assert adapt(plain, NONE) is plain


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.line)
def test_a_test_runner_is_recognised_behind_launchers(form: Form) -> None:
    found = recognise(shlex.split(form.line))
    assert (found.runner.name if found else "") == form.runner
