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
from gradebox.graders.cli.options import HostOption, option
from gradebox.graders.errors import CaseRefused, UsageRefused

app = command_app()


def _templates() -> tuple[str, ...]:
    """Return the names of cases for a type of check, and for a purpose."""
    return tuple(sorted((*check_templates(), *example_cases())))


@app.command(
    epilog=examples(
        "grade init my-case",
        "grade init my-case --language bash",
        "grade init week-1 --template class",
        "grade init parser --from ~/src/parser",
    )
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
            f"The kind of case to create: {listed(_templates(), 'or')}.",
            autocompletion=lambda: list(_templates()),
        ),
    ] = "",
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Make the case from this project: its tests, and the files that they import."),
    ] = None,
    solution: Annotated[
        list[str] | None,
        typer.Option(
            "--solution", help="With --from: a file that candidates have to write. Repeatable.", metavar="PATH"
        ),
    ] = None,
    check: Annotated[bool, typer.Option(help="With --from: run `grade check` at the end.")] = True,
    host: HostOption = None,
) -> None:
    """Create a commented case that can be graded at once.

    Existing files are never overwritten. With `--from`, some tests of a project become hidden, its solution becomes
    the reference, and limits are measured with one grading of it.
    """
    from gradebox.graders.cases import load

    if source is not None and (language or template):
        raise UsageRefused("--from finds the language itself.", remedy="Leave out --language and --template.")
    language = _chosen(language, template)
    _refuse_no_id(directory.resolve().name)
    if source is not None:
        _from_project(directory, source, tuple(solution or ()), host, check=check)
        return
    files = example_files(template) if template in example_cases() else template_files(language, template)
    _write(directory, files)
    quoted = shlex.quote(str(directory))
    title = template if template in example_cases() else languages.get(language).title or language
    console.say(f"Created a {title} case in {directory} ({len(files)} files). Read {directory}/case.yaml first.")
    console.say(f"  grade check {quoted}                proves that the case is fair")
    console.say(f"  grade --case {quoted} --reference   grades its reference")
    console.print_diagnostics(load(directory).diagnostics)


def _refuse_no_id(name: str) -> None:
    from gradebox.graders.cases.case_file import written_id

    if written_id({"id": name}) is None:
        raise UsageRefused(
            f"`{name}` cannot be the id of a case.", remedy="Name a directory of letters, digits, `.`, `_` and `-`."
        )


def _from_project(directory: Path, source: Path, solution: tuple[str, ...], host: str | None, *, check: bool) -> None:
    """Write a case of a project, measure its reference, and check it."""
    from gradebox.graders.authoring.listed_packages import suggested_image
    from gradebox.graders.authoring.measured_reference import measured
    from gradebox.graders.authoring.project import case_text, read_project
    from gradebox.graders.cases import load
    from gradebox.graders.cli.interruption import raising
    from gradebox.graders.grading.grader import Grader

    project = read_project(source, solution)
    _write(directory, {**dict(project.case_files()), "case.yaml": case_text(project)})
    file, image = directory / "case.yaml", ""
    if "Dockerfile" in project.files:
        image = "image: {dockerfile: workspace/Dockerfile, context: workspace}"
    elif cases := load(directory).cases:
        image = suggested_image(cases[0])
    first = _schema_line(directory)
    file.write_text(first + case_text(project, image), "utf-8")
    console.say(f"Created a case of {source} in {directory}, whose tests {project.runner} runs.")
    console.say(f"  to be written: {', '.join(project.solution)}")
    console.say(f"  hidden:        {', '.join(project.hidden)}")
    console.say(f"  public:        {', '.join(project.public) or 'none'}")
    loaded = load(directory)
    if not check or not loaded.cases:
        console.print_diagnostics(loaded.diagnostics)
        return
    with raising(), Grader(host=host) as grader:
        result = grader.grade(loaded.cases[0], directory / "reference")
    if result.verdict.status != "passed":
        raise CaseRefused(
            f"The solution does not pass its own tests: {'; '.join(result.verdict.reasons)}.",
            remedy=f"Correct {file}, then run `grade check {shlex.quote(str(directory))}`.",
        )
    known = measured(result, loaded.cases[0].limits.cpus)
    file.write_text(first + case_text(project, image, known), "utf-8")
    console.say(f"  measured:      memory {known['memory']}, {known['seconds']} s")
    _check(directory, host)


def _check(directory: Path, host: str | None) -> None:
    from gradebox.graders.cli.commands.check import check

    check([directory], host=host)


def _schema_line(directory: Path) -> str:
    from gradebox.graders.authoring.editor_schemas import schema_line

    return schema_line(directory)


def _write(directory: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files of a case. Raises UsageRefused if that is not possible, or something is there."""
    try:
        _refuse_what_is_there(directory)
        for name, content in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            with path.open("xb") as stream:
                stream.write(_schema_line(directory).encode() + data if name == "case.yaml" else data)
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
