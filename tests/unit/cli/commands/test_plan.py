"""``grade plan``: what would run is shown, and nothing runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from grading_bench import FAIL, PASS, write

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.sandbox.engines import docker

CHECK = 'assertions: [{type: code-grader, command: ["check"]}]\n'


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    engine = FakeEngine(lambda run: PASS if run.files.get("answer") == b"right\n" else FAIL)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name in ("one", "two"):
        write(tmp_path, {f"{name}/case.yaml": f"image: image\n{CHECK}"})
    return engine


PLANNED = """\
image: image
language: bash
timeout_seconds: 20
limits: {memory: 256m, pids: 32}
setup: make
protect: ["*.txt"]
assertions:
  - {name: login, type: code-grader, command: ["pytest", "grading/test_login.py"], control: ["sh", "ctl.sh"]}
unit_tests: ["true", "false"]
"""


def plan(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["plan", *arguments])
    return (code, *capsys.readouterr())


def test_a_plan_shows_what_would_run_with_what_and_what_is_restored(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PLANNED.replace("timeout_seconds: 20", "execution: {timeout_seconds: 20}")
    files = {"case.yaml": text, "workspace/rules.txt": "", "grading/test_login.py": "", "grading/x": "", "ctl.sh": ""}
    write(Path("one"), files)
    code, out, err = plan(capsys, "one")
    assert (code, err) == (0, "")
    for said in (
        "one in image",
        "memory 256 MiB",
        "processes 32",
        "20 s in all",
        "restored before every stage: rules.txt",
        "setup: sh -c make",
        "check: pytest grading/test_login.py",
        "control: sh ctl.sh",
        "delivered: ctl.sh",
        "delivered: grading/",
        "2 items",
    ):
        assert said in out
    assert engine.created == []


def test_a_plan_shows_characters_of_a_name_and_markup_as_they_are_written(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    item = '{type: code-grader, name: "[bold]x[/]", command: ["a", "\\e[31m", "\\u202e", "[/]"]}'
    write(Path("one"), {"case.yaml": f"image: image\nassertions: [{item}]\n"})
    code, out, _ = plan(capsys, "one")
    assert code == 0
    assert "[bold]x[/]" in out
    assert "\\x1b[31m" in out
    assert "\u202e" not in out
    assert "\x1b" not in out


def test_a_plan_of_a_diff_that_does_not_apply_says_so(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.diff").write_text("--- a/missing\n+++ b/missing\n@@ -1 +1 @@\n-a\n+b\n")
    code, out, err = plan(capsys, "one", "-s", "bad.diff")
    assert code == 0
    assert "check: check" in out
    assert "does not apply" in err


def test_a_plan_of_several_cases_shows_those_that_are_whole_and_fails_for_those_that_are_not(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path(), {"all/good/case.yaml": CHECK, "all/bad/case.yaml": "limmits: {}\n"})
    code, out, err = plan(capsys, "all")
    assert code == ExitCode.NOT_GRADED
    assert "good in " in out
    assert f"{os.sep}bad{os.sep}case.yaml:1:1: error" in err


def test_a_plan_says_who_runs_a_command_and_how_a_check_is_judged(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    checks = (
        "{type: code-grader, command: [python3, grading/judge.py]}",
        "{type: call, language: python, calls: [{call: f}]}",
        "{type: code-grader, name: it, isolation: in-process, command: [x]}",
    )
    text = f"image: image\nisolation: apart\nassertions: [{', '.join(checks)}]\n"
    write(Path("one"), {"case.yaml": text, "grading/judge.py": "", "workspace/a.py": ""})
    _, out, _ = plan(capsys, "one")
    assert "code-grader as user 1, judged apart" in out
    assert "check as grader: python3 grading/judge.py" in out
    assert "item as candidate: call solution.py" in out
    assert "it as user 3, judged in-process" in out
    assert "check: x " in out


def test_a_case_whose_reference_decides_is_shown_apart(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'image: image\nassertions: [{name: tests, type: code-grader, command: "pytest grading"}]\n'
    write(Path("one"), {"case.yaml": text, "grading/test_a.py": "", "reference/a.py": ""})
    _, out, _ = plan(capsys, "one")
    assert "isolation: auto: judged apart as shown here if the reference passes so, otherwise in-process" in out
    assert "tests as user 1, judged apart" in out
    write(Path("one"), {"case.yaml": f"{text}isolation: in-process\n"})
    _, out, _ = plan(capsys, "one")
    assert "isolation: auto" not in out
    assert "tests as user 1, judged in-process" in out


JUDGED = """\
image: image
judge: {provider: openai, model: m, name: bob}
assertions:
  - {name: says, type: contains, value: x, required: true}
  - {name: words, type: llm-grader, prompt: Is it kind?, weight: 2}
  - {name: both, type: composite, assertions: [{name: one, type: equals, value: y}, {type: code-grader, command: [b]}]}
rubrics: [{outcome: a, check: says}]
"""


def test_a_plan_lists_all_checks_and_who_judges_each(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    write(Path(), {"one/case.yaml": JUDGED, "one/workspace/a.txt": "a", "work/b.txt": "bb"})
    _, out, _ = plan(capsys, "one")
    listed = [line.strip("│├└─ \n") for line in out.partition("checks\n")[2].splitlines()]
    gradebox = "judged by gradebox, from what the submission left, answered or did"
    assert listed[:6] == [
        f"says (contains, weight 1, required): {gradebox}",
        "words (llm-grader, weight 2): judged by the judge bob",
        "both (composite, weight 1): judged by its members",
        f"one (equals, weight 1): {gradebox}",
        "code-grader (code-grader, weight 1): judged by its command",
        "rubrics (rubrics, weight 1): judged by the result of says",
    ]
    write(Path(), {"one/case.yaml": JUDGED.replace("judge: {", "metadata: {")})
    _, out, _ = plan(capsys, "one", "-s", "work")
    assert "words (llm-grader, weight 2): judged by a judge (the case names none)" in out
    assert "workspace: 1 file, 1 bytes" in out
    assert "with the submission: 2 files, 3 bytes" in out


SERVICES = """\
image: image
services:
  db:
    image: {base: base, apt: [postgresql]}
    command: [sh, grading/start.sh]
    ready: {command: [pg_isready]}
    reset: [psql, --file, grading/schema.sql]
    per: run
    limits: {memory: 512m}
  web:
    image: httpd
    command: [httpd]
    ready: {port: 80, http: /up}
    reset: ["true"]
    per: run
assertions:
  - {name: runs, type: code-grader, command: [work]}
  - {name: stored, type: code-grader, command: [psql], after: candidate, service: db}
"""


def test_a_plan_shows_services_and_the_checks_beside_them(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("one"), {"case.yaml": SERVICES, "grading/start.sh": "", "grading/schema.sql": ""})
    code, out, err = plan(capsys, "one")
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    for part in (
        "service db in an image of base with apt: postgresql, reset for each submission",
        "limits: memory 512 MiB, cpus 1, processes 256",
        "delivered: grading/ (2 files)",
        "service: sh grading/start.sh",
        "ready: pg_isready",
        "reset: psql --file grading/schema.sql",
        "service web in httpd",
        "ready: GET /up at port 80",
        "beside the service db",
    ):
        assert part in said, out
    assert engine.created == []
