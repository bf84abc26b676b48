"""The command line: `python3 -m notes --data DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from notes.accounts import Accounts
from notes.app import NotesApp
from notes.auth import Guard
from notes.clock import file_clock, system_clock
from notes.server import make_server
from notes.sessions import Sessions
from notes.store import NoteStore


def main() -> None:
    parser = argparse.ArgumentParser(prog="notes", description="A small JSON notes service.")
    parser.add_argument("--data", type=Path, required=True, help="directory that keeps the notes")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one")
    parser.add_argument("--clock-file", type=Path, help="read the time from this file (for tests)")
    parser.add_argument("--auth", action="store_true", help="ask for a login")
    parser.add_argument("--session-ttl", type=int, default=3600, metavar="SECONDS", help="how long a login lasts")
    parser.add_argument("--admin", metavar="NAME", help="who may see and remove every note")
    options = parser.parse_args()

    clock = file_clock(options.clock_file) if options.clock_file else system_clock
    app = NotesApp(NoteStore(options.data), clock)
    handle = app.handle
    if options.auth:
        guard = Guard(app, Accounts(options.data), Sessions(options.session_ttl, clock), options.admin)
        handle = guard.handle
    server = make_server(handle, options.host, options.port)
    # Whoever started us waits for this line: from here on, requests are answered.
    print(f"listening on http://{options.host}:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
