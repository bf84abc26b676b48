"""The page around everything: one file, one style sheet, one script, and a policy that allows nothing else.

The policy names the hashes of the two (Content Security Policy Level 3, section 2.3.1), so that even markup that got
into the page could neither run nor load anything.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources

from graders.reports.html_report.markup import (
    Html,
    element,
    joined,
    trusted,
)

_STYLES = ("page.css", "list.css", "case.css", "print.css")
_SCRIPTS = ("theme.js", "page.js")
# Without one, browsers ask the server of the page for it.
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' "
    "rx='4' fill='%231f6f5c'/%3E%3Cpath d='M4 8.5l3 3 5-6' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E"
)


def head(title: str) -> Html:
    """Return everything before the body."""
    style, script = _asset(_STYLES), _asset(_SCRIPTS)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return joined(
        Html("<!DOCTYPE html>\n"),
        Html('<html lang="en">'),
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="referrer", content="no-referrer"),
            element("meta", name="color-scheme", content="light dark"),
            element("title", title),
            element("link", rel="icon", href=_ICON),
            element("style", trusted(style)),
            element("script", trusted(script)),
        ),
    )


def _hash(source: str) -> str:
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


@cache
def _asset(names: tuple[str, ...]) -> str:
    here = resources.files(__package__ or "")
    return "".join((here / name).read_text("utf-8") for name in names)
