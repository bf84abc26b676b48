"""How the image of Julia is built."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.languages.julia import LANGUAGE
from gradebox.graders.languages.language import INSIDE, inside
from gradebox.sandbox.images.recipes import Recipe, Root

_PROGRAMS = "system_image equality controls item_runner call_runner answer_text answer_runner answer_program"
_ADAPTER = INSIDE.parents[1] / "runners" / "julia_test" / "inside" / "julia_test_adapter.jl"

RECIPES = (
    Recipe("julia-base", Root("julia:1.10-bookworm", "bullseye"), "base", files=("install-packages",), is_step=True),
    Recipe(
        "julia",
        "julia-base",
        Path(__file__).parent / "image",
        programs=(
            *(inside("julia") / f"{name}.jl" for name in _PROGRAMS.split()),
            *LANGUAGE.apart,
            _ADAPTER,
            INSIDE / "boundary.json",
        ),
    ),
)
