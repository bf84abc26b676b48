"""A case's setup on a real engine: what it was given does not stay for the submission to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.session import Sandbox

# The first check must not name what it looks for, or it would be given it.
CASE = r"""
setup: "cp grading/made built && sh helper.sh && mkdir -p deep/grading && touch deep/grading/own"
assertions:
  - name: without
    type: code-grader
    command: "test -f deep/grading/own && test \"$(ls -A | tr '\\n' ' ')\" = 'built deep kept '"
  - name: with
    type: code-grader
    command: ["test", "-f", "grading/secret"]
"""
FILES = {"grading/made": "", "grading/secret": "", "helper.sh": "true", "workspace/kept/helper.sh": ""}


def test_what_setup_was_given_is_gone_before_the_checks(engine: DockerEngine, tmp_path: Path) -> None:
    for name, content in {**FILES, "case.yaml": CASE}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    graded = Grader(engine=engine).grade(tmp_path)
    assert (graded.verdict.status, graded.verdict.score) == (Status.PASSED, 1.0), graded.verdict.checks


def test_paths_are_removed_exactly_and_nothing_of_the_same_name_elsewhere(sandbox: Sandbox) -> None:
    sandbox.put([file_entry(path, b"") for path in ("a/x", "b/a/x", "a-b", "c")])
    scrubbed = sandbox.scrub(["none"], paths=["a", "c", "missing/a"])
    assert set(scrubbed.paths) == {"a", "c"}
    assert {entry.path for entry in sandbox.get(["."], limit_bytes=100_000) if entry.kind == "file"} == {"b/a/x", "a-b"}


NETWORK = """
limits: {network: NETWORK}
setup: "ls /sys/class/net > interfaces && grep -q eth interfaces"
assert:
  - name: offline
    type: code-grader
    command: "grep -q eth interfaces && ! grep -q eth /proc/net/dev"
"""


@pytest.mark.parametrize(
    ("network", "status", "said"),
    [("setup", Status.PASSED, ""), ("bridge", Status.FAILED, ""), ("none", Status.ERROR, "grep -q eth interfaces")],
)
def test_with_a_network_for_setup_there_is_none_when_it_is_judged(
    engine: DockerEngine, tmp_path: Path, network: str, status: Status, said: str
) -> None:
    if not _has_a_bridge(engine):
        pytest.skip("The engine has no bridge network.")
    (tmp_path / "case.yaml").write_text(NETWORK.replace("NETWORK", network))
    graded = Grader(engine=engine).grade(tmp_path)
    assert graded.verdict.status is status, graded.verdict.reasons
    assert said in "".join(graded.verdict.reasons)


def test_without_setup_a_network_for_setup_is_none_at_all(engine: DockerEngine, tmp_path: Path) -> None:
    check = '{name: offline, type: code-grader, command: "! grep -q eth /proc/net/dev"}'
    (tmp_path / "case.yaml").write_text(f"limits: {{network: setup}}\nassert: [{check}]\n")
    graded = Grader(engine=engine).grade(tmp_path)
    assert graded.verdict.status is Status.PASSED, graded.verdict.reasons


def _has_a_bridge(engine: DockerEngine) -> bool:
    return any(network["Name"] == "bridge" for network in engine.images.client.networks())
