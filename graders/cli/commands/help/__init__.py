"""``grade help``: the pages of the documentation, offline."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from gradebox.graders.cli.help import command_app, did_you_mean, examples
from gradebox.graders.errors import UsageRefused


def _topics() -> list[str]:
    from gradebox.graders.cli.commands.help.help_pages import all_pages

    return list(all_pages())


app = command_app()


@app.command(epilog=examples("grade help", "grade help tutorial", "grade help grade-a-class"))
def help_(
    ctx: typer.Context,
    topic: Annotated[
        str, typer.Argument(help="A page, or a command.", metavar="TOPIC", autocompletion=_topics, show_default=False)
    ] = "",
) -> None:
    """Show a page of the documentation, without a network.

    Without a topic, it lists all pages by kind. A terminal shows a page in a pager.
    """
    from gradebox.graders.cli.commands.help.help_pages import find_page, pages_that_mention, render

    if not topic:
        _show(_contents())
        return
    page = find_page(topic)
    command = _command(ctx, topic)
    if page is not None:
        also = f"\nOptions of the command: grade {topic} --help\n" if command else ""
        _show(render(page) + also)
    elif command:
        _show(command)
    else:
        guess = did_you_mean(topic, _topics())
        mentions = ", ".join(f"`grade help {found}`" for found in pages_that_mention(topic))
        raise UsageRefused(
            f'There is no page "{topic}".',
            remedy=guess
            or (f"These pages have the word: {mentions}." if mentions else "`grade help` lists all pages."),
        )


def _command(ctx: Any, name: str) -> str:
    """Return the help of a command; empty if it has another name."""
    group = ctx.parent.command
    found = group.get_command(ctx.parent, name)
    return f"{found.get_help(found.context_class(found, info_name=name, parent=ctx.parent))}\n" if found else ""


def _contents() -> str:
    from textwrap import wrap

    from gradebox.graders.cli.commands.help.help_pages import COLUMNS, pages_by_kind

    kinds = pages_by_kind()
    width = max(len(page.topic) for pages in kinds.values() for page in pages)
    lines = ["grade help TOPIC shows a page, grade COMMAND --help the options of a command."]
    for kind, pages in kinds.items():
        lines += ["", f"{kind}:"]
        for page in pages:
            lines += wrap(f"  {page.topic:<{width}}  {page.title}", COLUMNS, subsequent_indent=" " * (width + 4))
    return "\n".join(lines) + "\n"


def _show(text: str) -> None:
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from pydoc import pager

    # Less than a screen needs no pager, and the text stays when it ends.
    os.environ.setdefault("LESS", "FRX")
    pager(text)
