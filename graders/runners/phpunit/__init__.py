"""PHPUnit, started by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_ADAPTER = SourceText((Path(__file__).parent / "inside" / "phpunit_adapter.php",))
# With options that begin like this, PHPUnit runs no test.
_NOT_ADAPTED = ("--version", "--help", "-h", "--list-", "--generate-", "--migrate-", "--check-", "--atleast-")


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``phpunit``, None for another command or one that runs no test."""
    if basename(words[0]) != "phpunit" or not is_installed(words[0]):
        return None
    if any(word.startswith(_NOT_ADAPTED) for word in words[1:]):
        return None
    return Head(1, ("php", "-r", _ADAPTER, "--", words[0]))


RUNNER = Runner(
    name="phpunit",
    language="php",
    recognise=recognise,
    shape="`phpunit ...`",
    words="phpunit",
    sources=(_ADAPTER,),
    # These files have options for every run, and name the file that is loaded first.
    control_files=(ControlFile("phpunit.xml"), ControlFile("phpunit.xml.dist"), ControlFile("phpunit.dist.xml")),
    counts_as_its_report=True,
)
