"""Starts a command of Python in which an adapter of ours stands for the test runner.

    python3 [flags] -c SOURCE -m MODULE ARGUMENTS...        in place of   python3 [flags] -m MODULE ARGUMENTS...
    python3 [flags] -c SOURCE /path/to/script ARGUMENTS...  in place of   /path/to/script ARGUMENTS...

The tests find what they would find without it: sys.argv, sys.path, sys.orig_argv, `__main__`, the environment.
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
    # PYTHONPATH may name the candidate's directories, in which an interpreter looks for its own start as well. It comes
    # under another name, and acts only now.
    path = os.environ.pop("GRADEBOX_PYTHONPATH", None)
    if path is not None:
        os.environ["PYTHONPATH"] = path
    words = os.environ.pop("GRADEBOX_MODULES", "").split()
    # What the case has and Python takes from the image all the same.
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
        """Open the way to the candidate's modules, as the interpreter would have done at once."""
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
        """Load a runner before the candidate's modules can stand in for parts of it, unless it is found among those."""
        try:
            found = importlib.machinery.PathFinder.find_spec(name, ([] if safe else [first]) + named)
            if found is None or found.origin is None:
                load()
        except Exception:
            # It is loaded later, and says what is wrong then.
            pass

    def status_of(ending: SystemExit) -> int:
        """Return the exit status that a SystemExit stands for."""
        code = ending.code
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        sys.stderr.write(f"{code}\n")
        return 1

    def early(ending: SystemExit) -> int:
        """Return the exit status of a program that was ended by an ordinary exit before its tests were."""
        status = status_of(ending)
        if status == 0:
            sys.stderr.write("The program exited before the tests came to their end.\n")
        return status or 1

    return enter, status_of, early, preload
