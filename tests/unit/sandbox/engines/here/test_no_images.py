"""The images of an engine without images."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.sandbox.engines.engine import Images
from gradebox.sandbox.engines.here.no_images import NoImages
from gradebox.sandbox.errors import ImageUnavailable


def test_there_are_none() -> None:
    images: Images = NoImages()
    assert images.find("python") is None
    assert images.labelled("label") == ()
    assert not images.remove("python")
    assert "no images" in (images.pull("python", patience_seconds=1, on_line=print) or "")


def test_none_can_be_made() -> None:
    with pytest.raises(ImageUnavailable, match="building base"):
        NoImages().build(b"", ["base"], arguments={}, labels={}, fresh=False, on_line=print)
    with pytest.raises(ImageUnavailable, match="importing base"):
        NoImages().import_image(Path("x"), "base", labels={})
