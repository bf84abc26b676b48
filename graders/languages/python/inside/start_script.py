"""Runs a script of the case as Python would, except that the script's directory is searched last for modules.

The directory may hold files of the candidate, such as a `json.py` that must not replace the standard library's.
"""

from __future__ import annotations

import sys

from gradebox.graders.languages.python.inside.trusted_places import close_places, open_places


def source() -> tuple[bytes, str]:
    """Prepare the process as the interpreter does for a script, and return the script's source and path."""
    if sys.flags.no_site:
        # A grader: what `.pth` files of the image add to the path may be the candidate's.
        close_places()
        from os import environ, pathsep

        if "GRADEBOX_PYTHONPATH" in environ:
            environ["PYTHONPATH"] = environ.pop("GRADEBOX_PYTHONPATH")
        named = environ.get("PYTHONPATH", "").split(pathsep)
        open_places([*sys.path, *(place for place in named if place and place not in sys.path)])
    elif not sys.path[0]:
        # With `-c`, the first entry is "": the current directory.
        del sys.path[0]
    from os.path import abspath, dirname

    del sys.argv[0]
    file = abspath(sys.argv[0])
    sys.path.append(dirname(file))
    globals().update(__file__=file, __doc__=None)
    with open(file, "rb") as stream:
        return stream.read(), file


exec(compile(*source(), "exec", dont_inherit=True))
