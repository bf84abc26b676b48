"""The templates of the viewer, besides those of the HTML report, and its style sheet and scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, FunctionLoader

from gradebox.graders.reports.html_report.page import STYLES, environment, sources, template
from gradebox.graders.reports.viewer.addresses import run_path, to
from gradebox.graders.reports.viewer.viewer_server import Answer

_HERE = resources.files(__package__ or "")
_SCRIPT = "text/javascript; charset=utf-8"
_ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#1f6f5c'/>"
    "<path d='M4 8.5l3 3 5-6' fill='none' stroke='white' stroke-width='2'/></svg>"
)
# By the name in the address. Requests read no files from disk.
STATIC: Mapping[str, Answer] = {
    "view.css": Answer((sources(STYLES) + (_HERE / "view.css").read_text("utf-8")).encode(), "text/css; charset=utf-8"),
    "theme.js": Answer(sources(["theme.js"]).encode(), _SCRIPT),
    "view.js": Answer(((_HERE / "view.js").read_text("utf-8") + sources(["copy.js"])).encode(), _SCRIPT),
    "icon.svg": Answer(_ICON.encode(), "image/svg+xml"),
}


def render(name: str, **values: Any) -> str:
    return environment_of_viewer().get_template(name).render(**values)


@cache
def environment_of_viewer() -> Environment:
    """Return the Jinja environment with the templates of the viewer and of the report."""
    shared = environment()
    made = shared.overlay(loader=ChoiceLoader([FunctionLoader(_source), *([shared.loader] if shared.loader else [])]))
    made.globals = {**shared.globals, "to": to, "run_path": run_path}
    return made


def _source(name: str) -> str | None:
    place = _HERE / "templates" / name
    return template(place.read_text("utf-8")) if place.is_file() else None
