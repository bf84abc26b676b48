"""The inputs of a case's image. They include no files of submissions, and no files hidden from candidates."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from gradebox.graders.cases.discovery import CASE_FILES
from gradebox.graders.cases.suite import SUITE_ENDINGS, SUITE_FILES
from gradebox.graders.documents.paths import exists
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.graders.model.own_image import OwnImage
from gradebox.graders.model.tree import RUN_RECORD, RUN_RESULTS
from gradebox.sandbox.images import packages, recipes
from gradebox.sandbox.images.context import BuildContext
from gradebox.sandbox.images.described_image import Description

# Entries beside a case file that are hidden, or that may belong to a candidate.
_HIDDEN = ("grading", "reference", "submissions", *CASE_FILES)
# The git history also contains the hidden files.
_NOWHERE = (".git", *SUITE_FILES)
_STAGE = f"{recipes.LABEL_STAGE}=case"


def describe(image: OwnImage, source: str, environment: Mapping[str, str] = os.environ) -> Description:
    """Return the inputs of an image.

    Args:
        image: The image.
        source: The file of the case, for people.
        environment: Variables that name this machine's certificate authorities.

    Raises:
        OSError: If the Dockerfile or its directory cannot be read.
    """
    if image.dockerfile is not None:
        # It brings docker-py along, which takes long to import.
        from gradebox.sandbox.engines.docker.docker_images import context_paths  # noqa: PLC0415

        directory = image.context or image.dockerfile.parent
        paths = tuple(visible(directory, context_paths(directory, image.dockerfile.name)))
        content = BuildContext(image.dockerfile.read_bytes(), directory, paths)
        return Description(
            source, str(image.dockerfile), content, dict(image.arguments), image.target, platform=image.platform
        )
    text = packages.dockerfile(apt=image.apt, pip=image.pip, npm=image.npm, stage_label=_STAGE)
    base = recipes.find_images_directory() / recipes.BASE.name
    files = {name: (base / name).read_bytes() for name in packages.FILES}
    if authorities := recipes.trusted_authorities(environment):
        files[recipes.AUTHORITIES] = authorities
    below = recipes.reference(image.base) if image.base in image_catalogue().names else image.base
    content = BuildContext(text.encode(), files=files)
    return Description(source, source, content, {"BASE": below}, settings=packages.SETTINGS, platform=image.platform)


def visible(directory: Path, paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths of a directory that an image may contain.

    These are left out: `grading/`, `reference/` and `submissions/` beside a case file, case files and suites, run
    directories, and the content of `.git`.
    """
    hidden: dict[PurePosixPath, frozenset[str] | None] = {}

    def in_sight(path: PurePosixPath) -> bool:
        """Return whether neither a path nor any directory above it is hidden."""
        for below in (path, *path.parents[:-1]):
            within = hidden.setdefault(below.parent, _hidden_in(directory / below.parent))
            if within is None or below.name in within or below.name.endswith(SUITE_ENDINGS):
                return False
        return True

    return (path for path in paths if in_sight(PurePosixPath(path)))


def _hidden_in(directory: Path) -> frozenset[str] | None:
    """Return the names that are hidden in a directory; None for everything in it."""
    if exists(directory / RUN_RECORD) and exists(directory / RUN_RESULTS):
        return None
    is_case = any(exists(directory / name) for name in CASE_FILES)
    return frozenset((*_NOWHERE, *(_HIDDEN if is_case else ())))
