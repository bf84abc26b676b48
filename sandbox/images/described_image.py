"""Images that cases describe by a Dockerfile or by packages. Each is named by a hash of its inputs.

    gradebox-case:<hash>        of the Dockerfile, the files it can copy, arguments, target, and ids of base images

An image with the same hash is not built again. A base image that the engine lacks is built or pulled first, since its
id is part of the hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections import deque
from collections.abc import Callable, Mapping

from gradebox.sandbox.engines.engine import Images, OnLine, StoredImage
from gradebox.sandbox.errors import EngineRefused, ImageUnavailable
from gradebox.sandbox.images.context import DOCKERFILE, BuildContext
from gradebox.sandbox.images.dockerfile import needed_images
from gradebox.sandbox.images.recipes import LABEL_INPUTS, LABEL_VERSION, machine_arguments, version
from gradebox.sandbox.records import dataclass

REPOSITORY = "gradebox-case"

LABEL_SOURCE = "io.gradebox.source"
"""Label of an image built for a case: the file that first needed it."""

LABEL_MACHINE = "io.gradebox.machine"
"""Label of an image built for a case: the machine that has the file of LABEL_SOURCE."""

_LAST_LINES = 12

Provide = Callable[[str, OnLine], str]
"""Returns the id of the image with a reference. Builds or pulls the image first if necessary."""


@dataclass(frozen=True, slots=True)
class Description:
    """The inputs of an image.

    Attributes:
        needed_by: The file that needs the image.
        source: The file to correct if the image cannot be built.
        context: The build context.
        arguments: The build arguments.
        target: The stage that becomes the image, empty for the last one.
        settings: Environment variables that are passed on as arguments and do not change the hash.
        platform: The target platform, empty for the engine's.
    """

    needed_by: str
    source: str
    context: BuildContext
    arguments: Mapping[str, str]
    target: str = ""
    settings: tuple[str, ...] = ()
    platform: str = ""

    def key(self, provide: Provide, on_line: OnLine) -> str:
        """Return the hash of the image's inputs. Raises OSError, and whatever `provide` raises."""
        return self._hash({name: provide(name, on_line) for name in self.below})

    @property
    def below(self) -> tuple[str, ...]:
        """The names of its base images."""
        return needed_images(self.context.dockerfile.decode("utf-8", "replace"), self.arguments, self.target)

    @property
    def own_hash(self) -> str:
        """The hash of its inputs without the ids of base images, which need an engine. Raises OSError."""
        return self._hash(dict.fromkeys(self.below, ""))

    def _hash(self, below: Mapping[str, str]) -> str:
        content = [self.context.digest(), dict(self.arguments), self.target, below]
        content += [self.platform] if self.platform else []
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def reference(key: str) -> str:
    """Return the full name of the image with a hash."""
    return f"{REPOSITORY}:{key}"


def build(
    described: Description, key: str, images: Images, on_line: OnLine, environment: Mapping[str, str] = os.environ
) -> StoredImage:
    """Build an image, unless the engine has it.

    Raises:
        ImageUnavailable: If the image cannot be built; the message has the build's last lines.
        OSError: If a file cannot be read.
    """
    if (stored := images.find(reference(key))) is not None:
        return _for_platform(stored, described)
    last: deque[str] = deque(maxlen=_LAST_LINES)

    def note(line: str) -> None:
        last.append(line)
        on_line(line)

    with tempfile.TemporaryFile(prefix="gradebox-") as archive:
        described.context.write(archive)
        archive.seek(0)
        try:
            images.build(
                archive,
                [reference(key)],
                arguments={**machine_arguments(described.settings, environment), **described.arguments},
                labels={
                    LABEL_SOURCE: described.needed_by,
                    LABEL_MACHINE: platform.node(),
                    LABEL_INPUTS: key,
                    LABEL_VERSION: version(),
                },
                fresh=False,
                on_line=note,
                dockerfile=DOCKERFILE,
                target=described.target,
                platform=described.platform,
            )
        except (ImageUnavailable, EngineRefused) as error:
            output = "".join(f"\n    {line}" for line in last)
            raise ImageUnavailable(
                f"The image of {described.needed_by} cannot be built: {error.message.rstrip('.')}.{output}",
                remedy=error.remedy or f"Correct {described.source}, or check that the build reaches its mirrors.",
            ) from error
    stored = images.find(reference(key))
    if stored is None:
        raise ImageUnavailable(f"The image of {described.needed_by} was removed during its build.", remedy="Try again.")
    return _for_platform(stored, described)


def _for_platform(stored: StoredImage, described: Description) -> StoredImage:
    # An engine may use a base image that it has for another platform.
    if f"{stored.platform}/".startswith(f"{described.platform}/" if described.platform else ""):
        return stored
    raise ImageUnavailable(
        f"The image of {described.needed_by} is for {stored.platform or 'no known platform'}, and the case wants "
        f"{described.platform}.",
        remedy="Choose images below it that exist for that platform, or leave `platform` out.",
    )


def listed(images: Images) -> dict[str, StoredImage]:
    """Return all described images of an engine, by their full names."""
    # An image that somebody else built on one of these inherits the label but not the name.
    found = images.labelled(LABEL_SOURCE)
    return {tag: image for image in found for tag in image.tags if tag.startswith(f"{REPOSITORY}:")}
