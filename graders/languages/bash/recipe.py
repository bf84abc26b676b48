"""How the image of bats is built; bash itself is in every image."""

from __future__ import annotations

from pathlib import Path

from gradebox.sandbox.images.recipes import BASE, Recipe

RECIPES = (Recipe("bats", BASE.name, Path(__file__).parent / "image", on_demand=True),)
