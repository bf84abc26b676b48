"""The token is sent once, and by its process alone."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from host_runner import PYTHON, run

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside
from gradebox.graders.languages.python.inside.guard import guard

GUARD = bundle(inside("python") / "guard.py")


def test_the_report_has_the_token_and_the_status_is_that_of_the_end(tmp_path: Path) -> None:
    source = f"{GUARD}\ntools = guard()\ntools.hold([tools.read_line()])(([(0, tools.line('done', '1  0'))], 7))\n"
    ran = run([PYTHON, "-I", "-c", source], tmp_path, b"abcd\nrest")
    assert (ran.status, ran.report) == (7, b"abcd done 1 0\n")


def test_a_forked_child_sends_nothing(tmp_path: Path) -> None:
    source = f"{GUARD}\nimport os\nsend = guard().hold([b'abcd'])\nos.fork() and os.wait()\nsend(([(0, b' x')], 0))\n"
    assert run([PYTHON, "-I", "-c", source], tmp_path).report == b"abcd x\n"


def test_a_line_is_short_and_one_line() -> None:
    assert guard().line("control", "a\nb  c") == b" control a b c"
    assert len(guard().line("control", "x" * 1000)) == len(" control ") + 300


def test_what_lies_in_a_package_of_the_runner_is_the_runners(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, path in {"runner_a": "/workspace/src/runner_a/__init__.py", "runner_b": "/workspace/runner_b.py"}.items():
        module = ModuleType(name)
        module.__file__ = path
        monkeypatch.setitem(sys.modules, name, module)
    tools = guard()
    tools.own("runner_a", "runner_b", "nothing")
    assert tools.is_runners("/workspace/src/runner_a/deep/part.py")
    assert not tools.is_runners("/workspace/slug.py")
