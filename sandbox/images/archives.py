"""Images in a file, for machines without a network.

The file has the format of ``docker save`` and ``docker load``. An additional member has the id of each image, with
which loaded images are compared.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gradebox.sandbox.engines.engine import Images
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images.recipes import version
from gradebox.sandbox.limits import MIB

MEMBER = "gradebox-images.json"
_ENGINES = "manifest.json"
_MOST_BYTES = 16 * MIB
_REMEDY = "Write it again with `grade images save`, where the images are."


def save(images: Images, references: Iterable[str], file: Path) -> dict[str, str]:
    """Write images to a file, replacing an earlier one, and return their ids by their names.

    Raises:
        ImageUnavailable: If the engine lacks one of the images, or the file cannot be written.
    """
    found = {}
    for reference in references:
        stored = images.find(reference)
        if stored is None:
            raise ImageUnavailable(f"The engine has no image {reference}.", remedy="Run `grade images warm` before.")
        found[reference] = stored.id
    partial = file.with_name(f"{file.name}.partial")
    try:
        with partial.open("wb") as target:
            for piece in images.save(tuple(found)):
                target.write(piece)
        data = json.dumps({"gradebox": version(), "images": found}, indent=1).encode()
        with tarfile.open(partial, "a:") as archive:
            member = tarfile.TarInfo(MEMBER)
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
        partial.replace(file)
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror or error}."
        raise ImageUnavailable(message, remedy="Name a file in a directory that exists and has room.") from error
    finally:
        partial.unlink(missing_ok=True)
    return found


def load(images: Images, file: Path) -> dict[str, str]:
    """Load the images of a file that `save` has written, and return their ids by their names.

    Raises:
        ImageUnavailable: If it is no such file, has images that its list does not name, or a loaded image's id differs.
    """
    wanted = _listed(file)
    with file.open("rb") as source:
        images.load(source)
    for reference, expected in wanted.items():
        stored = images.find(reference)
        if stored is None or stored.id != expected:
            got = stored.id if stored else "missing"
            message = f"{reference} of {file} is {got} after it was loaded, and was {expected} when it was saved."
            raise ImageUnavailable(message, remedy=_REMEDY)
    return dict(wanted)


def _listed(file: Path) -> Mapping[str, str]:
    """Return the ids of a file's images by their names."""
    try:
        with tarfile.open(file, "r:*") as archive:
            said, named = _read(archive, MEMBER)["images"], _read(archive, _ENGINES)
        tags = {tag for image in named for tag in image["RepoTags"] or ()}
        wanted = {str(name): str(key) for name, key in said.items()}
    except (OSError, tarfile.TarError, KeyError, ValueError, TypeError, AttributeError) as error:
        message = f"{file} is not a file that `grade images save` has written: {error}."
        raise ImageUnavailable(message, remedy=_REMEDY) from error
    if other := sorted(tags - {_with_tag(name) for name in wanted}):
        # Loading the file would replace images that the user did not request.
        raise ImageUnavailable(f"{file} has images that its list does not name: {', '.join(other)}.", remedy=_REMEDY)
    return wanted


def _read(archive: tarfile.TarFile, name: str) -> Any:
    member = archive.extractfile(archive.getmember(name))
    if member is None:
        raise ValueError(f"{name} is not a file")
    data = member.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{name} is larger than {_MOST_BYTES // MIB} MiB")
    return json.loads(data)


def _with_tag(reference: str) -> str:
    name = reference.rpartition("/")[2]
    return reference if ":" in name else f"{reference}:latest"
