"""Copies of the recipes of images, which a test may change."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox.images.recipes import Catalogue


def copied_images(place: Path) -> Catalogue:
    """Return all recipes, with the files of each language's images in a directory of their name below `place`."""
    return Catalogue(
        replace(recipe, directory=Path(shutil.copytree(recipe.directory, place / recipe.name)))
        if isinstance(recipe.directory, Path)
        else recipe
        for recipe in image_catalogue().recipes.values()
    )
