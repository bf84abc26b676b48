"""How the image of Python is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.sandbox.images.recipes import Recipe

RECIPES = (
    Recipe(
        "python",
        "base",
        Path(__file__).parent / "image",
        files=("requirements.txt", "uv", "uv.pth"),
        settings=("PIP_INDEX_URL",),
        fetches=True,
    ),
)
