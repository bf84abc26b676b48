"""What a listener raises goes to whoever grades, past everything that takes an exception for a fault of the grading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graders.model.events import Event


class _Raised(BaseException):
    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def apart(emit: Callable[[Event], None]) -> Callable[[Event], None]:
    """Return a listener whose exceptions nothing catches but `listeners_heard`."""

    def told(event: Event) -> None:
        try:
            emit(event)
        except Exception as error:
            raise _Raised(error) from error

    return told


@contextmanager
def listeners_heard() -> Iterator[None]:
    """Raise what a listener raised inside of this, as it raised it."""
    try:
        yield
    except _Raised as raised:
        raise raised.error from None
