"""What the unit tests share: files, cases loaded from text, and a command line with an engine in memory behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from world import World

from gradebox.graders.cases import Loaded, load
from gradebox.graders.model.case import Case
from gradebox.sandbox.engines import docker

Tree = Callable[[Mapping[str, str | bytes]], Path]
LoadText = Callable[..., Loaded]

CHECK = "assertions: [{type: code-grader, command: [make, test]}]\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files by their relative path; a path that ends in a slash is an empty directory."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            if name.endswith("/"):
                file.mkdir(parents=True, exist_ok=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path

    return write


@pytest.fixture
def load_text(tree: Tree) -> LoadText:
    """Load a case.yaml, in a directory called `example`, from its text."""

    def load_it(text: str | bytes, **environ: str) -> Loaded:
        root = tree({"example/case.yaml": text})
        return load(root / "example", environ=environ)

    return load_it


@pytest.fixture
def case_of(load_text: LoadText) -> Callable[..., Case]:
    """Load a case.yaml that must be sound."""

    def load_it(text: str, **environ: str) -> Case:
        loaded = load_text(text, **environ)
        assert not loaded.diagnostics, "\n".join(map(str, loaded.diagnostics))
        (case,) = loaded.cases
        return case

    return load_it


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    """A working directory with cases and submissions, and an engine behind the command line."""
    monkeypatch.chdir(tmp_path)
    world = World()
    monkeypatch.setattr(docker, "connect", lambda *_: FakeEngine(world))
    return world
