"""Methods of objects of the other process, bound and not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.links import ask, is_forwarded, link_of

if TYPE_CHECKING:
    from typing import Any


class Method:
    """A method of a class of the other process, bound when it is taken from an object."""

    def __init__(self, name: str, owner: str) -> None:
        self.__name__ = name
        self.__qualname__ = f"{owner}.{name}"

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner = owner

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        # A class of this side that is derived from one of the other's calls the base's own method, by `super`.
        is_derived = link_of(type(thing)) is not None and type(thing) is not self.owner
        return self if thing is None else BoundMethod(thing, self.__name__, self.owner if is_derived else None)

    def __call__(self, thing: Any, *args: Any, **kwargs: Any) -> Any:
        return ask(thing, "method", thing, self.__name__, args, kwargs)


class BoundMethod:
    """A method of an object of the other process."""

    def __init__(self, thing: Any, name: str, base: Any = None) -> None:
        self.__self__ = thing
        self.__name__ = name
        self.base = base

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.base is not None:
            return ask(self.base, "base", self.base, self.__name__, self.__self__, args, kwargs)
        return ask(self.__self__, "method", self.__self__, self.__name__, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if not is_forwarded(name):
            raise AttributeError(name)
        return getattr(self.original(), name)

    def __eq__(self, other: object) -> bool:
        return type(other) is BoundMethod and (self.__self__ is other.__self__ and self.__name__ == other.__name__)

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__name__))

    def original(self) -> Any:
        """Return the stand-in for the method itself."""
        return ask(self.__self__, "getattr", self.__self__, self.__name__)
