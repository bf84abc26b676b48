"""``grade view``: the runs below a directory in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import option
from gradebox.graders.errors import Interrupted, RunRefused

RUNS = Path("runs")

app = command_app()


@app.command(epilog=examples("grade view", "grade view shards --port 8000 --open"))
def view(
    root: Annotated[Path, typer.Argument(help="The directory of the runs, or one run.", metavar="[DIR]")] = RUNS,
    port: Annotated[
        int, option(None, "--port N", "Port on this machine. Default: one that is free.", min=0, max=65535)
    ] = 0,
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser, or only print its address.")
    ] = False,
) -> None:
    """Look at runs in a browser: search, compare, and watch those in progress.

    Serves pages to this machine only, and only to users who have the printed address. Changes nothing but the index,
    which you may remove at any time. Ctrl-C ends it.
    """
    from gradebox.graders.cli.browser import opened_privately
    from gradebox.graders.cli.interruption import raising
    from gradebox.graders.model.tree import RUN_RECORD
    from gradebox.graders.reports.viewer.addresses import run_path, to
    from gradebox.graders.reports.viewer.pages import Viewer
    from gradebox.graders.reports.viewer.viewer_server import ViewerServer, serving
    from gradebox.graders.runs.index.run_index import RunIndex

    if not root.is_dir():
        raise RunRefused(f"There is no directory {root}.", remedy="`grade` makes runs/ with its first run.")
    run = root.resolve() if (root / RUN_RECORD).is_file() else None
    index = RunIndex(run.parent if run else root)
    server = ViewerServer(Viewer(index), port)
    try:
        address = server.access.address(to(run_path(run.name)) if run else "/")
        with raising(), serving(server), opened_privately(address if opens else "") as problem:
            if index.database.why_elsewhere:
                place = index.database.place or "memory"
                console.note(f"index: {place}, because {index.database.why_elsewhere}")
            console.warn(*([problem] if problem else []))
            print(address, flush=True)
            console.note("Ctrl-C ends it. Anybody with this address can read the runs.")
            server.serve_forever()
    except Interrupted:
        console.note("ended")
    finally:
        index.close()
