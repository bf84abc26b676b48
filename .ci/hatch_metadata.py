"""Make the page of a package index from README.md.

The address of the repository is part of a release and not of the sources: everybody may keep a copy.

    GRADEBOX_URL=https://git.example.org/us/gradebox    links of README lead to the files of this version there

Without an address, or if it is not of the web, the words of these links remain, and lead nowhere. A wheel that is built
from a source distribution has what that says.
"""
# ruff: noqa: INP001 - a script that the build back end loads by its path

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


class IndexPageHook(MetadataHookInterface):
    """Set `readme`, and `urls` if the address is known."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both to the table `project`."""
        url = os.environ.get("GRADEBOX_URL", "").rstrip("/")
        if url and not re.match(r"https?://", url):
            raise ValueError(
                f"GRADEBOX_URL is the address of a page, such as https://git.example.org/us/it, not {url}."
            )
        files = f"{url}/blob/v{metadata['version']}" if url else ""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_links(text, files)}
        if url:
            metadata["urls"] = {
                "Homepage": url,
                "Documentation": f"{files}/docs/index.md",
                "Changes": f"{files}/CHANGELOG.md",
                "Security": f"{files}/SECURITY.md",
                "Source": url,
            }


def with_links(text: str, files: str) -> str:
    """Return markdown whose relative links lead below an address. If it is empty, they are words, and pictures nothing.

    A picture itself is at `raw` where a page about it is at `blob`.
    """

    def rewritten(link: re.Match[str]) -> str:
        picture, words, target, place = link[1], link[2], link[3], link[4] or ""
        if "://" in target:
            return link[0]
        if picture:
            return f"![{words}]({files.replace('/blob/', '/raw/')}/{target})" if files else ""
        return f"[{words}]({files}/{target}{place})" if files else words

    parts = _CODE.split(text)
    return "".join(part if part.startswith("```") else _LINK.sub(rewritten, part) for part in parts)
