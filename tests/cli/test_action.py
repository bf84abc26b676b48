"""The action of GitHub Actions: its steps are run as a runner runs them, with hostile names in its inputs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from junitparser import JUnitXml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
# As long as it is a value and no code, this is a name like any other.
NAME = "$(touch pwned) `touch pwned` '\"; touch pwned; #"
# Every place at which a job can be told something by a line of its log.
COMMAND = re.compile(r"^\s*::|##[a-z]*\[", re.MULTILINE)


class Ran(NamedTuple):
    """What a job left."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def value_of(expression: str, inputs: dict[str, str], outputs: dict[str, dict[str, str]]) -> str:
    """Return the value of an expression of action.yml, as far as this action has any."""
    match expression.split("."):
        case ["inputs", name]:
            return inputs[name]
        case ["steps", step, "outputs", name]:
            return outputs.get(step, {}).get(name, "")
    raise AssertionError(f"no such expression: {expression}")


def resolved(value: str, inputs: dict[str, str], outputs: dict[str, dict[str, str]]) -> str:
    return re.sub(r"\$\{\{\s*(\S+?)\s*\}\}", lambda found: value_of(found[1], inputs, outputs), value)


def wanted(step: dict[str, Any], inputs: dict[str, str], outputs: dict[str, dict[str, str]]) -> bool:
    """Return whether the condition of a step holds."""
    conditions = [part.split() for part in step.get("if", "").split(" && ") if part]
    return all(
        (value_of(name, inputs, outputs) == value.strip("'")) is (operator == "==")
        for name, operator, value in conditions
    )


def cached(action: str, path: Path, entry: Path) -> dict[str, str]:
    """Do what the action of the cache does with a directory, and return its outputs."""
    if action == "actions/cache/save@v4":
        shutil.copytree(path, entry)
        return {}
    assert action == "actions/cache/restore@v4"
    shutil.rmtree(path, ignore_errors=True)
    if not entry.exists():
        return {}
    shutil.copytree(entry, path)
    return {"cache-hit": "true"}


def job(workspace: Path, environment: dict[str, str] | None = None, **given: str) -> Ran:
    """Run the steps as a runner does: each a script of its own, until one fails."""
    temporary = workspace / "temp"
    temporary.mkdir(exist_ok=True)
    inputs = {name: str(value.get("default", "")) for name, value in ACTION["inputs"].items()} | given
    outputs: dict[str, dict[str, str]] = {}
    summary = temporary / "summary.md"
    log, code = "", 0
    for step in ACTION["runs"]["steps"]:
        if not wanted(step, inputs, outputs):
            continue
        if "uses" in step:
            path, key = (Path(resolved(step["with"][name], inputs, outputs)) for name in ("path", "key"))
            outputs[step.get("id", "")] = cached(step["uses"], path, workspace / "cache" / key)
            continue
        output = temporary / "output"
        output.write_text("")
        script = temporary / "script.sh"
        script.write_text(step["run"])
        env = {name: resolved(value, inputs, outputs) for name, value in step.get("env", {}).items()}
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
            cwd=workspace / resolved(step.get("working-directory", "."), inputs, outputs),
            env=os.environ
            | env
            | {
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_WORKSPACE": str(workspace),
                "GRADEBOX_VENV": str(Path(sys.executable).parents[1]),
                "RUNNER_TEMP": str(temporary),
            }
            | (environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        log += ended.stdout
        code = ended.returncode
        outputs[step.get("id", "")] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        if code:
            break
    values = {name: resolved(value["value"], inputs, outputs) for name, value in ACTION["outputs"].items()}
    return Ran(code, log, values, summary.read_text() if summary.exists() else "")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/case.yaml").write_text(
        "image: gradebox/python\n"
        'assertions: [{type: code-grader, name: answer, command: "cat answer >&2; grep -q right answer"}]\n'
    )
    for name, answer in ((NAME, "::error::forged\n  ##[add-mask]x\n"), ("good", "right")):
        (tmp_path / "work" / name).mkdir(parents=True)
        (tmp_path / "work" / name / "answer").write_text(answer)
    return tmp_path


def test_no_step_puts_an_input_into_a_script() -> None:
    steps = ACTION["runs"]["steps"]
    assert not [step for step in steps if "${{" in step.get("run", "")]
    used: set[Any] = {word for step in steps for word in re.findall(r"inputs\.([\w-]+)", str(step))}
    assert used == set(ACTION["inputs"])


def test_a_job_grades_and_reports(workspace: Path) -> None:
    ran = job(
        workspace, case="cases/case.yaml", submission=f"work/{NAME}\nwork/good\n", args="--jobs=2\n", cache="false"
    )
    assert ran.code == 1, ran.log
    assert not (workspace / "cache").exists()
    assert ran.outputs["exit-code"] == "1"
    assert [ran.outputs[name] for name in ("score", "passed", "failed", "errors")] == ["0.5000", "1", "1", "0"]
    assert ran.outputs["report"] == str(workspace / "gradebox-reports/report.html")
    assert (Path(ran.outputs["run-directory"]) / "results.jsonl").read_text().count("\n") == 2
    assert not list(workspace.rglob("pwned"))
    reports = workspace / "gradebox-reports"
    assert sorted(path.name for path in reports.iterdir()) == ["junit.xml", "report.html", "report.md"]
    assert JUnitXml.fromfile(str(reports / "junit.xml")).failures == 1
    assert ran.summary.startswith("## gradebox: 1 passed, 1 failed\n")
    # Ours: one that stops commands, one that resumes them, one for the case, one that counts.
    ours = [line for line in ran.log.splitlines() if COMMAND.search(line)]
    assert [line.split("::")[1].split(" ")[0] for line in ours[::2]] == ["stop-commands", "error"]
    assert ours[1] == f"::{ours[0].removeprefix('::stop-commands::')}::"
    assert ours[2].startswith("::error title=")
    assert "file=cases/case.yaml,line=1::" in ours[2]
    assert ours[3].startswith("::notice title=gradebox::1 passed, 1 failed. Run ")
    assert "| ::error::forged" in ran.log
    assert "#\\u0023[add-mask]x" in ran.log


def test_a_job_can_go_on_after_what_failed_but_not_after_a_mistake(workspace: Path) -> None:
    asked = {"case": "cases/case.yaml", "exit-zero": "true", "images": "", "reports": ""}
    ran = job(workspace, **asked)
    assert (ran.code, ran.outputs["exit-code"], ran.outputs["report"]) == (0, "1", "")
    ran = job(workspace, **(asked | {"args": "--no-such-option"}))
    assert ran.code == 2
    assert {name: value for name, value in ran.outputs.items() if value} == {"exit-code": "2"}


def test_what_cannot_be_graded_is_no_score(workspace: Path) -> None:
    (workspace / "cases/case.yaml").write_text(
        "image: gradebox/python\nassertions: [{type: code-grader, command: gone}]\n"
    )
    ran = job(workspace, case="cases/case.yaml", images="", reports="text=out.txt\n")
    assert (ran.code, ran.outputs["exit-code"]) == (4, "4"), ran.log
    assert [ran.outputs[name] for name in ("score", "passed", "failed", "errors")] == ["", "0", "0", "1"]
    assert ran.outputs["report"] == str(workspace / "out.txt")


@pytest.mark.thorough
def test_images_are_taken_from_the_cache_of_an_earlier_job(workspace: Path) -> None:
    """If a job fails, its images are kept all the same; if an archive is broken, images are built."""
    asked = {"case": "cases/case.yaml", "images": "base", "reports": ""}
    assert job(workspace, **asked).code == 1
    (entry,) = (workspace / "cache").iterdir()
    assert re.fullmatch(r"gradebox-images-\w+-[0-9a-f]{32}", entry.name)
    assert tarfile.is_tarfile(entry / "images.tar")
    assert "Loaded image: gradebox/base:latest" in job(workspace, **asked).log
    (entry / "images.tar").write_text("broken")
    ran = job(workspace, **asked)
    assert (ran.code, list((workspace / "cache").iterdir())) == (1, [entry])
    assert "base: is current" in ran.log


def test_the_key_of_the_cache_is_what_images_are_made_of(workspace: Path) -> None:
    def key(*names: str) -> str:
        output = workspace / "output"
        output.unlink(missing_ok=True)
        env = {"GRADEBOX_IMAGES": " ".join(names), "GITHUB_OUTPUT": str(output), "RUNNER_TEMP": str(workspace)}
        venv = {"GRADEBOX_VENV": str(Path(sys.executable).parents[1])}
        subprocess.run([ROOT / ".ci/action.sh", "key"], env=os.environ | env | venv, check=True)
        return output.read_text()

    assert key("python", "base") == key("base", "python")
    assert len({key("python"), key("base"), key("python", "base")}) == 3


@pytest.mark.parametrize(("head", "is_fork"), [("ann/exam", True), ("school/exam", False), (None, True)])
def test_a_job_for_a_fork_shows_what_its_author_may_see(workspace: Path, head: str | None, is_fork: bool) -> None:
    repository = {"full_name": head} if head else None
    event = workspace / "event.json"
    event.write_text(json.dumps({"pull_request": {"head": {"repo": repository}}}))
    environment = {"GITHUB_EVENT_PATH": str(event), "GITHUB_REPOSITORY": "school/exam"}
    ran = job(workspace, environment, case="cases/case.yaml", submission="work/good", images="")
    assert ran.code == 0, ran.log
    assert bool(ran.outputs["run-directory"]) is not is_fork
    reports = sorted(path.name for path in (workspace / "gradebox-reports").iterdir())
    assert reports == sorted(["junit.xml", "report.md", "candidates" if is_fork else "report.html"])
    # What the grader printed is in no report for candidates: it may be all that is hidden.
    assert ("passed" in ran.summary, "1 of 1 points" in ran.summary) == (True, is_fork)
