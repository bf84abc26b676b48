"""What the site is made of: pages whose links stay in it, and one file that says which there are and in what order."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).parents[3]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_of_docs", ROOT / ".ci" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = script()


@pytest.mark.parametrize(
    ("written", "page", "read"),
    [
        ("[a](b.md#c)", "index.md", "[a](b.md#c)"),
        ("[a](../index.md)", "how-to/x.md", "[a](../index.md)"),
        ("[all](../CHANGELOG.md#d)", "index.md", "all (`CHANGELOG.md`)"),
        ("[it](../../README.md)", "how-to/x.md", "it (`README.md`)"),
        ("[web](https://a.example/../b)", "index.md", "[web](https://a.example/../b)"),
    ],
)
def test_links_out_of_the_docs_are_words(written: str, page: str, read: str) -> None:
    assert SITE.inside(written, page) == read


def test_both_builders_read_the_pages_and_the_order_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SITE, "PAGES", tmp_path / "pages")
    SITE.prepare()
    assert "](../../README.md" not in (tmp_path / "pages/docs/how-to/use-it-from-python.md").read_text()
    assert (tmp_path / "pages/docs/pictures/terminal.svg").is_file()
    assert not (tmp_path / "pages/docs/man").exists()
    settings = yaml.safe_load((tmp_path / "pages/mkdocs.yml").read_text())
    assert settings["nav"][0] == {"Overview": "index.md"}
    assert all((tmp_path / "pages/docs" / name).is_file() for name in settings["extra_css"])


def test_no_picture_loads_anything() -> None:
    drawn = (ROOT / "docs/pictures/terminal.svg").read_text("utf-8")
    assert "@font-face" not in drawn
    assert "url(http" not in drawn
