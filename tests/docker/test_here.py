"""`here://` in a plain container, and in one that may make namespaces. Nothing of it runs on this machine itself.

The container gets the package `sandbox` with the supervisor, and here_inside.py, which says what happened.
"""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from gradebox import sandbox
from gradebox.sandbox import supervisor_build
from gradebox.sandbox.engines.docker.container_request import CAPABILITIES
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

PLAIN, OWN = "plain", "namespaces"
LACKS = {PLAIN: ["files", "processes", "ipc", "limits"], OWN: []}


def files(architecture: str) -> bytes:
    """Return an archive of the package and the script."""
    package, inside = Path(sandbox.__file__).parent, Path(__file__).with_name("here_inside.py")
    found = [(f"gb/gradebox/sandbox/{path.relative_to(package)}", path.read_bytes()) for path in package.rglob("*.py")]
    binary = (f"gb/gradebox/sandbox/supervisor/bin/supervisor-{architecture}", supervisor_build.binary(architecture))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        more = (("gb/gradebox/__init__.py", b""), ("gb/inside.py", inside.read_bytes()))
        for name, content in (*found, binary, *more):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture(scope="module", params=[PLAIN, OWN])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def found(engine: DockerEngine, python_image: str, kind: str) -> dict[str, Any]:
    client = engine.images.client
    may = {"cap_drop": ["ALL"], "cap_add": list(CAPABILITIES)}
    if kind == OWN:
        may = {"cap_add": ["SYS_ADMIN", "NET_ADMIN"], "security_opt": ["seccomp=unconfined", "apparmor=unconfined"]}
    settings = client.create_host_config(network_mode="none", init=True, **may)
    container = client.create_container(
        python_image,
        ["/gb/inside.py"],
        entrypoint=["python3"],
        user="0",
        environment={"PYTHONPATH": "/gb", "PYTHONDONTWRITEBYTECODE": "1"},
        host_config=settings,
    )["Id"]
    try:
        client.put_archive(container, "/", files(engine.info().architecture))
        client.start(container)
        client.wait(container, timeout=180)
        output = client.logs(container, stdout=True, stderr=False)
        assert output, client.logs(container).decode()
        result: dict[str, Any] = json.loads(output)
        return result
    finally:
        client.remove_container(container, force=True, v=True)


def test_missing_walls_are_an_error_unless_they_are_accepted(found: dict[str, Any], kind: str) -> None:
    assert found["lacks"] == LACKS[kind]
    assert found["gaps"] == len(LACKS[kind])
    assert found["refused"].endswith(f"--accept-weaker {','.join(LACKS[kind])}." if LACKS[kind] else "")
    assert (found["processors"] == 1) or kind == OWN


def test_a_command_has_a_user_without_rights(found: dict[str, Any]) -> None:
    seen = found["rights"]
    assert seen["uids"]
    assert seen["refused"]
    assert seen["settings"]
    assert seen["words"] == ["CapEff:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2", "/workspace", "/tmp/home"]


def test_nothing_of_a_command_is_left_for_the_next_one(found: dict[str, Any], kind: str) -> None:
    seen = found["reset"]
    assert seen["exit"] == 3
    assert seen["killed"] == 2
    assert seen["living"] == 0
    others = {PLAIN: ["of-others"], OWN: []}[kind]
    mine = ["text", ".:", "given", "/dev/shm:", *others, "/tmp:", "home", *others, "/tmp/home:", "/var/tmp:", *others]
    assert seen["after"] == mine


def test_limits_hold_with_and_without_a_cgroup(found: dict[str, Any]) -> None:
    assert found["limits"] == {"late": "timed_out", "many": True, "hungry": True, "living": 0}


def test_a_grader_starts_candidates(found: dict[str, Any]) -> None:
    names = ["removed", "mine", "removed", "lent", "removed"]
    assert found["apart"]["words"] == ["answer", "FIRST", "1", *names], found["apart"]


def test_files_of_the_case_are_hidden_or_reported(found: dict[str, Any], kind: str) -> None:
    plain = kind == PLAIN
    assert found["hidden"] == {"read": "42" if plain else "", "lacks": plain, "closed": True}


def test_a_killed_client_leaves_no_process(found: dict[str, Any]) -> None:
    assert found["crash"] == {"before": True, "living": 0, "removed": True}


def test_what_is_not_ours_is_left_alone(found: dict[str, Any], kind: str) -> None:
    assert found["taken"]
    assert found["groups"] == []
    assert found["bystander"]
    assert found["others"]
    assert found["left"] == [*(["workspace"] if kind == PLAIN else []), "of-others"]
