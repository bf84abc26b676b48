"""``grade view``: prints an address, serves what is there, and ends with Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fabricated import many
from index_bench import named_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.runs.index.index_database import INDEX

GRADE = "from gradebox.graders.cli.main import main; main()"


@pytest.mark.parametrize("of_one_run", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_address_is_printed_and_ctrl_c_ends_it(tmp_path: Path, of_one_run: bool, number: signal.Signals) -> None:
    directory = named_run(tmp_path, "a b", many(2))
    arguments = ["view", str(directory if of_one_run else tmp_path), "--no-open"]
    viewer = subprocess.Popen([sys.executable, "-c", GRADE, *arguments], stdout=-1, stderr=-1, text=True)
    try:
        assert viewer.stdout is not None
        address = urlsplit(viewer.stdout.readline().strip())
        assert address.hostname == "127.0.0.1"
        assert address.path == ("/run/a%20b" if of_one_run else "/")
        connection = HTTPConnection("127.0.0.1", address.port or 0, timeout=60)
        connection.request("GET", f"{address.path}?{address.query}")
        answer = connection.getresponse()
        assert answer.status == 200
        assert f"url={address.path}".encode() in answer.read()
        viewer.send_signal(number)
        _, said = viewer.communicate(timeout=60)
        assert viewer.returncode == ExitCode.PASSED
        assert said.endswith("ended\n")
        assert "Traceback" not in said
    finally:
        viewer.kill()
        viewer.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == [INDEX, "a b"]


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["view", str(tmp_path / "none")]) == ExitCode.USAGE
    assert "There is no directory" in capsys.readouterr().err


def test_a_port_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["view", str(tmp_path), "--port", "70000"]) == ExitCode.USAGE
    assert "--port must be at most 65535" in capsys.readouterr().err
