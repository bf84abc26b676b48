"""Build the site of docs/ with mkdocs, and with zensical, which continues mkdocs-material. A broken link is an error.

build/pages/      docs/ and .ci/mkdocs.yml as both read them: links that lead out of docs/ are their words
build/site/       the site, by mkdocs
build/pages/site/ the same by zensical, which writes only below its configuration
"""
# ruff: noqa: INP001 - a script

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def inside(markdown: str, page: str) -> str:
    """Return a page whose links out of docs/ are their words: the site holds no sources. `page` is its path there."""

    def rewritten(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
        return f"{link[1]} (`{target.removeprefix('../')}`)" if target.startswith("../") else link[0]

    return _LINK.sub(rewritten, markdown)


def prepare() -> None:
    """Make `build/pages`."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES / "docs", ignore=shutil.ignore_patterns("man"))
    for path in (PAGES / "docs").rglob("*.md"):
        path.write_text(inside(path.read_text("utf-8"), path.relative_to(PAGES / "docs").as_posix()), "utf-8")
    shutil.copy(ROOT / ".ci" / "mkdocs.yml", PAGES)
    shutil.copy(ROOT / ".ci" / "site.css", PAGES / "docs")


def main() -> int:
    """Return what the first builder that fails ends with."""
    prepare()
    programs = Path(sys.executable).parent
    for command in (
        (programs / "mkdocs", "build", "--strict", "--site-dir", SITE),
        (programs / "zensical", "build", "--strict", "--clean"),
    ):
        print(f"==> {command[0].name}", flush=True)
        ended = subprocess.run(command, cwd=PAGES, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False)
        if ended.returncode:
            return ended.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
