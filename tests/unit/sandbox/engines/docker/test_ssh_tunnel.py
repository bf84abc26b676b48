"""The way to an engine behind ssh: which command is run, and what is said when it does not get there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gradebox.graders import Grader, doctor
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.sandbox.engines.docker import ssh_tunnel
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.docker.ssh_tunnel import Tunnel, command
from gradebox.sandbox.errors import EngineUnavailable

# Makes the socket that it is told to make, then does what the real one would do on the other side.
CONNECTS = '#!/bin/sh\nfor word; do case $word in -L*) path=${word#-L}; touch "${path%%:*}" ;; esac; done\nexec cat\n'
REFUSED = "#!/bin/sh\necho 'a warning' >&2\necho 'me@there: Permission denied (publickey).' >&2\nexit 255\n"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    program = tmp_path / "ssh"
    program.touch(0o755)
    return program


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ssh://there", ["-Lx:/var/run/docker.sock", "--", "there", "cat"]),
        ("ssh://me@there:2222/", ["-Lx:/var/run/docker.sock", "-lme", "-p2222", "--", "there", "cat"]),
        ("ssh://there/run/podman/podman.sock", ["-Lx:/run/podman/podman.sock", "--", "there", "cat"]),
        ("ssh://-oProxyCommand=x@there", ["-Lx:/var/run/docker.sock", "-l-oProxyCommand=x", "--", "there", "cat"]),
    ],
)
def test_an_address_becomes_a_command(address: str, words: list[str]) -> None:
    found = command(address, Path("x"))
    assert found[:2] == ["ssh", "-T"]
    assert "-oBatchMode=yes" in found
    assert found[-len(words) :] == words


@pytest.mark.parametrize(
    "address",
    ["ssh://", "ssh://-oProxyCommand=x", "ssh://me:secret@there", "ssh://there:x", "ssh://there?a", "ssh://["],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(EngineUnavailable, match="is not a valid ssh address"):
        command(address, Path("x"))


def test_it_is_opened_once_and_again_when_it_broke(ssh: Path) -> None:
    ssh.write_text(CONNECTS)
    tunnel = Tunnel("ssh://there")
    first = tunnel.url()
    assert Path(first.removeprefix("unix://")).exists()
    assert tunnel.url() == first
    assert tunnel._process is not None
    tunnel._process.kill()
    tunnel._process.wait()
    second = tunnel.url()
    assert second != first
    tunnel.close()
    tunnel.close()
    assert not list(ssh.parent.glob("gradebox-*"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (REFUSED, r"No engine can be reached at ssh://there: me@there: Permission denied \(publickey\)\."),
        ("#!/bin/sh\n", "ssh://there: no answer"),
        ("#!/nowhere\n", "ssh cannot be started: No such file or directory"),
    ],
)
def test_what_ssh_says_is_told(ssh: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str) -> None:
    ssh.write_text(script)
    if "nowhere" in script:
        # Else the next one on the path would do.
        monkeypatch.setenv("PATH", str(ssh.parent))
    with pytest.raises(EngineUnavailable, match=message) as refused:
        DockerEngine("ssh://there").info()
    assert refused.value.remedy
    with pytest.raises(EngineUnavailable) as refused:
        DockerEngine("ssh://me@there:2222").info()
    assert "nowhere" in script or "`ssh -oBatchMode=yes -lme -p2222 there true`" in refused.value.remedy
    assert not list(ssh.parent.glob("gradebox-*"))


def test_whoever_does_not_answer_is_not_waited_for(ssh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh.write_text("#!/bin/sh\nexec cat\n")
    monkeypatch.setattr(ssh_tunnel, "PATIENCE_SECONDS", 0.1)
    with pytest.raises(EngineUnavailable, match="no answer"):
        Tunnel("ssh://there").url()


def test_it_ends_with_its_process_however_that_ends(ssh: Path) -> None:
    ssh.write_text(CONNECTS.replace("sh\n", f"sh\necho $$ > {ssh.parent}/pid\n", 1))
    program = (
        "import os\nfrom gradebox.sandbox.engines.docker.ssh_tunnel import Tunnel\n"
        "Tunnel('ssh://there').url()\nos.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program], check=False)
    pid = int((ssh.parent / "pid").read_text())
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _list_images(host: str) -> None:
    assert run(["images", "list", "--host", host]) == ExitCode.NOT_GRADED


@pytest.mark.parametrize("use", [lambda host: Grader(host=host).engine, _list_images, doctor.examine])
def test_nothing_is_left_where_no_engine_answers_behind_it(ssh: Path, use: Callable[[str], object]) -> None:
    ssh.write_text(CONNECTS)
    with suppress(EngineUnavailable):
        use("ssh://there")
    assert not list(ssh.parent.glob("gradebox-*"))
