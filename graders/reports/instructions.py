r"""What CI systems take for instructions in text that they show, and such text without any. Pure.

| in | instruction | who acts on it |
|---|---|---|
| a log | `::name ...::` at the beginning of a line, after blanks | GitHub, Gitea and Forgejo |
| a log | `##[name ...]`, `##vso[...]`, `##teamcity[...]`, anywhere | GitHub and Azure Pipelines, TeamCity |
| a log | `--- `, `+++ `, `~~~ `, `^^^ +++` at the beginning of a line | Buildkite, which only folds lines at them |
| JUnit | `[[ATTACHMENT|path]]`, `[[PROPERTY|name=value]]` | Jenkins, GitLab, Azure Pipelines; test management |

Others have control characters in them (`section_start:` of GitLab, the notes of Jenkins, the links of Buildkite), and
no report lets one pass. What is taken for one keeps its words: one of its characters is written as JSON may write it,
so that a line of JSON stays the same JSON.
"""

from __future__ import annotations

import re

_ANYWHERE = re.compile(r"##(?=[A-Za-z_-]*\[)")
# Blanks as GitHub's runner trims them, and more; a carriage return ends a line, too.
_AT_BEGIN = re.compile(r"(?:\A|(?<=[\r\n]))([^\S\r\n]*):(?=:)")
_GROUPS = re.compile(r"(?:\A|(?<=[\r\n]))((?:\x1b\[[0-9;]*m)*)(?:-(?=--\s)|\+(?=\+\+\s)|~(?=~~\s)|\^(?=\^\^\s+\+\+\+))")
_MARKER = re.compile(r"\[(?=\[\s*/?\s*[A-Za-z_-]+\s*[|\]])")


def inert(lines: str) -> str:
    """Return whole lines in which no log has a command."""
    return _AT_BEGIN.sub(r"\1\\u003a", _ANYWHERE.sub(r"#\\u0023", lines))


def ungrouped(lines: str) -> str:
    """Return whole lines at which no log is folded."""
    return _GROUPS.sub(lambda found: f"{found[1]}\\u{ord(found[0][-1]):04x}", lines)


def unmarked(text: str) -> str:
    """Return text in which no reader of JUnit files finds the name of a file to read, or a property."""
    return _MARKER.sub(r"\\u005b", text)
