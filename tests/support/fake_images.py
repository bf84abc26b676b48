"""Images in memory: `engine.Images` for tests of what builds and shows them.

A build adds an image with the labels of its base and its own; it runs nothing.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import BinaryIO

from gradebox.sandbox.engines.engine import OnLine, StoredImage
from gradebox.sandbox.errors import ImageUnavailable


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


@dataclass(frozen=True)
class Built:
    """One call of `build`."""

    context: bytes
    references: tuple[str, ...]
    arguments: Mapping[str, str]
    fresh: bool
    dockerfile: str
    target: str
    platform: str = ""


@dataclass
class FakeImages:
    """An engine's images, and the calls that it received.

    Attributes:
        registry: What a registry would give.
        silent: Whether it does not even answer.
        failing: A name whose build fails.
        images: All of them, by id.
        root: The files of each, as a tar archive.
        pulled, imported, built: The requests, in order; archives by name.
    """

    registry: set[str] = field(default_factory=set)
    silent: bool = False
    failing: str = ""
    images: dict[str, StoredImage] = field(default_factory=dict)
    root: bytes = bytes(1024)
    pulled: list[str] = field(default_factory=list)
    imported: dict[str, bytes] = field(default_factory=dict)
    built: list[Built] = field(default_factory=list)
    _ids: count[int] = field(default_factory=lambda: count(1))

    def add(self, *references: str, labels: Mapping[str, str] | None = None, platform: str = "") -> StoredImage:
        for image in self.images.values():
            kept = tuple(tag for tag in image.tags if tag not in references)
            self.images[image.id] = replace(image, tags=kept)
        image = StoredImage(f"sha256:{next(self._ids):064x}", references, labels or {}, 1000, 1.0, platform)
        self.images[image.id] = image
        return image

    def find(self, reference: str) -> StoredImage | None:
        return next((i for i in self.images.values() if reference in (i.id, *i.tags)), None)

    def labelled(self, label: str) -> tuple[StoredImage, ...]:
        return tuple(image for image in self.images.values() if label in image.labels)

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine, platform: str = "") -> str | None:
        self.pulled.append(reference)
        if self.silent:
            return f"it did not answer within {patience_seconds:.0f} seconds"
        if reference not in self.registry:
            return "manifest unknown"
        on_line(f"Pulling {reference}")
        self.add(reference, platform=platform or "linux/amd64")
        return None

    def import_image(self, tar: Path, reference: str, *, labels: Mapping[str, str]) -> str:
        self.imported[reference] = tar.read_bytes()
        return self.add(reference, labels=labels).id

    def build(
        self,
        context: bytes | BinaryIO,
        references: Sequence[str],
        *,
        arguments: Mapping[str, str],
        labels: Mapping[str, str],
        fresh: bool,
        on_line: OnLine,
        dockerfile: str = "Dockerfile",
        target: str = "",
        platform: str = "",
    ) -> str:
        content = context if isinstance(context, bytes) else context.read()
        self.built.append(Built(content, tuple(references), arguments, fresh, dockerfile, target, platform))
        base = arguments.get("BASE", "")
        below = self.find(base) if base else self.add("scratch")
        if below is None:
            raise ImageUnavailable(f"pull access denied for {base}")
        on_line("Step 1/1 : FROM")
        if self.failing and self.failing in references[0]:
            raise ImageUnavailable("The command returned a non-zero code: 100")
        return self.add(*references, labels={**below.labels, **labels}).id

    def export(self, image: str, labels: Mapping[str, str]) -> Iterator[bytes]:
        del image, labels
        yield self.root

    def save(self, references: Sequence[str]) -> Iterator[bytes]:
        found = (image for name in references if (image := self.find(name)))
        text = json.dumps([{"RepoTags": image.tags, "Id": image.id} for image in found])
        yield tar_of({"manifest.json": text.encode()})

    def load(self, archive: BinaryIO) -> None:
        with tarfile.open(fileobj=archive) as opened:
            member = opened.extractfile("manifest.json")
            assert member is not None
            for image in json.load(member):
                self.images[image["Id"]] = StoredImage(image["Id"], tuple(image["RepoTags"]), {}, 1000, 1.0)

    def remove(self, reference: str) -> bool:
        image = self.find(reference)
        if image is None:
            return False
        left = tuple(tag for tag in image.tags if tag != reference)
        if left and reference != image.id:
            self.images[image.id] = replace(image, tags=left)
        else:
            del self.images[image.id]
        return True
