"""Testthat, of R: ``Rscript -e 'testthat::test_dir("DIR")'``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_ADAPTER = SourceText((Path(__file__).parent / "inside" / "testthat_adapter.sh",))
_OPTION = re.compile(r"--(?:vanilla|no-environ|no-site-file|no-init-file|no-save|no-restore|quiet|slave|no-echo)")
_CALL = re.compile(
    r"\s*(?:library\((['\"]?)testthat\1\)\s*;\s*)?(?:testthat::)?test_(?:dir|file)\(\s*"
    r"(['\"])(?P<path>[^'\"]+)\2[^;]*\)\s*;?\s*"
)


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``Rscript`` with a call of testthat, None for another command."""
    *options, option, call = words[1:] if len(words) > 2 else ("", "")
    found = _CALL.fullmatch(call)
    if basename(words[0]) != "Rscript" or not is_installed(words[0]) or option != "-e" or found is None:
        return None
    if not all(map(_OPTION.fullmatch, options)):
        return None
    return Head(len(words) - 1, ("sh", "-c", _ADAPTER, words[0], *options, "/dev/fd/8"), mentions=(found["path"],))


RUNNER = Runner(
    name="testthat",
    language="r",
    recognise=recognise,
    shape="`Rscript -e 'testthat::test_dir(...)'`",
    words="",
    sources=(_ADAPTER,),
)
