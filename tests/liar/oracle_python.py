"""The oracle inside a grader's process of Python: writes down what that process does, and what has changed at its end.

Its source is put in front of the grader's program (`lying_runs.py`). An audit hook notes imports, files that are
opened, code that is compiled or executed, programs, connections and changes of files: the event, who caused it (the
program, the tests, a library), in which function, and with what. The same is noted of a run with an honest candidate's
process. What only the lying one causes is a finding. At the end, the dictionaries of common modules and classes must be
what they were at the start.
"""

# ruff: noqa: PTH109, PTH120 - pathlib would be one more module that the watched process loads

from __future__ import annotations

import os
import sys
from typing import Any

WATCHED = (
    "import", "open", "exec", "compile", "os.", "subprocess.", "ctypes.", "socket.", "shutil.", "tempfile.", "marshal.",
    "pickle.", "code.__new__", "function.__new__", "object.__setattr__", "object.__delattr__", "builtins.input", "pty.",
    "gc.", "sys.setprofile", "sys.settrace", "urllib.", "mmap.",
)  # fmt: skip
# They say what a process looked at, and harm nobody.
QUIET = frozenset(
    "os.listdir os.scandir os.fwalk os.walk gc.get_referrers gc.get_objects os.putenv os.unsetenv".split()
)
ORACLE_VARIABLE = "LIAR_ORACLE"


def watch_process(path: str) -> None:
    """Begin to watch this process; notes go to a file, a line each."""
    seen: set[str] = set()
    library = os.path.dirname(os.__file__)
    directory, process = os.getcwd(), str(os.getpid())
    notes = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    state = {"busy": False}
    write = os.write

    def note(line: str) -> None:
        if line not in seen:
            seen.add(line)
            write(notes, (line.replace("\n", "\\n") + "\n").encode("utf-8", "backslashreplace"))

    def actor() -> str:
        frame = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if frame.f_code.co_name == "_warn_unawaited_coroutine":
                # Python warns of a coroutine that nothing awaits, wherever that is dropped.
                return "library"
            if file == "<string>" and frame.f_globals.get("__name__") == "__main__":
                return f"program {frame.f_code.co_name}"
            if not (file.startswith((library, "<frozen")) and "site-packages" not in file):
                return "library" if "site-packages" in file else "tests"
            frame = frame.f_back  # type: ignore[assignment]
        return "nobody"

    def hook(event: str, args: Any) -> None:
        if state["busy"] or not event.startswith(WATCHED) or event in QUIET:
            return
        state["busy"] = True
        try:
            who = actor()
            what = args[0] if args else ""
            if event in ("exec", "compile"):
                what = getattr(what, "co_filename", "") if event == "exec" else args[1]
            elif event == "open":
                is_writing = isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
                what = f"{'write' if is_writing else 'read'} {what}"
            elif event.startswith(("socket.", "object.")):
                what = args[-1] if event == "socket.connect" else ""
            text = str(what)[:200].replace(directory, "HERE").replace(process, "PID")
            note(f"{event}\t{who}\t{text}")
        finally:
            state["busy"] = False

    before = _pictures()

    def finish() -> None:
        for name, was in before.items():
            now = _picture(name)
            for key in {*was, *now}:
                if was.get(key) != now.get(key):
                    note(f"changed\t{name}\t{key}")
        write(notes, b"end\n")

    def leave(status: int) -> None:
        finish()
        end(status)

    import atexit

    end, os._exit = os._exit, leave  # type: ignore[assignment]
    before["os"]["_exit"] = id(leave)
    atexit.register(finish)
    sys.addaudithook(hook)


_OWNERS = (
    "builtins os os.path sys json re pathlib.Path pathlib.PurePath unittest.mock.Mock unittest.mock.NonCallableMock "
    "unittest.TestCase decimal.Decimal fractions.Fraction collections.Counter collections.OrderedDict uuid.UUID "
    "collections threading asyncio contextlib functools io"
).split()
# Programs and runners change these themselves.
_FREE = frozenset(
    "stdout stderr stdin modules path argv last_type last_value last_traceback last_exc meta_path path_hooks _ "
    "path_importer_cache unraisablehook displayhook excepthook ps1 ps2 orig_argv environ dont_write_bytecode flags "
    "__annotations__ __warningregistry__ pycache_prefix __abstractmethods__ _abc_impl __import__ print input".split()
)


def _pictures() -> dict[str, dict[str, int]]:
    return {name: _picture(name) for name in _OWNERS}


def _picture(name: str) -> dict[str, int]:
    """Return what a module or a class holds, by identity."""
    import importlib

    module, _, attribute = name.rpartition(".")
    if attribute[:1].isupper():
        found: Any = getattr(importlib.import_module(module), attribute)
    else:
        found = importlib.import_module(name)
    return {key: id(value) for key, value in vars(found).items() if key not in _FREE}


if os.environ.get(ORACLE_VARIABLE):
    watch_process(os.environ.pop(ORACLE_VARIABLE))
