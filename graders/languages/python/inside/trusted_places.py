"""Keeps a grader's Python, and the fork server, from loading a module from a place that a submission could write.

Such a program is started with `-S`, so it has loaded modules of the standard library alone when `close_places` is
called. That runs `site` of the library: `.pth` files of the image are read, but what they add to the path counts
only if root and the owner of the interpreter alone can write there. Finders that they install are left out.
`pip install -e .` leaves such files. The candidate's process calls `open_places`, and has the path that Python gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

LED: list[str] = []
"""Where else `site` would have led: directories, and "" for a finder."""
_UNDONE: list[Any] = []
_KNOWN: set[str] = set()


def is_trusted(place: str) -> bool:
    """Whether a place exists that no submission can change, and to which no submission can have led its path."""
    import os

    if place in _KNOWN:
        return True
    try:
        place = os.path.realpath(place) if place else ""
        if not place or f"{place}/".startswith("/workspace/"):
            return False
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            return True
        owners, is_last = {0, os.stat(_executable_directory()).st_uid}, True
        while True:
            status = os.stat(place)
            # In a directory such as /tmp, what belongs to others stays as it is.
            is_open = status.st_mode & 0o022 and (is_last or not status.st_mode & 0o1000)
            if status.st_uid not in owners or is_open:
                return False
            if place == "/":
                return True
            place, is_last = os.path.dirname(place), False
    except (OSError, ValueError):
        return False


def _executable_directory() -> str:
    import os
    import sys

    return os.path.dirname(sys.executable) or "/"


def close_places() -> None:
    """Find modules only in trusted places from now on, and run `site` unless Python has."""
    import os
    import site
    import sys
    from importlib.machinery import BuiltinImporter, FileFinder, FrozenImporter, PathFinder

    class Closed(FileFinder):
        """Finds nothing; tools may still list the modules in its directory."""

        def find_spec(self, *about: Any) -> None:
            return None

    class Finders(list):  # type: ignore[type-arg]
        """Takes no more finders."""

        def append(self, finder: Any) -> None:
            LED.append("")

        def insert(self, place: Any, finder: Any) -> None:
            LED.append("")

    def closed(place: str) -> Any:
        if is_trusted(place):
            _KNOWN.add(place)
            raise ImportError
        return Closed(place)

    def add(directory: str, known: Any = None) -> Any:
        if is_trusted(directory):
            return add_any(directory, known)
        if os.path.isdir(directory):
            LED.append(directory)
        return known

    # Where the interpreter has found `encodings`, before the first instruction of any program.
    if sys.flags.no_site:
        _KNOWN.update(
            place for place in sys.path if place.startswith((f"{sys.base_prefix}/", f"{sys.base_exec_prefix}/"))
        )
    sys.path[:] = [place for place in sys.path if place]
    library: Any = site
    add_any, library.addsitedir = library.addsitedir, add
    hooks = [closed, *sys.path_hooks]
    finders: Any = [each for each in sys.meta_path if each in (BuiltinImporter, FrozenImporter, PathFinder)]
    LED.extend("" for _ in sys.meta_path[len(finders) :])
    sys.path_hooks[:], sys.meta_path = hooks, Finders(finders)
    for place in [each for each in sys.path_importer_cache if each not in _KNOWN]:
        del sys.path_importer_cache[place]
    if sys.flags.no_site:
        kept, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        try:
            # A line of a `.pth` file that imports from such a place fails, and `site` says so.
            site.main()
        finally:
            sys.stderr.close()
            sys.stderr = kept
    sys.path_hooks[:], sys.meta_path = hooks, finders
    found = [*sys.path]
    sys.path[:] = [place for place in found if is_trusted(place)]
    LED.extend(place for place in found if place not in sys.path and os.path.exists(place))
    _UNDONE[:] = closed, Closed, add_any


def open_places(known: Sequence[str] = ()) -> None:
    """Find modules in any place from now on: in those that are `known`, or if none are, wherever the image leads."""
    import site
    import sys

    is_run = bool(_UNDONE) or not sys.flags.no_site
    if _UNDONE:
        closed, kind, site.addsitedir = _UNDONE
        sys.path_hooks.remove(closed)
        for place in [each for each, finder in sys.path_importer_cache.items() if type(finder) is kind]:
            del sys.path_importer_cache[place]
        _UNDONE.clear()
    if known:
        sys.path[:] = known
    elif LED or not is_run:
        site.main()
