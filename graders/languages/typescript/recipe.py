"""How the image of Bun is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.languages.typescript import LANGUAGE
from gradebox.sandbox.images.recipes import Recipe


def _together() -> str:
    return LANGUAGE.argv()[-1]


def _apart() -> str:
    return LANGUAGE.argv(apart=True)[-1]


def _candidate() -> str:
    """Return what the process of a submission runs. `start` in grader.js makes the same text."""
    return _apart().partition("/* The grader's side")[0] + "new Candidate(4, 3).serve();"


RECIPES = (
    Recipe(
        "bun",
        "base",
        Path(__file__).parent / "image",
        files=("agentv-sdk.js", "npx", "start-bun.ts"),
        texts={"together.ts": _together, "apart.ts": _apart, "candidate.ts": _candidate},
        settings=("NPM_CONFIG_REGISTRY",),
        fetches=True,
    ),
)
