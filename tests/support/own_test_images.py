"""Builds images that only tests need, from the directories of `tests/docker` that have a Dockerfile."""

from __future__ import annotations

import os
from pathlib import Path

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images import recipes

_DIRECTORY = Path(__file__).parents[1] / "docker"


def built_with_bun(engine: DockerEngine, recipe: recipes.Recipe) -> str:
    """Build an image based on that of Node.js, whose packages Bun fetches; return its name."""
    name = f"gradebox/{recipe.name}:latest"
    arguments = recipes.build_arguments(recipe, recipes.reference("node"), os.environ)
    engine.images.build(
        recipes.build_context(recipe, _DIRECTORY, recipes.trusted_authorities(os.environ)),
        [name],
        arguments={**arguments, "BUN": recipes.reference("bun")},
        labels={},
        fresh=False,
        on_line=lambda _: None,
    )
    return name
