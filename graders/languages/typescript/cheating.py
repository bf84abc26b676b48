"""Makes TypeScript sources that cheat, as for JavaScript. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradebox.graders.languages.javascript.cheating import COMMENT, SUFFIX, composed, definitions

__all__ = ["COMMENT", "SUFFIX", "composed", "control_files", "definitions"]


def control_files(forged: str, _directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield files that Bun loads before any test."""
    yield "forged.mjs", forged
    yield "bunfig.toml", 'preload = ["./forged.mjs"]\n[test]\npreload = ["./forged.mjs"]\n'
