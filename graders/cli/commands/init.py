"""``grade init``: write a new case directory. Overwrites nothing."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders import languages
from gradebox.graders.authoring.templates import DEFAULT_LANGUAGE, check_templates, template_files, with_template
from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, did_you_mean, examples, listed
from gradebox.graders.cli.options import option
from gradebox.graders.errors import UsageRefused

app = command_app()


@app.command(
    epilog=examples("grade init my-case", "grade init my-case --language bash", "grade init my-case --template io")
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
            f"A case for a type of check: {listed(check_templates(), 'or')}.",
            autocompletion=lambda: list(check_templates()),
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
    files = template_files(language, template)
    try:
        _refuse_what_is_there(directory)
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)
    except OSError as error:
        raise UsageRefused(f"The case cannot be written to {directory}: {error.strerror or error}.") from error
    quoted = shlex.quote(str(directory))
    title = languages.get(language).title or language
    console.say(f"Created a {title} case in {directory} ({len(files)} files). Read {directory}/case.yaml first.")
    console.say(f"  grade check {quoted}                proves that the case is fair")
    console.say(f"  grade --case {quoted} --reference   grades its reference")
    console.print_diagnostics(load(directory).diagnostics)


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
    if template and template not in check_templates():
        problem = f"--template takes {listed(check_templates(), 'or')}, not {template}."
        raise UsageRefused(problem, remedy=did_you_mean(template, check_templates()))
    return language
