"""``grade init``: write a new case directory. Overwrites nothing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders import languages
from gradebox.graders.authoring.example_cases import example_cases, example_files
from gradebox.graders.authoring.templates import DEFAULT_LANGUAGE, check_templates, template_files, with_template
from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, did_you_mean, examples, listed
from gradebox.graders.cli.options import option
from gradebox.graders.errors import UsageRefused

app = command_app()


def _templates() -> tuple[str, ...]:
    """Return the names of cases for a type of check, and for a purpose."""
    return tuple(sorted((*check_templates(), *example_cases())))


@app.command(
    epilog=examples("grade init my-case", "grade init my-case --language bash", "grade init week-1 --template class")
)
def init(
    directory: Annotated[
        Path, typer.Argument(help="Where to create the case. Its name becomes the id.", metavar="DIR")
    ],
    language: Annotated[
        str,
        option(
            None,
            "--language -l LANGUAGE",
            f"Language of the submissions: {listed(with_template(), 'or')}. Default: {DEFAULT_LANGUAGE}.",
            autocompletion=lambda: list(with_template()),
        ),
    ] = "",
    template: Annotated[
        str,
        option(
            None,
            "--template -t NAME",
            f"A case for a purpose: {listed(_templates(), 'or')}.",
            autocompletion=lambda: list(_templates()),
        ),
    ] = "",
) -> None:
    """Create a commented case that can be graded at once.

    Existing files are never overwritten.
    """
    from gradebox.graders.cases import load
    from gradebox.graders.cases.case_file import written_id

    language = _chosen(language, template)
    name = directory.resolve().name
    if written_id({"id": name}) is None:
        raise UsageRefused(
            f"`{name}` cannot be the id of a case.", remedy="Name a directory of letters, digits, `.`, `_` and `-`."
        )
    files = example_files(template) if template in example_cases() else template_files(language, template)
    _write(directory, files)
    quoted = shlex.quote(str(directory))
    title = template if template in example_cases() else languages.get(language).title or language
    console.say(f"Created a {title} case in {directory} ({len(files)} files). Read {directory}/case.yaml first.")
    console.say(f"  grade check {quoted}                proves that the case is fair")
    console.say(f"  grade --case {quoted} --reference   grades its reference")
    console.print_diagnostics(load(directory).diagnostics)


def _write(directory: Path, files: Mapping[str, str]) -> None:
    """Write the files of a case. Raises UsageRefused if that is not possible, or something is there."""
    from gradebox.graders.authoring.editor_schemas import schema_line

    try:
        _refuse_what_is_there(directory)
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as stream:
                stream.write(schema_line(directory) + text if name == "case.yaml" else text)
    except OSError as error:
        raise UsageRefused(f"The case cannot be written to {directory}: {error.strerror or error}.") from error


def _refuse_what_is_there(directory: Path) -> None:
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise UsageRefused(f"{directory} exists and is not a directory.", remedy="Name another directory.")
    if directory.is_dir() and any(directory.iterdir()):
        raise UsageRefused(
            f"{directory} is not empty, and nothing in it is overwritten.", remedy="Name another directory."
        )


def _chosen(language: str, template: str) -> str:
    """Return the language of a new case. Raises UsageRefused if it, or a template, is unknown."""
    known = with_template()
    if template and language:
        raise UsageRefused("--template and --language cannot be combined.", remedy="Its case has a language already.")
    if (language := language or DEFAULT_LANGUAGE) not in known:
        raise UsageRefused(
            f"--language takes {listed(known, 'or')}, not {language}.", remedy=did_you_mean(language, known)
        )
    if template and template not in _templates():
        problem = f"--template takes {listed(_templates(), 'or')}, not {template}."
        raise UsageRefused(problem, remedy=did_you_mean(template, _templates()))
    return language
