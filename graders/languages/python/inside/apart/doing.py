"""The candidate's process serves the requests of the grader's: one function or method for each word."""

from __future__ import annotations

import _thread
import os
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.describing import at, is_library, special
from gradebox.graders.languages.python.inside.apart.first import STARTED
from gradebox.graders.languages.python.inside.apart.links import unflat
from gradebox.graders.languages.python.inside.apart.loops import OF_LOOPS
from gradebox.graders.languages.python.inside.apart.plain_data import plain
from gradebox.graders.languages.python.inside.apart.sharing import identity

_MOST_READ = 4_000_001


def imported(name: str) -> Any:
    __import__(name)
    return sys.modules[name]


class Doing:
    """Serves requests about modules and about the process itself.

    Attributes:
        originals: The original values of attributes that the tests have replaced.
        refused: The kind of a request that was refused.
        hint: The kind of a limit that the last call from outside met without an error.
        has_contexts: Whether it was reported that the submission has context variables.
        loaded: Modules that a fork server loaded before it forked, so that they are not the submission's.
        first: The attributes that modules and their classes had when these were imported, by `id`.
    """

    given: Any
    own: Any
    loops: Any
    waiting: Any
    thread: int

    def __init__(self) -> None:
        self.originals: dict[tuple[int, str], Any] = {}
        self.first: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.loaded = {name for name in sys.modules if "." not in name} - STARTED
        self.refused, self.hint, self.has_contexts = "", "", False

    def do_import(self, name: str, places: tuple[str, ...], anew: bool) -> int:
        """Load a module and return its number; with `anew`, load it again even if it is loaded."""
        self.do_places(places)
        if anew:
            sys.modules.pop(name, None)
        return int(self.given(imported(name), "object", ()))

    def do_module(self, name: str, places: tuple[str, ...]) -> Any:
        """Return whether a module is a package, and its file; None if the module does not exist."""
        import _frozen_importlib

        self.do_places(places)
        parent = sys.modules.get(name.rpartition(".")[0])
        spec = _frozen_importlib._find_spec(name, getattr(parent, "__path__", None))  # type: ignore[attr-defined]
        return spec and (spec.submodule_search_locations is not None, str(spec.origin))

    def do_find(self, module: str, name: str) -> Any:
        return at(imported(module), name) if name else imported(module)

    def do_remember(self, thing: Any) -> None:
        """Remember the public attributes of a module, and of the submission's modules and classes in it."""
        found = {}
        for name in [name for name in dir(thing) if name[:1] != "_"]:
            try:
                found[name] = getattr(thing, name)
            except Exception:
                continue
        self.first[id(thing)] = thing, found
        for each in [each for each in found.values() if isinstance(each, (type, type(sys)))]:
            if id(each) not in self.first and not is_library(str(getattr(each, "__module__", each.__name__))):
                self.do_remember(each)

    def do_same(self, thing: Any, name: str) -> bool:
        """Return whether an attribute is the one that was remembered."""
        held = self.first.get(id(thing), (None, {}))[1]
        # Every access to a method makes a new object.
        return name in held and identity(held[name]) == identity(getattr(thing, name))

    def do_exported(self, module: Any) -> list[str]:
        names = getattr(module, "__all__", None)
        return [*names] if names is not None else [name for name in vars(module) if not name.startswith("_")]

    def do_around(self, directory: str, changed: tuple[tuple[str, str | None], ...], place: int) -> None:
        """Take over the grader's working directory, changes in its environment, and the place of its loop."""
        self.loops.enter(place)
        if directory:
            os.chdir(directory)
        for name, value in changed:
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def do_places(self, places: tuple[str, ...]) -> None:
        """Search these directories first for modules, even for names that this program has already loaded."""
        new = [place for place in places if place not in sys.path]
        sys.path[:0] = new
        for place in new:
            if not (os.path.isdir(place) and os.access(place, os.R_OK)):
                continue
            for top in self.loaded & {name.partition(".")[0] for name in os.listdir(place)}:
                self.loaded.remove(top)
                for name in [name for name in sys.modules if name.partition(".")[0] == top]:
                    del sys.modules[name]

    def do_replace(self, thing: Any, name: str, *value: Any) -> None:
        """Replace or delete an attribute of a module or another object until it is restored."""
        self.originals.setdefault((id(thing), name), (thing, getattr(thing, "__dict__", {}).get(name)))
        setattr(thing, name, *value) if value else delattr(thing, name)

    def do_restore(self, thing: Any, name: str) -> None:
        """Restore the original attribute, or delete it if the object itself had none."""
        original = self.originals.pop((id(thing), name), (None, None))[1]
        delattr(thing, name) if original is None else setattr(thing, name, original)

    def do_writing(self, places: tuple[str, ...]) -> bool:
        """Return whether a file below these directories is open for writing."""
        import fcntl

        for name in os.listdir("/proc/self/fd"):
            try:
                path = os.readlink(f"/proc/self/fd/{name}")
                is_there = path.startswith(places) and not path.endswith(" (deleted)")
                if is_there and fcntl.fcntl(int(name), fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                    return True
            except OSError:
                continue
        return False

    def do_kept(self) -> tuple[list[str], str]:
        """Return the attributes that the submission set on objects of the tests, and the kind of a refused request."""
        names, refused = sorted({name for _, held in self.own.values() for name in held}), self.refused
        own = [each for each in imported("_contextvars").copy_context() if each.name != "decimal_context"]
        if own and self.loops.number and not self.has_contexts:
            self.hint, self.has_contexts = "contexts", True
        self.own.clear()
        self.refused = ""
        return names, refused or self.hint

    def do_derive(self, name: str, bases: Any, namespace: Any, named: Any) -> int:
        made = imported("types").new_class(name, bases, unflat(named), lambda body: body.update(namespace))
        return int(self.given(made, "class", ()))

    def without_alarm(self, function: Any, *args: Any) -> Any:
        """Call a function. An alarm that comes meanwhile is handled afterwards, so that no message is cut off."""
        signal: Any = sys.modules.get("signal")
        late: list[Any] = []
        handler = signal and signal.getsignal(signal.SIGALRM)
        if not callable(handler) or _thread.get_ident() != self.thread:
            return function(*args)
        signal.signal(signal.SIGALRM, lambda *about: late.append(about))
        try:
            return function(*args)
        finally:
            signal.signal(signal.SIGALRM, handler)
            if late:
                self.hint = "timeouts"
                handler(*late[0])

    def perform(self, what: str, *request: Any) -> Any:
        if what in DONE and not self.waiting:
            self.hint = ""
        if what in OF_LOOPS:
            return OF_LOOPS[what](self.loops, *request)
        return self.loops.inside(DONE[what], *request) if what in DONE else getattr(self, f"do_{what}")(*request)


# Requests about an object.
DONE: Any = {
    "call": lambda thing, args, named: thing(*args, **unflat(named)),
    "get": getattr,
    "original": getattr,
    "method": lambda thing, name, args, named: getattr(thing, name)(*args, **unflat(named)),
    "base": lambda kind, name, thing, args, named: getattr(kind, name)(thing, *args, **unflat(named)),
    "operator": special,
    "isinstance": lambda kind, thing: isinstance(thing, kind),
    "issubclass": lambda kind, other: issubclass(other, kind),
    "set": setattr,
    "delete": delattr,
    "iter": iter,
    "item": lambda thing, key: thing[key],
    "dir": dir,
    "plain": plain,
    "read": lambda thing: tuple(part for part, _ in zip(thing, range(_MOST_READ))),
    "copy": lambda thing: imported("copy").copy(thing),
    "deepcopy": lambda thing: imported("copy").deepcopy(thing),
    "reload": lambda module: imported("importlib").reload(module),
    "seed": lambda *args: imported("random").seed(*args),
    "level": lambda name, level: imported("logging").getLogger(name).setLevel(level),
    "close": lambda coroutine: coroutine.close(),
}


def forward_warnings(peer: Any, warnings: Any) -> None:
    """Forward all warnings to the grader's process."""

    def show(message: Any, category: Any, path: Any, line: Any, *rest: Any) -> None:
        peer.ask("note", "warning", message, str(path), int(line))

    warnings.simplefilter("always")
    # A ResourceWarning comes while a file is being closed.
    warnings.simplefilter("ignore", ResourceWarning)
    warnings.showwarning = show


def forward_records(peer: Any, logging: Any) -> None:
    """Forward all log records to the grader's process, which prints those without a handler."""
    handle, known = logging.Logger.callHandlers, vars(logging.makeLogRecord({})).keys()

    def forward(logger: Any, record: Any) -> None:
        words = logger.name, record.levelno, record.getMessage(), record.pathname, record.lineno, record.funcName
        error = record.exc_info[1] if record.exc_info else None
        trace = logging.Formatter().formatException(record.exc_info) if error else None
        try:
            extra = {name: value for name, value in vars(record).items() if name not in known}
            peer.ask("note", "log", *words, error, trace, extra)
        except (TypeError, ValueError):
            # A part of the record cannot be sent.
            peer.ask("note", "log", *words, None, trace, {})
        handle(logger, record)

    logging.Logger.callHandlers = forward
    logging.lastResort = None
    logging.Logger.manager.emittedNoHandlerWarning = True
