"""RSpec, started by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_HERE = Path(__file__).parent
_ADAPTER = SourceText((_HERE.parent / "inside" / "ruby" / "token.rb", _HERE / "inside" / "rspec_adapter.rb"))
_NOT_ADAPTED = frozenset({"-v", "--version", "-h", "--help", "--init", "--dry-run", "--bisect"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``rspec``, None for another command or one that runs no test."""
    options = {word.partition("=")[0] for word in words[1:]}
    if basename(words[0]) != "rspec" or not is_installed(words[0]) or not _NOT_ADAPTED.isdisjoint(options):
        return None
    return Head(1, ("ruby", "-e", _ADAPTER, "--"))


RUNNER = Runner(
    name="rspec",
    language="ruby",
    recognise=recognise,
    shape="`rspec ...`",
    words="rspec",
    sources=(_ADAPTER,),
    # These files have options for every run.
    control_files=(ControlFile(".rspec"), ControlFile(".rspec-local")),
)
