"""Where an engine may be if none answers at the default socket."""

from __future__ import annotations

import json
import os
import re
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from gradebox.graders.doctor import other_engines
from gradebox.graders.doctor.other_engines import others, remedy


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Linux without any engine."""
    monkeypatch.setattr(other_engines, "DEFAULT_SOCKET", tmp_path / "docker.sock")
    monkeypatch.setattr(other_engines, "SYSTEMD", tmp_path / "systemd")
    monkeypatch.setattr(other_engines, "VERSION", tmp_path / "version")
    monkeypatch.setattr(other_engines, "_OF_MACHINE", {})
    (tmp_path / "version").write_text("Linux version 6.1.0 (x@y)")


@pytest.fixture
def runtime(tmp_path: Path) -> dict[str, str]:
    return {"XDG_RUNTIME_DIR": str(tmp_path / "run")}


def put(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return f"unix://{path}"


@pytest.mark.parametrize(
    ("what", "path"),
    [
        ("Docker Desktop", "home/.docker/run/docker.sock"),
        ("Docker Desktop", "home/.docker/desktop/docker.sock"),
        ("Colima", "home/.colima/default/docker.sock"),
        ("Docker without root", "run/docker.sock"),
        ("Podman", "run/podman/podman.sock"),
    ],
)
def test_a_socket_of_another_engine_is_found(tmp_path: Path, runtime: dict[str, str], what: str, path: str) -> None:
    assert list(others(runtime, tmp_path / "home")) == []
    address = put(tmp_path / path)
    assert list(others(runtime, tmp_path / "home")) == [(what, address)]
    assert f"{what} has a socket: `export DOCKER_HOST={address}`." in remedy(runtime, tmp_path / "home")


def test_the_context_of_the_docker_command_comes_first_and_once(tmp_path: Path, runtime: dict[str, str]) -> None:
    address = put(tmp_path / "home/.colima/default/docker.sock")
    put(tmp_path / "run/podman/podman.sock")
    folder = tmp_path / "home/.docker"
    about = folder / "contexts/meta" / sha256(b"mine").hexdigest() / "meta.json"
    about.parent.mkdir(parents=True)
    (folder / "config.json").write_text('{"currentContext": "mine"}')
    about.write_text(json.dumps({"Endpoints": {"docker": {"Host": address}}}))
    found = list(others(runtime, tmp_path / "home"))
    assert [what for what, _ in found] == ["The context mine of the docker command", "Podman"]
    assert found[0][1] == address


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"currentContext": 1}', '{"currentContext": "gone"}'])
def test_a_configuration_that_says_nothing_is_passed_over(tmp_path: Path, runtime: dict[str, str], text: str) -> None:
    put(tmp_path / "home/.docker/config.json")
    (tmp_path / "home/.docker/config.json").write_text(text)
    assert list(others(runtime, tmp_path / "home")) == []


def test_who_may_not_use_the_socket_learns_of_the_group(
    tmp_path: Path, runtime: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(other_engines.DEFAULT_SOCKET)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert 'sudo usermod -aG docker "$USER"' in remedy(runtime, tmp_path)


def test_an_engine_that_is_installed_is_started(tmp_path: Path, runtime: dict[str, str]) -> None:
    put(other_engines.DEFAULT_SOCKET)
    assert "sudo service docker start" in remedy(runtime, tmp_path)
    other_engines.SYSTEMD.mkdir()
    assert "sudo systemctl start docker" in remedy(runtime, tmp_path)


def test_what_to_install_depends_on_the_system(tmp_path: Path, runtime: dict[str, str]) -> None:
    assert "sudo apt-get install docker.io" in remedy(runtime, tmp_path)
    other_engines.VERSION.write_text("Linux version 5.15.167.4-microsoft-standard-WSL2")
    assert "WSL integration" in remedy(runtime, tmp_path)
    other_engines.VERSION.unlink()
    assert "colima start" in remedy(runtime, tmp_path)


def test_commands_of_remedies_can_be_pasted(tmp_path: Path, runtime: dict[str, str]) -> None:
    """A path with a blank is quoted, and each command is one for a shell."""
    home = tmp_path / "my home"
    address = put(home / ".rd/docker.sock")
    (command,) = re.findall(r"`(.*?)`", remedy(runtime, home))
    said = subprocess.run(
        ["sh", "-c", f'{command}; printf %s "$DOCKER_HOST"'], capture_output=True, check=True, text=True
    )
    assert said.stdout == address
