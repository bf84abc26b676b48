"""Ruby."""

from __future__ import annotations

from gradebox.graders.languages.language import ControlFile, Language

LANGUAGE = Language(
    name="ruby",
    image="ruby",
    programs=("ruby", "rspec", "rake"),
    answer_file="solution.rb",
    fences=frozenset({"ruby", "rb"}),
    interpreter="ruby",
    program=("ruby", "{file}"),
    starts={".rb": ("ruby",)},
    control_files=(ControlFile(".bundle"),),
    home_files=(".rspec", ".config/rspec/", ".local/share/gem/", ".gem/", ".bundle/"),
    complaints=(
        (
            r"\S+:\d+:in [^\n]*: cannot load such file -- (?P<module>\S+) \(LoadError\)"
            r"(?:\nfrom <internal:[^\n]*)*(?:\nfrom (?P<source>[^\s:]+):\d+)?"
        ),
        r"ruby: No such file or directory -- (?P<file>\S+) \(LoadError\)",
    ),
    title="Ruby",
    package=__name__,
)
