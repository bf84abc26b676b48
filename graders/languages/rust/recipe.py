"""How the image of Rust is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.sandbox.images.recipes import TRIXIE, Recipe

RECIPES = (Recipe("rust", TRIXIE.name, Path(__file__).parent / "image", on_demand=True),)
