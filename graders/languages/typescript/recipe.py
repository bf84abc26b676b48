"""How the image of Bun is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.languages.language import INSIDE
from gradebox.graders.languages.typescript import LANGUAGE
from gradebox.sandbox.images.recipes import Recipe

RECIPES = (
    Recipe(
        "bun",
        "base",
        Path(__file__).parent / "image",
        files=("agentv-sdk.js", "join.mjs", "npx", "start-bun.ts"),
        programs=(INSIDE / "boundary.json", *dict.fromkeys((*LANGUAGE.runner, *LANGUAGE.apart))),
        settings=("NPM_CONFIG_REGISTRY",),
        fetches=True,
    ),
)
