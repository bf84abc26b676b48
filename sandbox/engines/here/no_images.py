"""The images of an engine that has none: its only file system is our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Never

from gradebox.sandbox.engines.engine import OnLine, StoredImage
from gradebox.sandbox.errors import ImageUnavailable


def _refuse(what: str) -> Never:
    raise ImageUnavailable(
        f"here:// has no images: {what} is not possible.",
        remedy="Install what the cases need in this file system, or use a container engine.",
    )


class NoImages:
    """`Images` of an engine without images."""

    def find(self, reference: str) -> StoredImage | None:
        del reference
        return None

    def labelled(self, label: str) -> tuple[StoredImage, ...]:
        del label
        return ()

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine, platform: str = "") -> str | None:
        del patience_seconds, on_line, platform
        return f"here:// has no images, so {reference} cannot be pulled."

    def import_image(self, tar: Path, reference: str, *, labels: Mapping[str, str]) -> str:
        del tar, labels
        _refuse(f"importing {reference}")

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
        del context, arguments, labels, fresh, on_line, dockerfile, target, platform
        _refuse(f"building {references[0]}")

    def export(self, image: str, labels: Mapping[str, str]) -> Iterator[bytes]:
        del labels
        _refuse(f"exporting {image}")

    def save(self, references: Sequence[str]) -> Iterator[bytes]:
        _refuse(f"saving {references[0]}")

    def load(self, archive: BinaryIO) -> None:
        del archive
        _refuse("loading some")

    def remove(self, reference: str) -> bool:
        del reference
        return False
