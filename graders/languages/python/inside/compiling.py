"""Compiles a runner that serves in a process that ends, since every fork would copy what compiling leaves in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType


def compiled_elsewhere(source: str) -> CodeType:
    """Return the code of a program; in a fork server (forking.py), as another process has compiled it."""
    import marshal
    import os

    if "GRADEBOX_SERVES" not in os.environ:
        return compile(source, "<string>", "exec")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with open(writing, "wb") as file:
            file.write(marshal.dumps(compile(source, "<string>", "exec")))
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        code: CodeType = marshal.loads(file.read())  # noqa: S302 - our own, of the lines above
    os.waitpid(child, 0)
    return code
