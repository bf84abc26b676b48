"""How the image of Node.js is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.sandbox.images.recipes import Recipe

RECIPES = (Recipe("node", "base", Path(__file__).parent / "image", files=("start-node", "snapshot.js")),)
