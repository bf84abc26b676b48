"""``grade schema``: a JSON Schema for each kind of document, and the same fields as Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode


@pytest.mark.parametrize("kind", ["case", "suite", "verdict"])
def test_a_schema_is_draft_07(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", kind]) == ExitCode.PASSED
    found = json.loads(capsys.readouterr().out)
    assert found["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert kind in found["title"]


def test_the_fields_can_be_had_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "--markdown"]) == ExitCode.PASSED
    assert "| `protect` |" in capsys.readouterr().out


def test_schemas_are_installed_for_editors(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["schema", "--install"]) == ExitCode.PASSED
    assert "Neovim" in capsys.readouterr().out
    assert (tmp_path / ".gradebox/case.schema.json").is_file()
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".vscode/settings.json").unlink()
    (tmp_path / ".vscode").rmdir()
    (tmp_path / ".vscode").touch()
    assert run(["schema", "--install"]) == ExitCode.USAGE
