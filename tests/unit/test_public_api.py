"""`import gradebox` is the public API: it has what `graders` exports, a version, and takes no time to import."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import gradebox
import pytest

import graders

ROOT = Path(__file__).parents[2]


def test_everything_that_graders_exports_is_public() -> None:
    assert set(gradebox.__all__) == {*graders.__all__, "__version__"}
    assert {name: getattr(gradebox, name) for name in graders.__all__} == {
        name: getattr(graders, name) for name in graders.__all__
    }
    assert set(dir(gradebox)) == set(gradebox.__all__)


def test_what_it_raises_is_public() -> None:
    assert issubclass(gradebox.EngineUnavailable, gradebox.SandboxError)
    for refused in (gradebox.CaseRefused, gradebox.SubmissionRefused, gradebox.UsageRefused):
        assert issubclass(refused, gradebox.GraderError)


def test_the_version_is_the_installed_one() -> None:
    assert gradebox.__version__ == version("gradebox")


def test_anything_else_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'gradebox' has no attribute 'nothing'"):
        _ = gradebox.nothing


def test_importing_it_imports_no_library() -> None:
    program = "import gradebox, sys; print(*sorted({'pydantic', 'docker', 'yaml', 'rich', 'typer'} & set(sys.modules)))"
    path = f"{ROOT / 'graders' / 'public'}:{ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": path}, check=True, capture_output=True, text=True
    )
    assert done.stdout == "\n"
