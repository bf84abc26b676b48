"""Grade untrusted code in throwaway Docker containers: the public API of gradebox.

    from gradebox import Grader

    with Grader() as grader:
        result = grader.grade("cases/add-auth", submission="work/")
        print(result.verdict.status, result.verdict.score)

Everything here comes from `gradebox.graders`, and is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox import graders

if TYPE_CHECKING:
    from gradebox.graders import *  # noqa: F403 - what its `__all__` lists, for type checkers

    __version__: str

__all__ = ["__version__"]
__all__ += graders.__all__


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - takes longer than the rest of this package

        return version("gradebox")
    if name in __all__:
        return getattr(graders, name)
    raise AttributeError(f"module 'gradebox' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
