"""Files of images: what they say, and what is refused in them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from fake_images import FakeImages, tar_of

from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import archives


def saved(directory: Path) -> tuple[Path, dict[str, str]]:
    images = FakeImages()
    images.add("gradebox/base:latest")
    images.add("made:1")
    file = directory / "images.tar"
    return file, archives.save(images, ["gradebox/base:latest", "made:1"], file)


def test_what_is_saved_is_loaded_elsewhere_with_the_same_ids(tmp_path: Path) -> None:
    file, found = saved(tmp_path)
    with tarfile.open(file) as archive:
        assert archive.getnames() == ["manifest.json", archives.MEMBER]
    other = FakeImages()
    assert archives.load(other, file) == found
    assert other.find("made:1")
    assert [path.name for path in tmp_path.iterdir()] == ["images.tar"]


def test_a_missing_image_is_refused_and_no_file_is_left(tmp_path: Path) -> None:
    with pytest.raises(ImageUnavailable, match="has no image gone"):
        archives.save(FakeImages(), ["gone"], tmp_path / "images.tar")
    with pytest.raises(ImageUnavailable, match="cannot be written"):
        saved(tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())


def test_an_image_that_changed_is_refused(tmp_path: Path) -> None:
    file, _ = saved(tmp_path)
    text = file.read_bytes().replace(b'"Id": "sha256:0', b'"Id": "sha256:f', 1)
    file.write_bytes(text)
    with pytest.raises(ImageUnavailable, match="after it was loaded"):
        archives.load(FakeImages(), file)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "is not a file that"),
        ({"manifest.json": b"[]", archives.MEMBER: b"{}"}, "is not a file that"),
        ({"manifest.json": b"[]", archives.MEMBER: b"no JSON"}, "is not a file that"),
        (
            {
                "manifest.json": json.dumps([{"RepoTags": ["debian:latest"]}]).encode(),
                archives.MEMBER: json.dumps({"images": {"made:1": "sha256:1"}}).encode(),
            },
            "its list does not name: debian:latest",
        ),
    ],
)
def test_other_files_are_refused_before_anything_is_loaded(
    tmp_path: Path, files: dict[str, bytes], message: str
) -> None:
    file = tmp_path / "images.tar"
    file.write_bytes(tar_of(files))
    images = FakeImages()
    with pytest.raises(ImageUnavailable, match=message):
        archives.load(images, file)
    assert not images.images


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images.tar").write_bytes(b"text")
    for name in ("images.tar", "gone.tar"):
        with pytest.raises(ImageUnavailable, match="is not a file that"):
            archives.load(FakeImages(), tmp_path / name)
