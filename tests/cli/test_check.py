"""``grade init`` and ``grade check`` on a real engine."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Ran, sandboxes, start

from gradebox.graders.authoring.templates import with_template
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

CASES = Path(__file__).parents[2] / "cases"


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(name, marks=pytest.mark.thorough if name not in {"bash", "python", "typescript"} else ())
        for name in with_template()
    ],
)
def test_a_new_case_grades_at_once_and_is_fair(grade: Callable[..., Ran], language: str) -> None:
    assert grade("init", "new", "--language", language).code == 0
    assert grade("--case", "new", "--reference").code == 0
    assert grade("--case", "new").code == 1
    # The cheats take long: tests/docker/test_attack.py tries them in every language.
    is_short = language != "bash"
    ran = grade("check", "new", "--json", *(["--repeat", "1", "--no-attack"] if is_short else ["--repeat", "2"]))
    assert ran.code == 0, ran.stdout
    found = json.loads(ran.stdout)
    assert (found["outcome"], found["findings"]) == ("fair" if is_short else "proven", [])
    assert {one["submission"] for one in found["runs"]} >= {"reference", "(untouched)", "nothing-done"}


def test_a_new_case_of_a_type_of_check_is_fair(grade: Callable[..., Ran]) -> None:
    assert grade("init", "new", "--template", "io").code == 0
    ran = grade("check", "new", "--json", "--repeat", "1", "--no-attack")
    assert ran.code == 0, ran.stdout
    found = json.loads(ran.stdout)
    assert (found["outcome"], found["findings"]) == ("fair", [])
    assert grade("init", "other", "--template", "oi").code == 2


@pytest.mark.thorough
def test_the_shipped_cases_are_fair(grade: Callable[..., Ran]) -> None:
    # What their submissions get is the business of tests/docker/test_shipped_cases.py.
    # The cheats take minutes here: tests/docker/test_attack.py tries them on smaller cases.
    ran = grade("check", CASES, "--repeat", "1", "--no-submissions", "--no-attack", "--jobs", "2", "--json")
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.code == 0, found
    assert {one["case"]: one["outcome"] for one in found} == {
        path.parent.name: "fair" for path in CASES.glob("*/case.yaml")
    }


def test_a_case_whose_tests_pass_on_an_empty_submission_is_reported(
    grade: Callable[..., Ran], make_case: Callable[..., Path]
) -> None:
    case = make_case(
        'language: bash\nassertions:\n  - {name: files, type: code-grader, command: "for f in *; do true; done"}\n',
        **{"reference/done": "yes"},
    )
    ran = grade("check", case, "--repeat", "2")
    assert ran.code == 1
    assert "The untouched workspace passed with score 1 in 2 of 2 runs: an empty submission passes." in ran.stdout
    assert "The check files has never been seen to fail" in ran.stdout


def test_chance_in_a_check_is_found(grade: Callable[..., Ran], make_case: Callable[..., Path]) -> None:
    # What time it is differs from run to run.
    command = "test -f done && date +%N && exit $(($(date +%-N) % 250))"
    case = make_case(
        f"language: bash\nassertions:\n  - {{type: code-grader, command: '{command}'}}\n", **{"reference/done": ""}
    )
    ran = grade("check", case, "--repeat", "4")
    assert ran.code == 1
    assert "was graded otherwise in run" in ran.stdout


def test_without_an_engine_nothing_is_said_about_the_case(grade: Callable[..., Ran]) -> None:
    ran = grade("check", CASES / "add-auth", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert ran.code == 4
    assert ran.stdout == ""
    assert "No Docker Engine answers" in ran.stderr


def test_what_needs_no_engine_asks_none(grade: Callable[..., Ran]) -> None:
    for arguments in (["validate", CASES], ["list", CASES], ["schema"]):
        assert grade(*arguments, DOCKER_HOST="unix:///nowhere/docker.sock").code == 0


def test_an_interrupted_check_says_so_and_leaves_nothing(
    engine: DockerEngine, make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case('language: bash\nassertions: [{type: code-grader, command: "sleep 60"}]\n', **{"reference/x": ""})
    process = start("check", case, cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not any(found.running for found in sandboxes(engine, process.pid)):
        assert time.monotonic() < deadline, "no sandbox appeared"
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "Stopping.\ninterrupted: 1 of 1 cases were not checked\n"
    assert sandboxes(engine, process.pid) == []


# What a reference prints, and what its grader expects: that differs with one of the surroundings alone.
DEPENDENT = {
    "hash seed": ("print(hash('a'))", "run('print(hash(\\'a\\'))', PYTHONHASHSEED='0')"),
    "time zone": ("import time; print(time.localtime(43_200).tm_mday)", "'1'"),
    "locale": ("import locale as l; l.setlocale(l.LC_ALL, ''); print(l.nl_langinfo(l.CODESET))", "'UTF-8'"),
    "order of files": ("import os; print(*[name for name in os.listdir() if '.txt' in name])", "'a.txt b.txt'"),
    "number of processors": ("import os; print(len(os.sched_getaffinity(0)))", "str(os.cpu_count())"),
}
GRADER = """import os, subprocess, sys
def run(code, **env):
    return subprocess.check_output([sys.executable, "-c", code], env={{**os.environ, **env}}, text=True).strip()
assert run(open("app.py").read()) == {}
"""


@pytest.mark.parametrize("name", DEPENDENT)
def test_a_reference_that_depends_on_its_surroundings_is_reported(
    grade: Callable[..., Ran], make_case: Callable[..., Path], name: str
) -> None:
    printed, expected = DEPENDENT[name]
    text = (
        "language: python\nisolation: in-process\nassertions: [{type: code-grader, command: [python3, grading/g.py]}]\n"
    )
    files = {"reference/app.py": printed, "reference/a.txt": "a", "reference/b.txt": "b"}
    case = make_case(text, **{"grading/g.py": GRADER.format(expected)}, **files)
    ran = grade("check", case, "--repeat", "1", "--no-attack", "--json")
    found = [one["message"] for one in json.loads(ran.stdout)["findings"]]
    assert [text for text in found if text.startswith("With another")], ran
    assert [text for text in found if text.startswith("With another")] == [
        text for text in found if text.startswith(f"With another {name}, the reference was graded otherwise: ")
    ]


def test_a_reference_is_graded_under_load_on_request(grade: Callable[..., Ran], make_case: Callable[..., Path]) -> None:
    text = 'language: bash\nassertions: [{type: code-grader, command: "test -f done", exclusive: true}]\n'
    case = make_case(text, **{"reference/done": "yes"})
    ran = grade("check", case, "--repeat", "1", "--no-attack", "--under-load", "--json")
    found = json.loads(ran.stdout)
    assert (ran.code, found["outcome"]) == (0, "fair"), ran
    assert [one["verdict"] for one in found["runs"] if one["subject"] == "under load"] == ["passed"]
    assert found["margins_under_load"].keys() == found["margins"].keys()
