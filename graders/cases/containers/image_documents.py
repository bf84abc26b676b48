"""Reads the `image` of a case: a name, a description of how to build it, or a Dockerfile beside the case.

Nothing is built here. Features that need BuildKit are reported with their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import Field, Tag

from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import Entry, by_shape, optional
from gradebox.graders.documents.fields import Env, Image, Listed, Name
from gradebox.graders.documents.paths import exists, is_directory, is_file
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.validators import After, refused
from gradebox.graders.model.case import Place
from gradebox.graders.model.own_image import OwnImage
from gradebox.sandbox.images.dockerfile import buildkit_needs, copies_all, stages

# The places of the Dockerfile for a case that names no image.
PLACES = ("Dockerfile", "environment/Dockerfile")

_APT = re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9]+)?(=[A-Za-z0-9.+~:-]+)?")
_PYPI_VERSION = r"(===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+"
PIP = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\[[A-Za-z0-9._,\s-]*\])?"
    rf"\s*({_PYPI_VERSION}(\s*,\s*{_PYPI_VERSION})*)?"
)
NPM = re.compile(r"(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*(@[~^<>=]{0,2}[A-Za-z0-9][A-Za-z0-9.*+-]*)?")
_PLATFORM = re.compile(r"linux/[a-z0-9]+(/v[0-9]+)?")
_ARCHIVES = (".whl", ".zip", ".tgz", ".tar.gz", ".tar", ".deb")


def _package(pattern: re.Pattern[str], example: str, index: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text.startswith("-"):
            hint = f"Set {index} in the environment to use another index." if index else "Name packages alone."
            raise refused(f"must be the name of a package, not the option `{shown(text)}`", hint)
        if not pattern.fullmatch(text) or text.endswith(_ARCHIVES):
            raise refused(f"must be the name of a package, not `{shown(text)}`", f"Write it like `{example}`.")
        return text

    return check


AptPackage = Annotated[Name, After(_package(_APT, "sqlite3` or `sqlite3=3.40.1-2", ""))]
PipPackage = Annotated[Name, After(_package(PIP, "numpy` or `numpy==2.1.0", "PIP_INDEX_URL"))]
NpmPackage = Annotated[Name, After(_package(NPM, "zod` or `zod@3.23.8", "NPM_CONFIG_REGISTRY"))]


def _platform(text: str) -> str:
    if not _PLATFORM.fullmatch(text):
        raise refused(f"must be a platform of Linux, not `{shown(text)}`", "Write it like `linux/amd64`.")
    return text


Platform = Annotated[Name, After(_platform)]


class OwnImageEntry(Entry):
    """How an image is built: from a Dockerfile, or from packages on top of another image."""

    dockerfile: Name | None = optional("The path of a Dockerfile.")
    context: Name | None = optional(
        "The directory that the Dockerfile copies from. Default: the directory of the Dockerfile."
    )
    args: Env = optional("Build arguments.", default_factory=dict)
    target: Name | None = optional("The stage that becomes the image. Default: the last one.")
    platform: Platform | None = optional("The platform to build for, such as `linux/arm64`. Default: the engine's.")
    base: Image | None = optional("The image on which the packages are installed, such as `python`.")
    apt: Listed[AptPackage] = optional("Debian packages.", default=())
    pip: Listed[PipPackage] = optional("Python packages.", default=())
    npm: Listed[NpmPackage] = optional("JavaScript packages.", default=())


WrittenImage = Annotated[
    Annotated[Image, Tag("|text")] | Annotated[OwnImageEntry, Tag("|mapping")],
    by_shape("must be a name or a mapping", "text", "mapping"),
    Field(),
]


def read_image(
    reader: Reader, written: str | OwnImageEntry | None, path: DocumentPath, directory: Path
) -> str | OwnImage | None:
    """Return the image that a file names or describes; None if it names none, or has a mistake."""
    if not isinstance(written, OwnImageEntry):
        return written
    if written.dockerfile is not None:
        return _of_dockerfile(reader, written, path, directory)
    for name in ("context", "args", "target"):
        if name in written.model_fields_set:
            reader.error((*path, name), f"`{name}` belongs to a `dockerfile`", "Add `dockerfile`, or remove it.")
    if written.base is None:
        reader.error(path, "`image` has neither `dockerfile` nor `base`", "Such as `base: python`.")
        return None
    return OwnImage(
        directory, base=written.base, apt=written.apt, pip=written.pip, npm=written.npm, platform=written.platform or ""
    )


def _of_dockerfile(reader: Reader, written: OwnImageEntry, path: DocumentPath, directory: Path) -> OwnImage | None:
    for name in ("base", "apt", "pip", "npm"):
        if name in written.model_fields_set:
            hint = "Install packages in the Dockerfile, or name a `base` and no `dockerfile`."
            reader.error((*path, name), f"`{name}` does not go with a `dockerfile`", hint)
    file = directory / (written.dockerfile or "")
    if not is_file(file):
        hint = "The path starts at the directory of this file."
        beside = next((place for place in PLACES if is_file(directory / place)), None)
        hint = f"Did you mean `{beside}`?" if beside else hint
        message = f"`dockerfile` names `{shown(written.dockerfile or '')}`, which is not a file"
        reader.error((*path, "dockerfile"), message, hint)
        return None
    context = directory / written.context if written.context else file.parent
    if not is_directory(context):
        message = f"`context` names `{shown(written.context or '')}`, which is not a directory"
        reader.error((*path, "context"), message, "The path starts at the directory of this file.")
        return None
    target = written.target or ""
    if target and not target.isdigit() and target.lower() not in (known := stages(_text(file))):
        named = ", ".join(f"`{name}`" for name in known if name)
        hint = f"Its stages are {named}." if named else "None of its stages has a name."
        reader.error((*path, "target"), f"the Dockerfile has no stage `{shown(target)}`", hint)
        return None
    _report_doubts(reader, file, context)
    arguments = tuple(sorted(written.args.items()))
    return OwnImage(directory, file, context, arguments, target, platform=written.platform or "")


def found_image(reader: Reader, path: DocumentPath, directory: Path) -> OwnImage | None:
    """Return the image of a Dockerfile beside a case that names no image, and warn that it is used; else None."""
    place = next((place for place in PLACES if exists(directory / place) and is_file(directory / place)), None)
    if place is None:
        return None
    file = directory / place
    reader.warning(
        path,
        f"the image is built from `{place}`, which earlier versions ignored",
        f"Write `image: {{dockerfile: {place}}}` to say so, or name another image.",
    )
    _report_doubts(reader, file, file.parent)
    return OwnImage(directory, file, file.parent, found=True)


def _report_doubts(reader: Reader, file: Path, context: Path) -> None:
    """Warn about lines that the engine's builder does not support, or that give candidates too many files."""
    case = reader.document.file.resolve()
    for line in copies_all(_text(file)) if context.resolve() in case.parents else ():
        message = "this copies what lies beside the case file into the image, where candidates can read it"
        hint = "Name the files, list others in `.dockerignore`, or put the Dockerfile into `environment/`."
        reader.findings.warning(Place(file, line, 1), message, hint=hint)
    for need in buildkit_needs(_text(file)):
        message = f"{need.what} needs BuildKit, and gradebox builds with the engine's classic builder"
        hint = "Rewrite these lines without BuildKit, or build the image yourself and name it. Podman builds it."
        reader.findings.warning(Place(file, need.line, 1), message, hint=hint if need.blocks else "It is ignored.")


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        # The build reports the error.
        return ""
