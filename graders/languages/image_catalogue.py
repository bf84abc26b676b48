"""The images in which cases are graded: one without a language, and those of all languages."""

from __future__ import annotations

from functools import cache

from gradebox.graders.languages import languages
from gradebox.sandbox.images.recipes import BASE, TRIXIE, Catalogue


@cache
def image_catalogue() -> Catalogue:
    """Return the recipes of all images, including those of other distributions' languages."""
    return Catalogue((BASE, TRIXIE, *(recipe for each in languages().values() for recipe in each.recipes())))
