"""What is given to the browser holds no secret, and nobody else can read where the secret lies."""

from __future__ import annotations

import stat
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from gradebox.graders.cli.browser import open_file, opened_privately


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the browser was given."""
    given: list[str] = []

    def open_(address: str) -> bool:
        given.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", open_)
    return given


def test_a_file_is_opened_by_its_address(opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_file(Path("a b.html")) == ""
    assert opened == [f"{tmp_path.as_uri()}/a%20b.html"]


def test_a_secret_lies_in_a_file_of_this_user_alone(opened: list[str]) -> None:
    secret = 'http://127.0.0.1:1/?token=s3cret&"x'
    with opened_privately(secret) as problem:
        assert problem == ""
        assert "s3cret" not in opened[0]
        file = Path(unquote(urlsplit(opened[0]).path))
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert "token=s3cret&amp;&quot;x" in file.read_text()
    assert not file.parent.exists()


def test_nothing_is_opened_unless_it_is_wanted(opened: list[str]) -> None:
    with opened_privately("") as problem:
        assert problem == ""
    assert opened == []


def test_a_machine_without_a_browser_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert "no browser" in open_file(tmp_path)

    def broken(_: str) -> bool:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "open", broken)
    with opened_privately("http://x") as problem:
        assert "no browser" in problem
