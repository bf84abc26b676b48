"""Runs a script of the case as Python would, except that the script's directory is searched last for modules.

The directory may hold files of the candidate, such as a `json.py` that must not replace the standard library's.
"""

from __future__ import annotations

import sys


def source() -> tuple[bytes, str]:
    """Prepare the process as the interpreter does for a script, and return the script's source and path."""
    if not sys.path[0]:
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
