"""Go's tests: ``go test ./...``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.runner import File, Head, Runner, SourceText, is_installed

_INSIDE = Path(__file__).parent / "inside"
_WITNESS = Path(__file__).parents[1] / "inside" / "native" / "witness.sh"
_ADAPTER = SourceText((_WITNESS, _INSIDE / "go_test_adapter.sh"))
# Files that are added to Go's own packages. Our image already has them there.
_ADDED = tuple(
    File(SourceText((_INSIDE / f"gradebox_{package}.go",)), f".gradebox/gradebox_{package}.go")
    for package in ("goarch", "runtime", "testing")
)
# With these options Go runs no test, another program runs the tests, or the run never ends.
_NOT_ADAPTED = frozenset({"h", "help", "c", "n", "C", "list", "exec", "overlay", "toolexec", "fuzz"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``go test``, None for another command or one that runs no test."""
    if basename(words[0]) != "go" or not is_installed(words[0]) or list(words[1:2]) != ["test"]:
        return None
    options = (word.lstrip("-").partition("=")[0] for word in words[2:] if word.startswith("-"))
    if not _NOT_ADAPTED.isdisjoint(options):
        return None
    return Head(2, ("sh", "-c", _ADAPTER, words[0], *_ADDED))


RUNNER = Runner(
    name="go-test",
    language="go",
    recognise=recognise,
    shape="`go test ...`",
    words=r"go\s+test",
    sources=(_ADAPTER, *(file.source for file in _ADDED)),
    # It would redefine the sources of packages.
    control_files=(ControlFile("go.work"),),
    # `./...` has no packages of another module.
    bounds=("go.mod",),
)
