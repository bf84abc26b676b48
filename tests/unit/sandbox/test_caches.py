"""Where caches are, and that they can be removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.sandbox import caches


def test_the_cache_is_removed_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "other").touch()
    assert caches.remove() is None
    (caches.directory() / "oci" / "images").mkdir(parents=True)
    assert caches.remove() == tmp_path / "gradebox"
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_without_a_variable_it_is_below_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert caches.directory() == tmp_path / ".cache" / "gradebox"
