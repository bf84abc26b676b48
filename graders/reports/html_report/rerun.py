"""The command lines that grade a case of a run again, and that show a verdict with its evidence. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.submissions.source import STDIN

# A command line that names more cases or submissions than this is not useful.
_NAMED = 20


class CommandLines:
    """The command lines for one run, quoted for a POSIX shell; `requested` is the run's record of its options."""

    def __init__(self, directory: PurePath, requested: Mapping[str, Any]) -> None:
        self._directory = directory
        self._requested = requested
        self._paths = {"case": _texts(requested.get("cases")), "submission": _texts(requested.get("submissions"))}
        self._by_name = {kind: _named(paths) for kind, paths in self._paths.items()}

    def grade_again(self, verdict: VerdictDocument) -> str | None:
        """Return the command that grades the submission for the case again.

        None if the record of the run lacks the data: the submission came from standard input, too many submissions are
        named to tell which it was, or another version wrote the record.
        """
        cases = self._fitting("case", verdict.case)
        submissions = self._fitting("submission", verdict.submission)
        if not cases or STDIN in submissions or max(len(cases), len(submissions)) > _NAMED:
            return None
        words = ["grade", *_options("--case", cases), "-k", _literal(verdict.case)]
        if self._requested.get("reference"):
            words.append("--reference")
        words += _options("--submission", submissions)
        for option in ("answers", "targets", "runtime"):
            words += _options(f"--{option}", _texts([self._requested.get(option)]))
        if self._requested.get("profile") not in (None, "default"):
            words += ["--profile", str(self._requested["profile"])]
        return shlex.join(words)

    def show(self, verdict: VerdictDocument) -> str:
        words = ["grade", "show", str(self._directory), verdict.case, "--submission", verdict.submission]
        words += _options("--target", _texts([verdict.target]))
        # Without `--repeat`, all repeats are printed.
        words += _options("--repeat", [str(verdict.repeat)] if verdict.repeat > 1 else [])
        return shlex.join(words)

    def _fitting(self, kind: str, name: str) -> list[str]:
        found = self._by_name[kind].get(name, ())
        return list(found) if len(found) == 1 else self._paths[kind]


def _named(paths: Iterable[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for path in paths:
        for name in (path, PurePath(path).name, PurePath(path).stem):
            names.setdefault(name, set()).add(path)
    return names


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []


def _options(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _literal(name: str) -> str:
    """Return a pattern that only this name matches (`documents.globs`)."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
