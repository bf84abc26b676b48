"""``grade schema``: the JSON Schema of case files, suites and verdicts, also for editors."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders.cli.help import command_app, examples, one_of
from gradebox.graders.errors import UsageRefused


class Kind(StrEnum):
    CASE = "case"
    SUITE = "suite"
    VERDICT = "verdict"


app = command_app()


@app.command(epilog=examples("grade schema case > case.schema.json", "grade schema verdict", "grade schema --install"))
def schema(
    kind: Annotated[
        str, typer.Argument(help="Which: case, suite or verdict.", metavar="KIND", autocompletion=lambda: list(Kind))
    ] = "case",
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Describe every field of cases and suites in Markdown instead.")
    ] = False,
    into_editors: Annotated[
        bool, typer.Option("--install", help="Write the schemas and settings for VS Code into the current project.")
    ] = False,
) -> None:
    """Print the JSON Schema (draft-07) of case files, suites or verdicts.

    Editors complete and check case files with it. `--install` writes `.gradebox/*.schema.json`, adds to
    `.vscode/settings.json` what is missing there, and says what to do in other editors.
    """
    chosen = one_of(Kind, "KIND", kind)
    if into_editors:
        _install()
        return
    if as_markdown:
        from gradebox.graders.cases.field_tables import markdown

        print(markdown(), end="")
        return
    from gradebox.graders.cases.schema import as_draft_07, file_schema
    from gradebox.graders.model import verdict_document

    verdict = chosen is Kind.VERDICT
    print(
        json.dumps(
            as_draft_07(verdict_document.json_schema(), "gradebox verdict") if verdict else file_schema(chosen),
            indent=2,
        )
    )


def _install() -> None:
    from gradebox.graders.authoring.editor_schemas import OTHER_EDITORS, install

    try:
        said = install(Path())
    except OSError as error:
        raise UsageRefused(f"The schemas cannot be written: {error}.") from error
    print("\n".join([*said, "", OTHER_EDITORS]))
