"""``grade images``: build, pull, list and remove the images that cases are graded in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import completion, console
from gradebox.graders.cli.help import command_app, examples, one_of
from gradebox.graders.cli.options import HostOption
from gradebox.graders.errors import UsageRefused, exit_code_of_results

if TYPE_CHECKING:
    from gradebox.sandbox.engines.engine import Engine
    from gradebox.sandbox.images.build import BuildEvent

ImagesArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Which images. Default: all.", metavar="NAME", autocompletion=completion.images),
]
_COLOURS = {"current": "green", "stale": "yellow", "missing": "red", "optional": "dim"}

app = command_app(
    help="Build, pull, list and remove the images that cases are graded in.",
    epilog=examples("grade images build", "grade images warm cases/", "grade images list"),
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
    from gradebox.sandbox.images.described_image import LABEL_SOURCE, listed

    with _connected(host) as engine:
        images = list_built(engine.images, image_catalogue())
        own = listed(engine.images)
    if json_lines:
        for image in images:
            print(json.dumps(asdict(image)))
        for name, one in own.items():
            found = {"reference": name, "image_id": one.id, "size_bytes": one.size_bytes, "created": one.created}
            print(json.dumps({"name": "", "state": "built", **found, "case_file": one.labels[LABEL_SOURCE]}))
        return
    from rich.markup import escape
    from rich.table import Table

    from gradebox.graders.reports.escaping import visible
    from gradebox.graders.reports.terminal import output, print_trimmed

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("image", "state", "id", "size", "built", *(["case file"] if own else [])):
        table.add_column(title, justify="right" if title == "size" else "left", no_wrap=title != "case file")
    for image in images:
        state = f"[{_COLOURS[image.state]}]{image.state}[/]"
        size = _size(image.size_bytes)
        table.add_row(image.reference, state, image.image_id[7:19], size, _date(image.created))
    for name, one in own.items():
        source = escape(visible(one.labels[LABEL_SOURCE]))
        table.add_row(name, "built", one.id[7:19], _size(one.size_bytes), _date(one.created), source)
    print_trimmed(output(), table)


def _size(count: int) -> str:
    return f"{count / 1e6:.0f} MB" if count else ""


def _date(created: float | None) -> str:
    return "" if created is None else datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%d")


@app.command(epilog=examples("grade images warm cases/", "grade images warm cases/ --pull always --jobs 4"))
def warm(
    paths: Annotated[list[Path], typer.Argument(help="Cases, suites, or directories of them.", metavar="PATH")],
    pull: Annotated[
        str,
        typer.Option("--pull", help="When images of registries are pulled: missing, always or never.", metavar="WHEN"),
    ] = "missing",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="How many images to get at a time.", min=1, max=64)] = 3,
    host: HostOption = None,
) -> None:
    """Build or pull every image that cases need, before grading.

    Credentials for registries are those of the docker command. If a registry limits requests, this command tries again
    after increasing pauses. Exits with 4 if an image is not available.
    """
    from gradebox.graders.cli.progress import PlainProgress
    from gradebox.graders.cli.selection import load_all
    from gradebox.graders.grading.case_images.case_images import CaseImages
    from gradebox.sandbox.images.pulling import Pull

    policy = one_of(Pull, "--pull", pull)
    loaded = load_all(paths)
    cases = [case for one in loaded for case in one.cases]
    failed = any(one.errors for one in loaded)
    with _connected(host) as engine:
        images = CaseImages(engine, PlainProgress(0).say_image, policy=policy, parallel=jobs)
        for one in images.obtain_all(cases):
            if one.error is not None:
                failed = True
                console.error(one.error.message, one.error.remedy)
            else:
                stored = engine.images.find(one.reference)
                about = f"{stored.id[7:19]}, {_size(stored.size_bytes)}" if stored else "gone"
                console.say(f"{one.reference}: {about}")
    raise typer.Exit(exit_code_of_results(not_graded=failed))


@app.command(epilog=examples("grade images save images.tar cases/"))
def save(
    file: Annotated[Path, typer.Argument(help="Where to write them.", metavar="FILE")],
    paths: Annotated[list[Path], typer.Argument(help="Cases, suites, or directories of them.", metavar="PATH")],
    host: HostOption = None,
) -> None:
    """Write every image that cases need to a file, for a machine without a network.

    Builds or pulls missing images first. On the other machine, `grade images load` reads the file.
    """
    from gradebox.graders.cli.progress import PlainProgress
    from gradebox.graders.cli.selection import load_all
    from gradebox.graders.grading.case_images.case_images import CaseImages
    from gradebox.sandbox.images import archives

    loaded = load_all(paths)
    with _connected(host) as engine:
        images = CaseImages(engine, PlainProgress(0).say_image)
        for one in images.obtain_all([case for each in loaded for case in each.cases]):
            if one.error is not None:
                raise one.error
        _say_saved(archives.save(engine.images, images.needed, file))
        console.say(f"{file}: {_size(file.stat().st_size)}")
    raise typer.Exit(exit_code_of_results(not_graded=any(one.errors for one in loaded)))


@app.command(epilog=examples("grade images load images.tar"))
def load(
    file: Annotated[Path, typer.Argument(help="What `grade images save` has written.", metavar="FILE")],
    host: HostOption = None,
) -> None:
    """Load the images of a file, and compare their ids with those that they had when they were saved."""
    from gradebox.sandbox.images import archives

    with _connected(host) as engine:
        _say_saved(archives.load(engine.images, file))


def _say_saved(found: Mapping[str, str]) -> None:
    for name, key in found.items():
        console.say(f"{name}: {key[7:19]}")


@app.command(epilog=examples("grade images prune"))
def prune(host: HostOption = None) -> None:
    """Remove images of cases that are gone, or that now describe another image.

    Images that other machines built stay.
    """
    from gradebox.graders.cases import load
    from gradebox.graders.grading.case_images.case_images import CaseImages
    from gradebox.graders.grading.case_images.unused import unused
    from gradebox.sandbox.errors import ImageUnavailable
    from gradebox.sandbox.images.described_image import listed

    with _connected(host) as engine:
        names = list(unused(engine.images, CaseImages(engine), lambda file: load(file).cases))
        sizes = {name: _size(image.size_bytes) for name, image in listed(engine.images).items()}
        for name in names:
            try:
                engine.images.remove(name)
                console.say(f"removed {name} ({sizes.get(name, '')})")
            except ImageUnavailable as in_use:
                console.warn(f"warning: {in_use.message}")
    if not names:
        console.say("There was nothing to remove.")


@app.command(epilog=examples("grade images rm julia", "grade images rm --everything"))
def rm(
    names: ImagesArgument = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="Also remove all else that gradebox keeps on the engine and this user's caches. Run directories stay.",
        ),
    ] = False,
    host: HostOption = None,
) -> None:
    """Remove images of gradebox and of cases from the engine: the named ones, or all."""
    from gradebox.graders.languages.image_catalogue import image_catalogue
    from gradebox.sandbox import caches, reaper
    from gradebox.sandbox.images.build import remove
    from gradebox.sandbox.images.described_image import REPOSITORY, listed

    if names and everything:
        raise UsageRefused("--everything takes no names.", remedy="`grade images rm NAME` removes one image.")
    own = [name for name in names or () if name.startswith(f"{REPOSITORY}:")]
    ours = [name for name in names or () if name not in own]
    _refuse_unknown(ours)
    with _connected(host) as engine:
        removed = [f"{one.kind} {one.id}" for one in reaper.remove_everything(engine)] if everything else []
        removed += [name for name in (own if names else listed(engine.images)) if engine.images.remove(name)]
        if ours or not names:
            removed += remove(ours, engine.images, image_catalogue())
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
