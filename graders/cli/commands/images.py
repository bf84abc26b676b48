"""``grade images``: build, list and remove the images that cases are graded in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import completion, console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import HostOption
from gradebox.graders.errors import UsageRefused

if TYPE_CHECKING:
    from gradebox.sandbox.engines.engine import Engine
    from gradebox.sandbox.images.build import BuildEvent

ImagesArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Which images. Default: all.", metavar="NAME", autocompletion=completion.images),
]
_COLOURS = {"current": "green", "stale": "yellow", "missing": "red"}

app = command_app(
    help="Build, list and remove the images that cases are graded in.",
    epilog=examples("grade images build", "grade images list"),
)


@app.command(epilog=examples("grade images build", "grade images build python bun"))
def build(
    names: ImagesArgument = None,
    force: Annotated[bool, typer.Option("--force", help="Also rebuild images that are current.")] = False,
    host: HostOption = None,
) -> None:
    """Build the images that are missing or stale.

    The base layer comes from a registry if one answers, otherwise from Debian's packages.
    """
    from rich.markup import escape

    from gradebox.graders.languages.image_catalogue import image_catalogue
    from gradebox.graders.reports.escaping import visible
    from gradebox.graders.reports.terminal import plain_console
    from gradebox.sandbox.images.build import BuildStep
    from gradebox.sandbox.images.build import build as build_images

    _refuse_unknown(names)
    terminal = plain_console(stderr=True)
    status = terminal.status("looking for images") if terminal.is_terminal else None

    def take(event: BuildEvent) -> None:
        match event.step:
            case BuildStep.OUTPUT if status is not None:
                status.update(escape(visible(f"{event.image}: {event.text}")[: terminal.width - 4]))
            case BuildStep.WAITING | BuildStep.STARTED:
                terminal.print(escape(event.text or f"{event.image}: building"))
            case BuildStep.OUTPUT | BuildStep.BUILT | BuildStep.REUSED:
                pass

    with _connected(host) as engine:
        try:
            if status is not None:
                status.start()
            built = build_images(names or [], engine.images, image_catalogue(), take, force=force)
        finally:
            if status is not None:
                status.stop()
    for image in built:
        how = "is current" if image.reused else f"built in {image.seconds:.0f} s"
        console.say(f"{image.name}: {how} ({image.reference}, {image.image_id[7:19]})")


@app.command("list", epilog=examples("grade images list"))
def list_images(
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per image, one per line.")] = False,
    host: HostOption = None,
) -> None:
    """List the images and their state."""
    from gradebox.graders.languages.image_catalogue import image_catalogue
    from gradebox.sandbox.images.build import list_built

    with _connected(host) as engine:
        images = list_built(engine.images, image_catalogue())
    if json_lines:
        for image in images:
            print(json.dumps(asdict(image)))
        return
    from rich.table import Table

    from gradebox.graders.reports.terminal import output, print_trimmed

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("image", "state", "id", "size", "built"):
        table.add_column(title, justify="right" if title == "size" else "left")
    for image in images:
        built = "" if image.created is None else datetime.fromtimestamp(image.created, UTC).strftime("%Y-%m-%d %H:%M")
        size = f"{image.size_bytes / 1e6:.0f} MB" if image.size_bytes else ""
        state = f"[{_COLOURS[image.state]}]{image.state}[/]"
        table.add_row(image.reference, state, image.image_id[7:19], size, built)
    print_trimmed(output(), table)


@app.command(epilog=examples("grade images rm julia", "grade images rm --everything"))
def rm(
    names: ImagesArgument = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="Also remove what else gradebox keeps on the engine, and this user's caches. Run directories stay.",
        ),
    ] = False,
    host: HostOption = None,
) -> None:
    """Remove images from the engine."""
    from gradebox.graders.languages.image_catalogue import image_catalogue
    from gradebox.sandbox import caches, reaper
    from gradebox.sandbox.images.build import remove

    if names and everything:
        raise UsageRefused("--everything takes no names.", remedy="`grade images rm NAME` removes one image.")
    _refuse_unknown(names)
    with _connected(host) as engine:
        removed = [f"{one.kind} {one.id}" for one in reaper.remove_everything(engine)] if everything else []
        removed += remove(names or [], engine.images, image_catalogue())
    if everything and (place := caches.remove()):
        removed.append(str(place))
    for what in removed:
        console.say(f"removed {what}")
    if not removed:
        console.say("There was nothing to remove.")


def _refuse_unknown(names: list[str] | None) -> None:
    from gradebox.graders.languages.image_catalogue import image_catalogue
    from gradebox.sandbox.errors import ImageUnavailable

    for name in names or ():
        try:
            image_catalogue().recipe(name)
        except ImageUnavailable as unknown:
            raise UsageRefused(unknown.message, remedy=unknown.remedy) from None


@contextmanager
def _connected(host: str | None) -> Iterator[Engine]:
    """Connect to the engine, and remove what crashed runs left there: every command that uses an engine does that."""
    from gradebox.graders.cli.interruption import raising
    from gradebox.sandbox import reaper
    from gradebox.sandbox.engines.connect import connect

    with raising():
        engine = connect(host)
        try:
            reaper.reap(engine)
            yield engine
        finally:
            engine.close()
