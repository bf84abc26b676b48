"""Writes what of the residual group no repository can hold."""

from __future__ import annotations

from pathlib import Path


def submission_is_a_link(directory: Path) -> Path:
    """A link that leads to the author's own solution."""
    link = directory / "work"
    link.symlink_to(Path(__file__).parent / "bases/files/reference")
    return link
