"""What ``grade images`` does. Prints."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graders.reports.escaping import visible
from graders.reports.terminal import output, print_trimmed
from sandbox import reaper
from sandbox.engines.connect import connect
from sandbox.engines.engine import Engine
from sandbox.images import build as images
from sandbox.images.build import BuildEvent, BuildStep

_STYLES = {"current": "green", "stale": "yellow", "missing": "red"}


def cleaned_engine(host: str | None) -> Engine:
    """Return the engine, freed of what crashed runs left: every command that meets an engine does that."""
    engine = connect(host)
    try:
        reaper.reap(engine)
    except BaseException:
        engine.close()
        raise
    return engine


def build(names: list[str], *, force: bool, host: str | None) -> None:
    """Build images and tell how it goes on stderr."""
    console = Console(stderr=True, highlight=False)
    engine = cleaned_engine(host)
    status = console.status("looking for images") if console.is_terminal else None

    def tell(event: BuildEvent) -> None:
        match event.step:
            case BuildStep.OUTPUT if status is not None:
                status.update(escape(visible(f"{event.image}: {event.text}")[: console.width - 4]))
            case BuildStep.OUTPUT:
                pass
            case BuildStep.WAITING | BuildStep.STARTED:
                console.print(escape(event.text or f"{event.image}: building"))
            case BuildStep.BUILT | BuildStep.REUSED:
                pass

    try:
        if status is not None:
            status.start()
        built = images.build(names, engine.images, tell, force=force)
    finally:
        if status is not None:
            status.stop()
        engine.close()
    for image in built:
        how = "is current" if image.reused else f"built in {image.seconds:.0f} s"
        console.print(escape(f"{image.name}: {how} ({image.reference}, {image.image_id[7:19]})"))


def show(*, as_json: bool, host: str | None) -> None:
    """Print the images and their state on stdout."""
    engine = cleaned_engine(host)
    rows = images.list_built(engine.images)
    engine.close()
    if as_json:
        for row in rows:
            described = {
                "name": row.name,
                "reference": row.reference,
                "state": str(row.state),
                "image_id": row.image_id,
                "size_bytes": row.size_bytes,
                "created": row.created,
            }
            sys.stdout.write(json.dumps(described) + "\n")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("image", "state", "id", "size", "built"):
        table.add_column(title, justify="right" if title == "size" else "left")
    for row in rows:
        built = "" if row.created is None else datetime.fromtimestamp(row.created, UTC).strftime("%Y-%m-%d %H:%M")
        size = f"{row.size_bytes / 1e6:.0f} MB" if row.size_bytes else ""
        state = f"[{_STYLES[row.state]}]{row.state}[/]"
        table.add_row(row.reference, state, row.image_id[7:19], size, built)
    print_trimmed(output(), table)


def remove(names: list[str], *, host: str | None) -> None:
    """Remove images and tell which on stderr."""
    engine = cleaned_engine(host)
    removed = images.remove(names, engine.images)
    engine.close()
    console = Console(stderr=True, highlight=False)
    for reference in removed:
        console.print(escape(f"removed {reference}"))
    if not removed:
        console.print("there was nothing to remove")
