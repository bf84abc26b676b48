"""Searches a case's image, environment and workspace for its answer, and turns leaks into findings."""

from __future__ import annotations

import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby

from gradebox.graders.authoring.leaks.hidden import Hidden, hidden_of
from gradebox.graders.authoring.leaks.search import (
    MOST_FILE_BYTES,
    Searched,
    search_environment,
    search_files,
    search_image,
)
from gradebox.graders.authoring.quality_gradings import Level, QualityFinding
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.graders.model.case import Case
from gradebox.graders.model.tree import content
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox import owner
from gradebox.sandbox.engines.engine import Engine, ImageInfo
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.images import recipes
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import DEFAULT_ENV, WORKSPACE

# Seconds after which another run may remove the container whose files are read.
_LIFETIME_SECONDS = 3600
_MOST_PLACES = 3


@dataclass(slots=True)
class CaseSearch:
    """The result of a search for the answer of a case.

    Attributes:
        image: The name of the case's image.
        searched: What the search read and found; empty if there was none.
        not_searched: Why the image was not searched, as the end of a sentence; empty if it was.
        too_short: The hidden texts that are too short to be recognised.
    """

    image: str = ""
    searched: Searched = field(default_factory=Searched)
    not_searched: str = ""
    too_short: tuple[str, ...] = ()


def search_case(
    engine: Engine, case: Case, image_of: Callable[[Case], str], stopped: Callable[[], bool]
) -> CaseSearch | None:
    """Search everything that a candidate can read before grading. Return None if case or image cannot be read."""
    try:
        hidden = hidden_of(case, read_reference(case))
        image = engine.image(image_of(case))
        found = CaseSearch(image.reference, too_short=hidden.too_short)
    except (GraderError, SandboxError, OSError):
        # The gradings of the case have reported the reason.
        return None
    if is_own(engine, image):
        found.not_searched = "is gradebox's own"
    else:
        _search_image(engine, image, hidden, found, stopped)
    found.searched.leaks += search_files(workspace_files(case), hidden)
    env = {**DEFAULT_ENV, **image.env, **case.env, **{k: v for check in case.checks for k, v in check.env.items()}}
    found.searched.leaks += search_environment(env, hidden)
    return found


def workspace_files(case: Case) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the workspace. Their plain text is no leak, but text in archives or compiled form may be."""
    for entry in read_files(case).workspace.files():
        if entry.size <= MOST_FILE_BYTES:
            yield f"{WORKSPACE}/{entry.path}", content(entry)


def is_own(engine: Engine, image: ImageInfo) -> bool:
    """Return whether this version of gradebox has built the image, with nothing on top of it."""
    name, catalogue = image.labels.get(recipes.LABEL_IMAGE, ""), image_catalogue()
    if name not in catalogue.names:
        return False
    with suppress(GraderError, SandboxError, OSError):
        expected = catalogue.inputs_hash(name, recipes.find_images_directory())
        built = image.labels.get(recipes.LABEL_INPUTS) == expected
        return built and engine.image(recipes.reference(name)).id == image.id
    return False


def _search_image(
    engine: Engine, image: ImageInfo, hidden: Hidden, found: CaseSearch, stopped: Callable[[], bool]
) -> None:
    labels = {
        owner.LABEL: "export",
        owner.LABEL_OWNER: owner.me(),
        owner.LABEL_UNTIL: str(int(time.time() + _LIFETIME_SECONDS)),
    }
    try:
        found.searched = search_image(image, hidden, lambda: engine.images.export(image.id, labels), stopped=stopped)
    except (SandboxError, tarfile.TarError, OSError) as error:
        reason = error.message if isinstance(error, SandboxError) else str(error)
        found.not_searched = f"could not be read ({reason.rstrip('.')})"


def problems(found: CaseSearch) -> Iterator[QualityFinding]:
    """Yield a finding for each hidden text that a candidate can read."""
    leaks = sorted(found.searched.leaks, key=lambda one: (one.hidden, -one.share, one.place))
    for hidden, group in groupby(leaks, lambda one: one.hidden):
        places = list({one.place: one for one in group}.values())
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        listed = ", ".join(f"{one.share:.0%} in {one.place}" for one in places[:_MOST_PLACES])
        message = f"A candidate can read {hidden} before it is graded: {listed}{more}."
        remedy = f"Build the image {found.image} without it, and keep it out of workspace and environment."
        yield QualityFinding(Level.UNFAIR, message, remedy)


def sentences(found: CaseSearch) -> Iterator[str]:
    """Yield one sentence for each part of the search."""
    searched = found.searched
    if found.not_searched:
        yield f"The image {found.image} {found.not_searched}, and was not searched for the answer."
    else:
        whole = "" if searched.is_whole else ", not the whole image"
        read = f"{searched.files:,} files ({searched.size_bytes / MIB:,.0f} MiB{whole})"
        yield f"{read} of the image {found.image} were searched for the answer."
    if searched.cut:
        yield f"Only a part was read of {', '.join(searched.cut[:_MOST_PLACES])}."
    if found.too_short:
        yield f"Not searched for, because they are too short: {', '.join(found.too_short)}."


def described(found: CaseSearch) -> dict[str, object]:
    """Return a search as a value of JSON."""
    searched = found.searched
    return {
        "image": found.image,
        "not_searched": found.not_searched,
        "files": searched.files,
        "bytes": searched.size_bytes,
        "whole": searched.is_whole,
        "cut": searched.cut,
        "too_short": found.too_short,
        "found": [{"place": one.place, "hidden": one.hidden, "share": round(one.share, 4)} for one in searched.leaks],
    }
