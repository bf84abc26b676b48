"""The commands that grade a case of a run again, and that show all that is known of it. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from graders.model.verdict_document import VerdictDocument
from graders.submissions.source import STDIN

# A command line that names more than so many cases or submissions is no help.
_NAMED = 20


class Commands:
    """The command lines for one run, quoted for a POSIX shell.

    Args:
        directory: Of the run.
        asked: What the run was asked to do, by its record.
    """

    def __init__(self, directory: PurePath, asked: Mapping[str, Any]) -> None:
        self._directory = directory
        self._asked = asked
        self._cases = _texts(asked.get("cases"))
        self._submissions = _texts(asked.get("submissions"))
        self._by_name = {"case": _named(self._cases), "submission": _named(self._submissions)}

    def rerun(self, verdict: VerdictDocument) -> str | None:
        """Return what grades the same once more.

        None where the record of the run does not say enough: the submission came from standard input, too many are
        named to tell which it was, or another version wrote it.
        """
        cases = self._those("case", self._cases, verdict.case)
        submissions = self._those("submission", self._submissions, verdict.submission)
        if not cases or STDIN in submissions or max(len(cases), len(submissions)) > _NAMED:
            return None
        words = ["grade", *_options("--case", cases), "-k", _literal(verdict.case)]
        if self._asked.get("reference"):
            words.append("--reference")
        words += _options("--submission", submissions)
        for option in ("answers", "targets", "runtime"):
            words += _options(f"--{option}", _texts([self._asked.get(option)]))
        if self._asked.get("profile") not in (None, "default"):
            words += ["--profile", str(self._asked["profile"])]
        return shlex.join(words)

    def show(self, verdict: VerdictDocument) -> str:
        """Return what prints everything that the run knows of a verdict."""
        words = ["grade", "show", str(self._directory), verdict.case, "--submission", verdict.submission]
        words += _options("--target", _texts([verdict.target]))
        # Without it, all repeats are printed.
        words += _options("--repeat", [str(verdict.repeat)] if verdict.repeat > 1 else [])
        return shlex.join(words)

    def _those(self, kind: str, paths: list[str], name: str) -> list[str]:
        found = self._by_name[kind].get(name, ())
        return list(found) if len(found) == 1 else paths


def _named(paths: Iterable[str]) -> dict[str, set[str]]:
    """Return which paths go by which names."""
    names: dict[str, set[str]] = {}
    for path in paths:
        place = PurePath(path)
        for name in {path, place.name, place.stem}:
            names.setdefault(name, set()).add(path)
    return names


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []


def _options(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _literal(name: str) -> str:
    """Return a pattern that only this name matches (`fnmatch`)."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
