"""What this machine's engine grades is graded the same on Podman, over TCP, over ssh, and without a daemon.

Not a part of `make test`: `make engines` installs what is missing and runs this. Other engines that you have are tried
beside these when GRADEBOX_ENGINES names them, separated by blanks: one without root, one with users remapped, another
machine's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engines
import pytest

from gradebox.sandbox import owner
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.images.recipes import reference

GRADE = Path(sys.executable).with_name("grade")
ROOT = Path(__file__).parents[2]
CASE = (
    f"image: {reference('python')}\n"
    """\
limits: {memory: 64m, command_timeout_seconds: 30}
assertions:
  - {type: code-grader, name: tests, command: [python3, answer.py]}
"""
)
# What a submission does, and what becomes of it; nothing of it depends on the engine.
SUBMISSIONS = {
    "right": ("print('fine')", "passed"),
    "wrong": ("raise SystemExit(3)", "failed"),
    "loud": ("print('x' * 3_000_000); raise SystemExit(1)", "failed"),
    "greedy": ("x = bytearray(512 << 20)", "failed"),
    "connected": ("import socket; socket.create_connection(('192.0.2.1', 80), 5)", "failed"),
    "writing": ("open('/etc/x', 'w')", "failed"),
    "lasting": ("import os; os.fork() or (os.setsid(), os.fork() or __import__('time').sleep(60))", "passed"),
}


@pytest.fixture(
    scope="module", params=["podman", "tcp", "ssh", "oci://runc", *os.environ.get("GRADEBOX_ENGINES", "").split()]
)
def host(request: pytest.FixtureRequest) -> Iterator[str]:
    if "://" in request.param:
        if request.param.startswith("oci"):
            engines.needs("runc")
        else:
            engines.bring_images(request.param)
        yield request.param
        return
    with pytest.MonkeyPatch.context() as monkeypatch:
        server = engines.ssh(monkeypatch) if request.param == "ssh" else getattr(engines, request.param)()
        with server as address:
            yield address


def grade(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [GRADE, *map(str, arguments)], cwd=cwd, env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_the_engine_is_examined(host: str, tmp_path: Path) -> None:
    ran = grade("doctor", "--json", "--host", host, cwd=tmp_path)
    found: list[dict[str, Any]] = json.loads(ran.stdout)["findings"]
    broken = [finding for finding in found if finding["health"] == "broken"]
    assert not broken
    podman = "podman" in next(finding["message"] for finding in found if finding["name"] == "engine").lower()
    # The one thing that Podman cannot be asked for, and that is said.
    default = [finding for finding in found if finding["group"].startswith("sandbox, profile default")]
    assert {finding["name"] for finding in default if finding["health"] != "ok"} == (
        {"files", "not enforced"} if podman else set()
    )


def test_verdicts_are_the_same_and_nothing_is_left(host: str, tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(CASE)
    for name, (program, _) in SUBMISSIONS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "answer.py").write_text(program)
    ran = grade(
        "-c", "case.yaml", *(f"-s{name}" for name in SUBMISSIONS), "--json", "-j2", "--host", host, cwd=tmp_path
    )
    found = {verdict["submission"]: verdict for verdict in map(json.loads, ran.stdout.splitlines())}
    assert {name: found[name]["verdict"] for name in found} == {name: told for name, (_, told) in SUBMISSIONS.items()}
    assert found["greedy"]["checks"][0]["steps"][0]["ending"] == "out_of_memory"
    engine = connect(host)
    try:
        left = [one for one in engine.leftovers() if one.kind == "container"]
        assert not [one for one in left if one.labels.get(owner.LABEL_SESSION) == found["right"]["id"]]
        if "Podman" in engine.info().name:
            assert not left
            assert all("number of files" in " ".join(one["not_enforced"]) for one in found.values())
    finally:
        engine.close()


def test_a_shipped_case_passes(host: str, tmp_path: Path) -> None:
    ran = grade("--case", ROOT / "cases/add-auth", "--reference", "--host", host, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_podman_is_not_asked_for_a_runtime_that_it_would_ignore(host: str, tmp_path: Path) -> None:
    engine = connect(host)
    name, runtimes = engine.info().name, engine.info().runtimes
    engine.close()
    if "Podman" not in name:
        pytest.skip("a Docker Engine takes the runtime that a sandbox asks for")
    assert len(runtimes) == 1
    (tmp_path / "case.yaml").write_text(CASE)
    ran = grade("-c", "case.yaml", "--runtime", "runsc", "--host", host, cwd=tmp_path)
    assert ran.returncode == 2
    assert "The engine has no runtime runsc." in ran.stderr
