"""The templates of the page, and the policy that allows only the page's own style sheet and script.

Templates escape every value, and an undefined name in one is an error. Line breaks and indentation in them are removed,
so that they can be formatted freely; a blank that the page needs must be within a line.

The policy has the hashes of style sheet and script (Content Security Policy Level 3, section 2.3.1), so that even
injected markup could neither run nor load anything.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports import wording
from gradebox.graders.reports.html_report.details import details_of
from gradebox.graders.reports.html_report.markup import lines, marked_lines, shown, trusted
from gradebox.graders.runs.evidence_log import evidence_directory

_HERE = resources.files(__package__ or "")
STYLES = ("page.css", "list.css", "case.css", "print.css")
SCRIPTS = ("theme.js", "copy.js", "page.js")
# How many pieces of a template are yielded together: about a kilobyte.
_PIECES = 100
_BREAK_AT_TAG = re.compile(r"(?<=[>}])\s*\n\s*|\s*\n\s*(?=[<{])")
_BREAK = re.compile(r"\s*\n\s*")
# A block with fewer lines never scrolls, even on a narrow page.
_STILL_LINES = 10
_FIRST_REASON_MAX = 140


def render(**values: Any) -> Iterator[str]:
    stream = environment().get_template("page.html.j2").stream(**values)
    stream.enable_buffering(_PIECES)
    yield from stream


@cache
def environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(_source), autoescape=True, undefined=StrictUndefined, finalize=shown, auto_reload=False
    )
    made.filters |= {"details": details_of, **{function.__name__: function for function in _FILTERS}}
    made.tests["long"] = is_long
    # The viewer replaces these values.
    made.globals |= {"href": _fragment, "folded": False, "with_run": False}
    made.globals |= {"statuses": wording.STATUSES, "newline": trusted("\n")}
    for kind, names in (("style", STYLES), ("script", SCRIPTS)):
        source = sources(names)
        digest = b64encode(sha256(source.encode()).digest()).decode()
        made.globals |= {kind: trusted(source), f"{kind}_hash": f"sha256-{digest}"}
    return made


def sources(names: Iterable[str]) -> str:
    """Return the concatenation of our style sheets or scripts."""
    return "".join((_HERE / name).read_text("utf-8") for name in names)


def template(written: str) -> str:
    """Return a template without its line breaks and indentation."""
    return _BREAK.sub(" ", _BREAK_AT_TAG.sub("", written.strip()))


def _source(name: str) -> str | None:
    place = _HERE / "templates" / name
    return template(place.read_text("utf-8")) if place.is_file() else None


def _fragment(verdict: VerdictDocument) -> str:
    return f"#{anchor(verdict)}"


def anchor(verdict: VerdictDocument) -> str:
    """Return the permalink of a verdict without its `#`: ASCII without blanks, and equal in every report."""
    place = evidence_directory(verdict.case, verdict.submission, verdict.target, verdict.repeat)
    return "case=" + "/".join(place.parts[1:]).replace(" ", "+")


def first_reason(verdict: VerdictDocument) -> str:
    """Return the first reason of a verdict, shortened. The article of the verdict has all reasons."""
    reason = verdict.reasons[0].partition("\n")[0] if verdict.reasons else ""
    return reason if len(reason) <= _FIRST_REASON_MAX else f"{reason[:_FIRST_REASON_MAX]}…"


def other_reasons(verdict: VerdictDocument) -> list[str]:
    """Return the reasons of a verdict without those about tampering, which the article lists elsewhere."""
    return [reason for reason in verdict.reasons if not reason.startswith("tampering (")]


def is_long(content: str) -> bool:
    """Return whether preformatted text may be long enough to scroll, so that it must be reachable by keyboard."""
    return content.count("\n") + len(content) / 80 >= _STILL_LINES


_FILTERS: tuple[Callable[..., Any], ...] = (
    anchor, first_reason, other_reasons, lines, marked_lines, wording.counted, wording.number, wording.of_limit,
    wording.percent, wording.score, wording.seconds, wording.status, wording.written,
)  # fmt: skip
