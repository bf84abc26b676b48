"""Compiles a fork server's program in a process that ends, since every fork would copy the compiler's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType


def compiled_elsewhere(source: str) -> CodeType:
    """Return the code of a program; for a fork server (forking.py), another process compiles it."""
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
