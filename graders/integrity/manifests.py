"""Manifests: files that list what a project needs and also configure its tests. Pure.

Such a file cannot be restored as a whole, since an honest submission may add a dependency. So the file is read as the
test runner reads it. The settings of test runners are then separated from the rest.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from gradebox.graders.documents import strict_json

MAX_BYTES = 128 * 1024
# The time to read dotted keys grows with the square of their length.
_DOTS = 200

_DESCRIPTIVE = frozenset(
    {
        "name", "version", "description", "keywords", "author", "authors", "maintainers", "license", "readme", "urls",
        "repository", "homepage", "classifiers", "engines", "packageManager", "requires-python", "compat",
        "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "optional-dependencies",
        "dependency-groups",
    }
)  # fmt: skip

_JAVASCRIPT_RUNNERS = ("jest", "mocha", "ava", "vitest", "tap", "bun")
# Tools whose settings can rewrite tests or load further code, as their own files can. Honest packages use them, too.
_TRANSLATORS = ("babel",)


def package(text: str) -> dict[str, Any] | None:
    """Return the content of a package.json; None if no runtime could read it."""
    try:
        # npm and Node's runners accept a byte order mark, which some editors write.
        document = strict_json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def with_settings_of(case: Mapping[str, Any], other: Mapping[str, Any], more: Iterable[str] = ()) -> dict[str, Any]:
    """Return a package with the case's scripts and runner settings, and everything else from the submission.

    `more` has further keys that configure the test runners in use.
    """
    steering = (*_JAVASCRIPT_RUNNERS, *_TRANSLATORS, *more)
    merged = {key: value for key, value in other.items() if key not in steering}
    merged |= {key: case[key] for key in steering if key in case}
    scripts, own = other.get("scripts"), case.get("scripts")
    if isinstance(own, dict):
        hooks = {f"{hook}{name}" for name in own for hook in ("pre", "post")}
        brought = scripts if isinstance(scripts, dict) else {}
        merged["scripts"] = {name: line for name, line in brought.items() if name not in hooks} | own
    return merged


def same_but_for_dependencies(name: str, one: str, other: str) -> bool:
    """Return whether two versions of a manifest differ only in descriptions and dependencies."""
    if any(line.count(".") > _DOTS for text in (one, other) for line in text.splitlines()):
        return False
    try:
        if name.endswith(".toml"):
            return _without(tomllib.loads(one)) == _without(tomllib.loads(other))
        return name == "package.json" and _without(json.loads(one)) == _without(json.loads(other))
    except (ValueError, RecursionError):
        return False


def _without(document: object) -> object:
    if not isinstance(document, dict):
        return document
    project = document.get("project")
    plain = {key: value for key, value in document.items() if key not in _DESCRIPTIVE and key != "project"}
    if isinstance(project, dict):
        plain["project"] = {key: value for key, value in project.items() if key not in _DESCRIPTIVE}
    return plain
