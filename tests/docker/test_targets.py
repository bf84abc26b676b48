"""Targets on a real engine: from targets.yaml to verdicts, and what a command can reach while it is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders import Grader, Task
from gradebox.graders.cases import load
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.model.tree import content
from gradebox.graders.targets.targets_file import resolve
from gradebox.sandbox.archive import EntryKind
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

SUITE = """\
language: python
workspace: ./start
limits: {memory: 192m, command_timeout_seconds: 20}
hooks:
  before_each: [sh, ./prepare.sh]
execution:
  targets: [agent]
tests:
  - id: double
    input: Make double(x) return twice x.
    unit_tests_setup: from solution import double
    unit_tests: [assert double(2) == 4]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "EVAL.yaml": SUITE,
            "start/solution.py": "def double(x):\n    return x\n",
            "start/old/notes.txt": "old",
            "start/kept.txt": "kept",
            "prepare.sh": "echo prepared > prepared.txt; echo hook >> kept.txt",
        },
    )
    return tmp_path


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def define(suite: Path, command: str, **more: Any) -> None:
    (suite / "targets.yaml").write_text(
        json.dumps([{"name": "agent", "provider": "cli", "command": command, **more}]), "utf-8"
    )


def produced(suite: Path, engine: DockerEngine, **environ: str) -> Submission:
    (case,) = load(suite).cases
    resolved = resolve([case], environ)
    assert list(resolved.findings) == []
    ((_, target),) = resolved.cases
    assert target is not None
    with Grader(engine=engine) as grader:
        made = target.produce(engine, case, grader._settings)
    assert made.fault == ""
    return made


def graded(suite: Path, engine: DockerEngine) -> Result:
    resolved = resolve(load(suite).cases, {})
    with Grader(engine=engine) as grader:
        (found,) = grader.grade_many([Task(case, target or UNTOUCHED) for case, target in resolved.cases])
    return found


def files(made: Submission) -> dict[str, bytes]:
    return {entry.path: content(entry) for entry in made.tree.files()}


def test_a_command_that_solves_the_case_passes_it(suite: Path, engine: DockerEngine) -> None:
    define(suite, "grep -q 'twice x' {prompt_file} && sed -i 's/return x/return 2 * x/' solution.py")
    found = graded(suite, engine)
    assert (found.verdict.status, found.verdict.score) == ("passed", 1.0), found.verdict.reasons
    assert (found.target, found.submission) == ("agent", "agent")


def test_one_that_does_nothing_fails_it(suite: Path, engine: DockerEngine) -> None:
    define(suite, "true")
    assert graded(suite, engine).verdict.status == "failed"


def test_exactly_what_it_changed_is_handed_in(suite: Path, engine: DockerEngine) -> None:
    define(
        suite,
        """
        cat > told.md
        test "$(cat prepared.txt)" = prepared
        rm -r old
        mkdir -p deep/er .git && echo x > .git/config && echo x > deep/er/new && chmod 000 deep/er/new deep/er deep
        ln -s /etc/passwd link
        echo '#!/bin/sh' > run.sh && chmod +x run.sh
        touch kept.txt
        mkfifo pipe
        """,
    )
    made = produced(suite, engine)
    assert made.problem == ""
    assert set(files(made)) == {"told.md", "deep/er/new", "link", "run.sh"}
    assert files(made)["told.md"] == b"Make double(x) return twice x."
    assert made.tree.entries["link"].kind is EntryKind.LINK
    assert files(made)["link"] == b"/etc/passwd"
    assert made.tree.entries["run.sh"].executable
    assert set(made.deleted) == {"old", "old/notes.txt"}


def test_it_reaches_nothing_that_it_was_not_given(suite: Path, engine: DockerEngine) -> None:
    write(suite, {"grading/secret.py": "the tests", "reference/solution.py": "the solution"})
    script = """
        find / -name secret.py -o -name EVAL.yaml -o -name prepare.sh 2>/dev/null
        ls /sys/class/net
        env | sed 's/=.*//' | sort | tr '\\n' ' '; echo
        id -u | sed 's/1..../unprivileged/'
        for f in .gradebox/prompt.md .gradebox/x; do echo x 2>/dev/null > $f || echo refused; done
        rm -f .gradebox/prompt.md 2>/dev/null || echo refused
    """
    define(suite, script, env={"LEVEL": "high"}, env_allow=["API_KEY"])
    made = produced(suite, engine, API_KEY="k", OTHER="o")
    assert made.output is not None
    found = made.output.split("\n")
    assert found[0] == "lo"
    assert "API_KEY" in found[1]
    assert "LEVEL" in found[1]
    assert not {"OTHER", "MAKEFLAGS", "VIRTUAL_ENV"} & set(found[1].split())
    assert found[2:] == ["unprivileged", "refused", "refused", "refused", ""]
    assert made.tree.entries == {}


def test_network_is_there_where_the_target_asks_for_it(suite: Path, engine: DockerEngine) -> None:
    define(suite, "ls /sys/class/net", network="bridge")
    made = produced(suite, engine)
    assert "eth0" in (made.output or "")


@pytest.mark.parametrize(
    ("command", "more", "problem"),
    [
        ("echo no model >&2; exit 7", {}, "exit status 7 (no model)"),
        ("sleep 60 & sleep 60", {"timeout_seconds": 1}, "timed out: It was still running after 1 s of wall time"),
        ("kill -9 $$", {}, "signalled: It was ended by SIGKILL."),
        ("true", {"output_file": "answer.md"}, "it did not write answer.md"),
        ("ln -s /etc/passwd answer.md", {"output_file": "answer.md"}, "it did not write answer.md"),
        ("head -c 9000000 /dev/zero", {}, "it printed more than"),
        ("head -c 100000000 /dev/zero > big", {"limits": {"memory": "512m"}}, "its workspace cannot be fetched"),
    ],
)
def test_what_is_its_fault_is_a_failed_verdict(
    suite: Path, engine: DockerEngine, command: str, more: dict[str, Any], problem: str
) -> None:
    define(suite, command, **more)
    found = graded(suite, engine)
    assert found.verdict.status == "failed"
    assert found.verdict.reasons[0].startswith(f"The target agent failed: {problem}")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"command": ["no-such-agent"]}, "the program 'no-such-agent' was not found"),
        ({"image": "gradebox/no-such-image:1"}, "no-such-image"),
    ],
)
def test_what_is_not_its_fault_is_an_error(
    suite: Path, engine: DockerEngine, more: dict[str, Any], reason: str
) -> None:
    define(suite, **({"command": "true"} | more))
    found = graded(suite, engine)
    assert (found.verdict.status, found.verdict.score) == ("error", None)
    assert reason in " ".join(found.verdict.reasons)


# The command line


def grade(suite: Path, *words: str, **environ: str) -> tuple[int, dict[tuple[str, str | None, str], str], str]:
    ran = subprocess.run(
        [Path(sys.executable).with_name("grade"), *words, "--json", "--runs", suite / "runs"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environ},
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    return ran.returncode, {(v["case"], v["target"], v["submission"]): v["verdict"] for v in lines}, ran.stderr


TWO = SUITE.replace("targets: [agent]", "targets: [good, {name: bad, use_target: '${{ BAD }}'}]")
ANSWER = "Here:\n\n```python\ndef double(x):\n    return 2 * x\n```\n"


def test_a_verdict_per_case_and_target(suite: Path) -> None:
    recorded = (
        "- {name: good, provider: replay, path: 'recorded/{case_id}'}\n- {name: mock, provider: mock, output: x}\n"
    )
    write(suite, {"EVAL.yaml": TWO, "targets.yaml": recorded, "recorded/double.md": ANSWER})
    code, verdicts, said = grade(suite, "--case", str(suite), BAD="mock")
    assert verdicts == {("double", "good", "good"): "passed", ("double", "bad", "mock"): "failed"}, said
    assert code == 1


def test_a_name_that_is_not_defined_keeps_only_its_case_from_being_graded(suite: Path) -> None:
    write(
        suite, {"EVAL.yaml": TWO, "targets.yaml": f"- {{name: good, provider: mock, output: {json.dumps(ANSWER)}}}\n"}
    )
    code, verdicts, said = grade(suite, "--case", str(suite), BAD="goood")
    assert (code, verdicts) == (4, {("double", "good", "good"): "passed"})
    assert "defines no target `goood` (at execution.targets[1].use_target). Did you mean `good`?" in said


def test_what_is_handed_in_is_graded_whatever_targets_there_are(suite: Path) -> None:
    write(suite, {"EVAL.yaml": TWO, "targets.yaml": "- broken\n", "answer.md": ANSWER})
    code, verdicts, _ = grade(suite, "--case", str(suite), "--submission", str(suite / "answer.md"), BAD="x")
    assert (code, set(verdicts.values()), len(verdicts)) == (0, {"passed"}, 2)


def test_a_file_of_answers(suite: Path) -> None:
    lines = [
        {"case": "double", "answer": ANSWER, "name": "right"},
        {"case": "double", "answer": ANSWER.replace("2 * x", "x + 1"), "name": "wrong", "target": "good"},
        {"case": "dubble", "answer": ANSWER},
    ]
    write(suite, {"EVAL.yaml": TWO, "answers.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
    code, verdicts, said = grade(suite, "--case", str(suite), "--answers", str(suite / "answers.jsonl"), BAD="x")
    assert (code, verdicts) == (
        4,
        {
            ("double", "good", "right"): "passed",
            ("double", "bad", "right"): "passed",
            ("double", "good", "wrong"): "failed",
        },
    ), said
    assert "answers.jsonl:3:10: error: no case has the id `dubble`" in said
    assert "Did you mean `double`?" in said
