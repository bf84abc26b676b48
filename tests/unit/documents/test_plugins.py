"""Plug-ins of a package and of entry points: found in order, imported when used, and named when broken."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.graders.documents import plugins as under_test
from gradebox.graders.documents.plugins import plugins
from gradebox.graders.errors import GraderError


def forget() -> None:
    under_test._found.cache_clear()
    under_test._entry_points.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "shipped_kinds"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "second.py").write_text("NAME = 'second'\n")
    (package / "first.py").write_text("NAME = 'first'\n")
    (package / "_private.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield tmp_path
    forget()
    for name in [name for name in sys.modules if name.startswith("shipped_kinds")]:
        del sys.modules[name]


def distribution(site: Path, name: str, entry: str) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gradebox.test_kinds]\n{entry}\n")


def test_modules_are_found_in_order_of_their_names_and_imported_when_used(site: Path) -> None:
    found = plugins("shipped_kinds", "gradebox.test_kinds")
    assert list(found) == ["first", "second"]
    assert "shipped_kinds.first" not in sys.modules
    assert found["first"].load().NAME == "first"
    assert plugins(sys.modules["shipped_kinds"], "gradebox.test_kinds") == found


def test_an_entry_point_of_another_distribution_is_found(site: Path) -> None:
    distribution(site, "elsewhere", "another = json:dumps")
    found = plugins("shipped_kinds", "gradebox.test_kinds")
    assert list(found) == ["another", "first", "second"]
    assert found["another"].load()([1]) == "[1]"
    assert found["another"].origin == "the distribution elsewhere"


def test_no_distribution_replaces_what_is_shipped(site: Path) -> None:
    distribution(site, "elsewhere", "first = json:dumps")
    assert plugins("shipped_kinds", "gradebox.test_kinds")["first"].load().NAME == "first"


def test_an_entry_point_of_gradebox_itself_is_no_less_its_own(site: Path) -> None:
    distribution(site, "gradebox-itself", "same = gradebox.graders.model")
    distribution(site, "elsewhere", "same = json:dumps")
    assert plugins(None, "gradebox.test_kinds")["same"].load().__name__ == "gradebox.graders.model"


def test_a_plugin_that_cannot_be_imported_is_an_error_that_names_its_distribution(site: Path) -> None:
    distribution(site, "broken-grader", "broken = shipped_kinds._private:kind")
    found = plugins("shipped_kinds", "gradebox.test_kinds")
    with pytest.raises(GraderError) as caught:
        found["broken"].load()
    assert str(caught.value) == (
        "The plug-in 'broken' (gradebox.test_kinds, shipped_kinds._private:kind) of the distribution broken-grader "
        "cannot be loaded: RuntimeError: imported. Update or uninstall that distribution."
    )


def test_two_distributions_with_one_name_are_an_error(site: Path) -> None:
    distribution(site, "one", "same = json:dumps")
    distribution(site, "other", "same = json:loads")
    with pytest.raises(GraderError, match="are called 'same'"):
        plugins("shipped_kinds", "gradebox.test_kinds")
