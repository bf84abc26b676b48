"""The candidate's side: loads the submission's modules and does what the grader's process requests.

Whatever code of the submission does to this process changes what it answers, and nothing else: all that is decided is
decided in the other process.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.describing import at, plain
from graders.languages.inside.python.apart.first import INSTALLED, STARTED
from graders.languages.inside.python.apart.peer import Peer

if TYPE_CHECKING:
    from typing import Any


class Server:
    """What the grader can request besides the use of objects."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.originals: dict[tuple[int, str], Any] = {}
        self.loaded = {name for name in sys.modules if "." not in name} - STARTED

    def __call__(self, what: str, *request: Any) -> Any:
        return getattr(self, f"do_{what}")(*request)

    def do_import(self, name: str, places: tuple[str, ...], anew: bool) -> int:
        """Load a module; anew, if the grader has forgotten it and not been told before. Return its number."""
        self.do_places(places)
        if anew:
            sys.modules.pop(name, None)
        __import__(name)
        return self.peer.given(sys.modules[name])

    def do_reload(self, module: Any) -> Any:
        import importlib

        return importlib.reload(module)

    def do_find(self, module: str, name: str) -> Any:
        __import__(module)
        return at(sys.modules[module], name) if name else sys.modules[module]

    def do_exported(self, module: Any) -> list[str]:
        names = getattr(module, "__all__", None)
        return [*names] if names is not None else [name for name in vars(module) if not name.startswith("_")]

    def do_around(self, directory: str, changed: dict[str, str | None]) -> None:
        """Take over a working directory, and what has changed in the environment of the grader's process."""
        if directory:
            os.chdir(directory)
        for name, value in changed.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def do_places(self, places: tuple[str, ...]) -> None:
        """Look for modules in these directories first, though this program has loaded others of their names."""
        new = [place for place in places if place not in sys.path]
        sys.path[:0] = new
        for place in new:
            if not (os.path.isdir(place) and os.access(place, os.R_OK)):
                continue
            for top in self.loaded & {name.partition(".")[0] for name in os.listdir(place)}:
                self.loaded.remove(top)
                for name in [name for name in sys.modules if name.partition(".")[0] == top]:
                    del sys.modules[name]

    def do_replace(self, thing: Any, name: str, value: Any) -> None:
        """Put something in place of what a module or another object has, until it is restored."""
        self.originals.setdefault((id(thing), name), (thing, getattr(thing, "__dict__", {}).get(name)))
        setattr(thing, name, value)

    def do_restore(self, thing: Any, name: str) -> None:
        """Put the original back, if it had one of its own."""
        original = self.originals.pop((id(thing), name), (None, None))[1]
        if original is None:
            delattr(thing, name)
        else:
            setattr(thing, name, original)

    def do_seed(self, *args: Any) -> None:
        import random

        random.seed(*args)

    def do_setattr(self, thing: Any, name: str, value: Any) -> None:
        setattr(thing, name, value)

    def do_delattr(self, thing: Any, name: str) -> None:
        delattr(thing, name)

    def do_base(self, kind: type, name: str, thing: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return getattr(kind, name)(thing, *args, **kwargs)

    def do_iter(self, thing: Any) -> Any:
        return iter(thing)

    def do_item(self, thing: Any, key: Any) -> Any:
        return thing[key]

    def do_dir(self, thing: Any) -> list[str]:
        return dir(thing)

    def do_copy(self, thing: Any) -> Any:
        import copy

        return copy.copy(thing)

    def do_deepcopy(self, thing: Any) -> Any:
        import copy

        return copy.deepcopy(thing)

    def do_plain(self, thing: Any) -> Any:
        return plain(thing)

    def do_derive(self, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> int:
        """Derive a class as a class statement in the grader's process does."""
        import types

        return self.peer.given(types.new_class(name, bases, {}, lambda body: body.update(namespace)))

    def do_begin(self, awaitable: Any) -> Any:
        """Begin to run an awaitable, in one loop with all others."""
        import asyncio

        async def wait() -> Any:
            return await awaitable

        if not hasattr(self, "loop"):
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.create_task(wait())

    def do_ready(self, task: Any) -> bool:
        """Go on with all that was begun for a while, or until this is done."""
        import asyncio

        if not task.done():
            self.loop.run_until_complete(asyncio.wait({task}, timeout=0.01))
        return bool(task.done())

    def do_result(self, task: Any) -> Any:
        return task.result()

    def do_cancel(self, task: Any) -> None:
        task.cancel()


class Answering(Peer):
    """The candidate's side of the connection."""

    def __init__(self) -> None:
        super().__init__(is_careful=False, side=-1)

    def answer_all(self, connection: int) -> None:
        """Answer requests until the grader has gone."""
        self.connect(connection, connection)
        self.serve = Server(self)
        while True:
            with self.lock:
                number, box = self.receive()
            self.answer(number, box)

    def lost(self) -> BaseException:
        os._exit(0)


NEEDS_CODE = b"?"


def begin_forked(side: Answering) -> None:
    """Take the connection from stdin in a process that has this program already."""
    os.write(0, b"!")
    begin_candidate([place for place in INSTALLED if place], side)


def begin_candidate(places: list[str], side: Answering | None = None) -> None:
    """Take the connection from stdin, which programs may read, and serve; modules of the image are in these places."""
    sys.path[:] = places
    if sys.flags.no_site:
        import _sitebuiltins
        import builtins

        for name in ("exit", "quit"):
            setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
        builtins.__dict__["help"] = _sitebuiltins._Helper()
    sys.dont_write_bytecode = True
    connection = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.argv = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.executable]
    main = type(sys)("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    (side or Answering()).answer_all(connection)
