"""Finds the images of cases that no case needs any more, as far as this machine can tell."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gradebox.graders.errors import GraderError
from gradebox.graders.grading.case_images.case_images import CaseImages
from gradebox.graders.grading.image_choice import with_services
from gradebox.graders.model.case import Case
from gradebox.sandbox.engines.engine import Images
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.images import described_image


def unused(images: Images, current: CaseImages, cases_of: Callable[[Path], Iterable[Case]]) -> Iterator[str]:
    """Yield the names of images whose case is gone, or now describes another image.

    Images that other machines built are left out, as are undecidable ones.

    Args:
        images: The images of the engine.
        current: Knows the current name of a case's image.
        cases_of: Loads the cases of a file; none if the file has mistakes.
    """
    known: dict[str, set[str] | None] = {}
    for name, image in described_image.listed(images).items():
        source = image.labels[described_image.LABEL_SOURCE]
        if image.labels.get(described_image.LABEL_MACHINE) != platform.node():
            continue
        if source not in known:
            known[source] = _needed(Path(source), current, cases_of)
        if (needed := known[source]) is not None and name not in needed:
            yield name


def _needed(source: Path, current: CaseImages, cases_of: Callable[[Path], Iterable[Case]]) -> set[str] | None:
    """Return the names that the cases of a file need; None if that is unknown."""
    if not source.exists():
        return set()
    try:
        # Without images here, a suite may set the image of these cases, so that nothing is known.
        needed = (one for case in cases_of(source) for one in with_services(case))
        return {name for one in needed if (name := current.current_name(one))} or None
    except (GraderError, SandboxError, OSError):
        return None
