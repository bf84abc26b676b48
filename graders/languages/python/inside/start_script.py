"""Runs a script of the case as Python would, except that the directory of the script is the last to be searched.

There it may stand beside files of the candidate's: `json.py` must not be loaded in place of the standard library's.
"""

from __future__ import annotations

import sys


def source() -> tuple[bytes, str]:
    """Take the place of the interpreter's own start, and return the source of the script with its file."""
    if not sys.path[0]:
        # What it has for a program among its arguments: the current directory.
        del sys.path[0]
    from os.path import abspath, dirname

    del sys.argv[0]
    file = abspath(sys.argv[0])
    sys.path.append(dirname(file))
    globals().update(__file__=file, __doc__=None)
    with open(file, "rb") as stream:
        return stream.read(), file


exec(compile(*source(), "exec", dont_inherit=True))
