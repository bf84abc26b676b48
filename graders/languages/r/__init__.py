"""R: a program is run without saved workspaces and profiles."""

from __future__ import annotations

from gradebox.graders.languages.language import ControlFile, Language

LANGUAGE = Language(
    name="r",
    image="r",
    programs=("Rscript", "R"),
    answer_file="solution.R",
    fences=frozenset({"r", "R", "rscript"}),
    interpreter="R",
    program=("Rscript", "--vanilla", "{file}"),
    starts={".R": ("Rscript", "--vanilla")},
    # R loads these at every start.
    control_files=(ControlFile(".Rprofile"), ControlFile(".Renviron"), ControlFile(".RData")),
    home_files=(".Rprofile", ".Renviron", "R/"),
    complaints=(
        r"Error in library\([^)\n]*\) : there is no package called '(?P<module>[^'\n]+)'",
        r"Fatal error: cannot open file '(?P<file>[^'\n]+)': No such file",
        r"cannot open file '(?P<data>[^'\n]+)': No such file",
    ),
    title="R",
    package=__name__,
)
