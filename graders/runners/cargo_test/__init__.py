"""Rust's tests: ``cargo test``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.runner import File, Head, Runner, SourceText, is_installed

_NATIVE = Path(__file__).parents[1] / "inside" / "native"
_SHARED = tuple(_NATIVE / f"{name}.sh" for name in ("witness", "counted", "native"))
_ADAPTER = SourceText((*_SHARED, Path(__file__).parent / "inside" / "cargo_test_adapter.sh"))
_WITNESS = File(SourceText((_NATIVE / "gradebox_main.c",)), ".gradebox/gradebox_main.c")
# With these options cargo runs no test, or another program runs the tests.
_NOT_ADAPTED = frozenset({"-h", "--help", "--no-run", "--list", "--config", "--target", "-V", "--version"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``cargo test``, None for another command or one that runs no test."""
    if basename(words[0]) != "cargo" or not is_installed(words[0]) or list(words[1:2]) not in (["test"], ["t"]):
        return None
    if not _NOT_ADAPTED.isdisjoint(word.partition("=")[0] for word in words[2:]):
        return None
    return Head(2, ("sh", "-c", _ADAPTER, words[0], _WITNESS))


RUNNER = Runner(
    name="cargo-test",
    language="rust",
    recognise=recognise,
    shape="`cargo test ...`",
    words=r"cargo\s+test",
    sources=(_ADAPTER, _WITNESS.source),
    # It names the programs that compile and start others.
    control_files=(ControlFile(".cargo"),),
    # This program runs while tests are built.
    loads=("build.rs",),
)
