"""PHP: a program is run on the command line."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="php",
    image="php",
    programs=("php", "phpunit"),
    answer_file="solution.php",
    fences=frozenset({"php"}),
    interpreter="php",
    program=("php", "{file}"),
    starts={".php": ("php",)},
    complaints=(
        r"Could not open input file: (?P<file>\S+)",
        r"PHP Warning:  (?:require|include)(?:_once)?\((?P<file>[^)\n]+)\): Failed to open stream",
    ),
    title="PHP",
    package=__name__,
)
