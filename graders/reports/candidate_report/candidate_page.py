"""The page for the candidate of one submission. Like `html_report`, it loads nothing and escapes all text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined

from gradebox.graders.reports.candidate_report.candidate_record import CandidateRecord
from gradebox.graders.reports.html_report.markup import lines, shown, trusted

_HERE = resources.files(__package__ or "") / "templates"


def candidate_page(name: str, records: Sequence[CandidateRecord], *more: str) -> str:
    """Return the page of a submission; `more` has sentences about all its results."""
    return _environment().get_template("candidate.html.j2").render(name=name, records=records, more=more)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: (_HERE / name).read_text("utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    style = (_HERE / "candidate.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    made.globals |= {"style": trusted(style), "style_hash": f"sha256-{digest}"}
    made.filters |= {"lines": lines, "marks": marks}
    return made


def marks(points: float | None, of: float | None) -> str:
    """Return points in words; empty if they must not be seen."""
    if of is None:
        return ""
    return f"{'-' if points is None else f'{points:.6g}'} of {of:.6g} points"
