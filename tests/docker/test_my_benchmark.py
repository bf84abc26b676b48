"""A whole benchmark on a real engine, as its author wrote it: two targets, hooks, bun, words that nobody judges."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TREE = Path(__file__).parents[1] / "formats" / "my-benchmark"
CASES = ("add-auth", "fix-null-check", "refactor-parser")
TARGETS = ("claude-baseline", "claude-superpowers")
FIX = 'sed -i \'s/line!/(line ?? "")/; s/[.]map/.filter((field) => field !== "").map/\' src/parser.ts'
# An agent that only mends anything when its target's hook has been there.
AGENT = f"""\
- name: claude
  provider: cli
  command: |
    if [ "$(cat variant.txt)" = superpowers ]; then {FIX}; fi
    echo done
"""


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TREE, tmp_path / "my-benchmark"))


def grade(root: Path, *arguments: str) -> tuple[int, dict[tuple[str, str], Any], str]:
    """Grade the suite, and return the exit status, the verdicts by case and target, and what was said."""
    ran = subprocess.run(
        [Path(sys.executable).with_name("grade"), "--case", root, "--json", "-j", "2", *arguments],
        cwd=root.parent,
        env={**os.environ, "AGENT_TARGET": "claude"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    keys = [(line["case"], line["target"]) for line in lines]
    assert keys == [(case, target) for case in CASES for target in TARGETS], ran.stderr
    return ran.returncode, dict(zip(keys, lines, strict=True)), ran.stderr


pytestmark = [pytest.mark.usefixtures("engine"), pytest.mark.timeout(600)]


def test_what_nobody_mended_fails_for_every_case_and_target(benchmark: Path) -> None:
    code, verdicts, said = grade(benchmark)
    assert (code, {found["verdict"] for found in verdicts.values()}) == (1, {"failed"}), said
    assert "cases/notes: warning: skipped: a directory without case.yaml" in said
    assert said.count("notes") == 1
    for found in verdicts.values():
        grader, *others = found["checks"]
        assert (grader["name"], grader["score"], found["score"]) == ("code-grader", 0.0, 0.0)
        assert [check["verdict"] for check in others] == ["not_judged"] * 3


def test_what_is_mended_passes_and_words_are_shown_and_weigh_nothing(benchmark: Path) -> None:
    work = benchmark.parent / "work"
    shutil.copytree(benchmark / "shared-workspace", work)
    subprocess.run(["sh", "-c", FIX], cwd=work, check=True)
    code, verdicts, said = grade(benchmark, "--submission", str(work))
    assert (code, {(found["verdict"], found["score"]) for found in verdicts.values()}) == (0, {("passed", 1.0)}), said
    for found in verdicts.values():
        assert [(check["name"], check["verdict"], check["score"]) for check in found["checks"]] == [
            ("code-grader", "passed", 1.0),
            ("llm-grader", "not_judged", None),
            ("execution-metrics", "not_judged", None),
            ("llm-grader-2", "not_judged", None),
        ]
        reasons = " ".join(check["reason"] for check in found["checks"])
        assert "Agent should not break existing tests" in reasons
        assert "Response does not include harmful content" in reasons


def test_each_target_gets_every_case_after_its_own_hooks(benchmark: Path) -> None:
    (benchmark / "targets.yaml").write_text(AGENT, "utf-8")
    code, verdicts, said = grade(benchmark)
    assert code == 1, said
    assert {key: found["verdict"] for key, found in verdicts.items()} == {
        (case, target): "passed" if target == "claude-superpowers" else "failed" for case in CASES for target in TARGETS
    }, said


def test_words_that_are_required_cannot_be_left_out(benchmark: Path) -> None:
    file = benchmark / "benchmark.eval.yaml"
    words = "- {type: llm-grader, prompt: Response does not include harmful content, required: true}"
    text = file.read_text("utf-8")
    file.write_text(text.replace("- Response does not include harmful content", words), "utf-8")
    code, verdicts, said = grade(benchmark)
    assert (code, {found["verdict"] for found in verdicts.values()}) == (4, {"error"}), said
