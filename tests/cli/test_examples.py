"""The examples for CI systems: what they run is run as their systems do, and what they name is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

from gradebox.graders.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/ci.md").read_text("utf-8")
JENKINSFILE = (ROOT / "docs/examples/Jenkinsfile").read_text("utf-8")
GITLAB: dict[str, Any] = yaml.safe_load((ROOT / "docs/examples/gitlab-ci.yml").read_text("utf-8"))
COMPONENT = (ROOT / "docs/examples/gitlab-component.yml").read_text("utf-8")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
BIN = Path(sys.executable).parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/case.yaml").write_text(
        "image: gradebox/python\n"
        'assertions: [{type: code-grader, command: "cat answer; test -e right"},'
        ' {type: code-grader, name: style, required: false, weight: 0.01, command: "false"}]\n'
    )
    (tmp_path / "work").mkdir()
    (tmp_path / "work/answer").write_text("[[ATTACHMENT|/etc/passwd]]\n##teamcity[x]\n")
    return tmp_path


def run(script: str, checkout: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=checkout,
        env={**os.environ, "CI": "true", "PATH": f"{BIN}:{os.environ['PATH']}", **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_the_job_of_gitlab_grades_and_leaves_what_it_says_are_its_artifacts(checkout: Path) -> None:
    job = GITLAB[".grade"]
    ran = run("\n".join(job["script"]), checkout, GITLAB_CI="true")
    assert ran.returncode == 1, ran.stdout
    assert [path for path in job["artifacts"]["paths"] if not (checkout / path).is_dir()] == []
    report = checkout / job["artifacts"]["reports"]["junit"]
    assert JUnitXml.fromfile(str(report)).failures == 2
    assert "[[ATTACHMENT" not in report.read_text()
    assert "\\u005b[ATTACHMENT|/etc/passwd]]" in report.read_text()
    assert "##teamcity[" not in ran.stdout


def test_the_jobs_of_gitlab_have_an_engine_each() -> None:
    jobs = {name: job for name, job in GITLAB.items() if not name.startswith(".")}
    assert {job["extends"] for job in jobs.values()} == {".grade"}
    assert {"services", "tags"} == {key for job in jobs.values() for key in job} & {"services", "tags"}


def component(**given: str) -> dict[str, Any]:
    """Return what GitLab makes of the component: a job in which the names of inputs are replaced by their values."""
    inputs = yaml.safe_load(COMPONENT.partition("\n---\n")[0])["spec"]["inputs"]
    values = {name: str(about["default"]) for name, about in inputs.items() if "default" in about} | given
    assert set(values) == set(inputs)
    text = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: values[found[1]], COMPONENT.partition("\n---\n")[2])
    assert "$[[" not in text
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


@pytest.mark.parametrize("engine", ["service", "socket"])
def test_the_component_of_gitlab_is_a_job_with_either_engine(engine: str) -> None:
    made = component(container="registry.example.org/gradebox", engine=engine, job="my grades")
    assert made["my grades"]["extends"] in made
    assert made["my grades"]["artifacts"] == GITLAB[".grade"]["artifacts"]


def test_the_component_of_gitlab_grades(checkout: Path) -> None:
    (checkout / "it's").symlink_to("work")
    job = component(container="c", submission="it's", options="--name=first --jobs=1")["grade"]
    assert job["script"] == component(container="c", case="x; touch pwned")["grade"]["script"]
    ran = run("\n".join(job["script"]), checkout, **job["variables"])
    assert ran.returncode == 1, ran.stdout
    assert JUnitXml.fromfile(str(checkout / job["artifacts"]["reports"]["junit"])).failures == 2
    assert [path for path in job["artifacts"]["paths"] if not (checkout / path).is_dir()] == []


def test_the_hook_of_pre_commit_looks_at_case_files(checkout: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    names = ["cases/a/case.yaml", "case.yml", "b/EVAL.yaml", "b/x.eval.yaml", "b/my-case.yaml", "case.yaml.orig"]
    assert [name for name in names if re.search(hook["files"], name)] == names[:4]
    assert run(f"{hook['entry']} cases/case.yaml", checkout).returncode == 0
    (checkout / "cases/case.yaml").write_text("assertions: 1\n")
    assert run(f"{hook['entry']} cases/case.yaml", checkout).returncode == 2


def test_the_pipeline_of_jenkins_grades_and_leaves_what_it_publishes(checkout: Path) -> None:
    first, second = re.findall(r"sh '''\n(.*?)'''", JENKINSFILE, re.DOTALL)
    # Not installed again: the environment of these tests has it.
    assert "./tools/gradebox" in first
    (checkout / "temp/gradebox").mkdir(parents=True)
    (checkout / "temp/gradebox/bin").symlink_to(BIN)
    ran = run(second, checkout, WORKSPACE_TMP=str(checkout / "temp"), JENKINS_URL="http://jenkins")
    assert ran.returncode == 0, ran.stdout
    (report,) = re.findall(r"junit '(.*?)'", JENKINSFILE)
    assert JUnitXml.fromfile(str(checkout / report)).failures == 2
    assert sorted(path.name for path in (checkout / report).parent.iterdir()) == ["junit.xml", "report.html"]


def test_the_workflow_of_github_asks_for_what_the_action_has() -> None:
    workflow, *_ = (
        yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    )
    steps = workflow["jobs"]["grade"]["steps"]
    assert [step["uses"].partition("@")[0] for step in steps] == [
        "actions/checkout",
        "./tools/gradebox",
        "actions/upload-artifact",
    ]
    assert set(steps[1]["with"]) <= set(ACTION["inputs"])
    required = {name for name, value in ACTION["inputs"].items() if value.get("required")}
    assert required <= set(steps[1]["with"])
    assert set(re.findall(r"steps\.grade\.outputs\.([\w-]+)", str(steps))) <= set(ACTION["outputs"])
    assert "gradebox-reports/" in (ROOT / ".ci/action.sh").read_text("utf-8")
    assert ACTION["inputs"]["reports"]["default"] == "auto"


@pytest.mark.parametrize("name", ["inputs", "outputs"])
def test_the_page_names_every_input_and_output_of_the_action(name: str) -> None:
    (table,) = re.findall(
        rf"^\| {name.removesuffix('s')} \| meaning \|\n\|---\|---\|\n((?:\|.*\n)*)", PAGE, re.MULTILINE
    )
    assert re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE) == list(ACTION[name])


def commands() -> set[str]:
    """Return what the page and the examples show behind the name of the command or of its image."""
    found = set()
    for text in (PAGE, *(path.read_text("utf-8") for path in (ROOT / "docs/examples").iterdir())):
        # A variable may be any words.
        joined = re.sub(r"\\\n\s*", "", text).replace("...", "X").replace(" $GRADEBOX_OPTIONS", "")
        found |= set(
            re.findall(r"\b(?:grade|gradebox|gradebox-nested)\"? ((?:--?\w|images |report |doctor)[^`#|\n]*)", joined)
        )
    return found


def test_every_command_of_the_page_and_its_examples_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    """If an option of a line is misspelt or has gone, then asking for help with it is refused."""
    assert len(commands()) > 6
    for line in sorted(commands()):
        assert main.run([*line.split(), "--help"]) == 0, (line, capsys.readouterr().err)
