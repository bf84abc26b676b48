"""Suggests an image with the packages that the workspace of a case lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from gradebox.graders.cases.containers.image_documents import NPM, PIP
from gradebox.graders.documents.paths import open_regular
from gradebox.graders.model.case import Case

_MOST_BYTES = 64 * 1024


def suggested_image(case: Case) -> str:
    """Return an `image` line with the listed packages; empty if there are none, or the case has an image or setup.

    Only names and versions of packages are taken, without URLs, paths and options.
    """
    if case.image is not None or case.setup or case.workspace is None:
        return ""
    pip = tuple(_of_requirements(case.workspace / "requirements.txt"))
    npm = tuple(_of_package_json(case.workspace / "package.json"))
    named = [f"{tool}: {json.dumps(names)}" for tool, names in (("pip", pip), ("npm", npm)) if names]
    return f"image: {{base: {'python' if pip else 'node'}, {', '.join(named)}}}" if named else ""


def _of_requirements(file: Path) -> Iterator[str]:
    for line in _text(file).splitlines():
        name = line.partition("#")[0].partition(";")[0].strip()
        if PIP.fullmatch(name):
            yield name


def _of_package_json(file: Path) -> Iterator[str]:
    try:
        found = json.loads(_text(file) or "{}")
    except ValueError:
        return
    for key in ("dependencies", "devDependencies"):
        listed = found.get(key) if isinstance(found, dict) else None
        for name, version in (listed if isinstance(listed, dict) else {}).items():
            if NPM.fullmatch(f"{name}@{version}"):
                yield f"{name}@{version}"


def _text(file: Path) -> str:
    try:
        with open_regular(file) as stream:
            return stream.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
