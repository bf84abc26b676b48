"""Prepares a page before mkdocs makes a page of the site from it."""
# ruff: noqa: INP001 - a script that mkdocs loads by its path

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace links that lead out of docs/ by their words: the site holds no sources."""
    folder = posixpath.dirname(page.file.src_uri)

    def rewritten(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        return f"{link[1]} (`{target.removeprefix('../')}`)" if target.startswith("../") else link[0]

    return _LINK.sub(rewritten, markdown)
