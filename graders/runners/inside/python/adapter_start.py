"""Starts a Python command in which an adapter of ours replaces the test runner.

    python3 [flags] -c SOURCE -m MODULE ARGUMENTS...        in place of   python3 [flags] -m MODULE ARGUMENTS...
    python3 [flags] -c SOURCE /path/to/script ARGUMENTS...  in place of   /path/to/script ARGUMENTS...

The tests see the same as without it: sys.argv, sys.path, sys.orig_argv, `__main__`, the environment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.own_modules import own_modules

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import SimpleNamespace


def start(
    tools: SimpleNamespace,
) -> tuple[
    Callable[[], None],
    Callable[[SystemExit], int],
    Callable[[SystemExit], int],
    Callable[[str, Callable[[], object]], None],
]:
    import importlib.machinery
    import importlib.util
    import os
    import sys
    import traceback
    import types

    how, arguments = sys.argv[1], sys.argv[2:]
    # PYTHONPATH may name the candidate's directories, from which an interpreter could load code at its start. So it
    # comes under another name, and takes effect only now.
    path = os.environ.pop("GRADEBOX_PYTHONPATH", None)
    if path is not None:
        os.environ["PYTHONPATH"] = path
    words = os.environ.pop("GRADEBOX_MODULES", "").split()
    # Modules of the case that Python imports from the image instead.
    tools.from_image = []
    flags = sys.flags
    safe = getattr(flags, "safe_path", flags.isolated)

    first = os.getcwd() if how == "-m" else os.path.dirname(os.path.realpath(how))
    named = []
    if path and not flags.ignore_environment:
        for entry in path.split(os.pathsep):
            place = os.path.abspath(entry)
            if place not in named and place not in sys.path:
                named.append(place)
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    original = list(getattr(sys, "orig_argv", ()))
    for position, word in enumerate(original):
        if word == "-c" or (word.endswith("c") and word.startswith("-") and len(original[position + 1]) > 5000):
            original[position : position + 2] = []
            break
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = original
    sys.modules["__main__"] = main

    def enter() -> None:
        """Add the places of the candidate's modules to the path, as the interpreter would have done at its start."""
        sys.path[:0] = ([] if safe else [first]) + named
        tools.from_image = own_modules(words)
        for module in () if flags.no_site else ("sitecustomize", "usercustomize"):
            if named and importlib.machinery.PathFinder.find_spec(module, named):
                sys.modules.pop(module, None)
                try:
                    importlib.import_module(module)
                except Exception:
                    traceback.print_exc()
        if how != "-m":
            sys.argv = [how, *arguments]
            main.__file__ = how
            return
        name = arguments[0]
        sys.argv = ["-m", *arguments[1:]]
        try:
            spec = importlib.util.find_spec(name + ".__main__") or importlib.util.find_spec(name)
        except ImportError:
            spec = None
        if spec is None:
            sys.stderr.write(f"{sys.executable}: No module named {name}\n")
            raise SystemExit(1)
        main.__file__, main.__spec__, main.__package__ = spec.origin, spec, spec.parent
        main.__loader__ = spec.loader
        sys.argv[0] = spec.origin or name

    def preload(name: str, load: Callable[[], object]) -> None:
        """Load a runner before the candidate's modules can replace parts of it, unless it is one of these modules."""
        try:
            found = importlib.machinery.PathFinder.find_spec(name, ([] if safe else [first]) + named)
            if found is None or found.origin is None:
                load()
        except Exception:
            # The runner is loaded again later, and then shows its error.
            pass

    def status_of(ending: SystemExit) -> int:
        """Return the exit status of a SystemExit."""
        code = ending.code
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        sys.stderr.write(f"{code}\n")
        return 1

    def early(ending: SystemExit) -> int:
        """Return the exit status of a program that exited in the ordinary way before its tests were done."""
        status = status_of(ending)
        if status == 0:
            sys.stderr.write("The program exited before the tests came to their end.\n")
        return status or 1

    return enter, status_of, early, preload
