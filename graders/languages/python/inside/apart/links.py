"""Which object of the other process a stand-in stands for, how it is asked, and its methods."""

from __future__ import annotations

from typing import Any

# Test runners look for these in everything; what a candidate says there must not steer them.
_NEVER = ("pytest", "_pytest", "__pytest", "__test", "__unittest", "__tracebackhide", "_gradebox", "load_tests")
# Special attributes that are asked for; all others are those of the stand-in.
_FORWARDED = frozenset("__name__ __qualname__ __doc__ __version__ __author__ __annotations__ __wrapped__ __dict__ "
    "__members__ __file__ __defaults__ __kwdefaults__ __module__ __mro__ __isabstractmethod__ __abstractmethods__ "
    "__match_args__ __code__ __self__ __func__ __call__ __all__ __closure__ __notes__".split())  # fmt: skip
REPLACED: list[tuple[Any, str, Any]] = []
"""What tests have put something in place of: the stand-in, the name, and the stand-in for what was there."""


class Link:
    """What a stand-in stands for.

    Attributes:
        paths: How it came to this process.
        place: Module and name under which a new process has it again.
        about: What the other side says of it.
        taken: How often the next item was taken from an iterator.
        data: The data of an object whose class is derived from a kind of data that never changes.
        objects: Paths of objects of a class.
        length, items: How many items an object said that it has, and gave, since it may have changed; None if unknown.
        counted, first: Of an iterator: the link of what it goes through, and how often the next item was taken before.
        running: Of a coroutine: what goes on here in its place.
        is_step: Whether it is an awaitable that an iterator gave for its next item, and nothing else did.
    """

    __slots__ = (
        "about",
        "counted",
        "data",
        "first",
        "generation",
        "is_step",
        "items",
        "length",
        "number",
        "objects",
        "paths",
        "peer",
        "place",
        "reference",
        "running",
        "taken",
    )

    def __init__(self, peer: Any, number: int, paths: Any = (), place: tuple[str, str] | None = None) -> None:
        self.peer, self.number, self.place, self.generation = peer, number, place, peer.generation
        self.paths = tuple(paths)
        self.objects: set[tuple[str, ...]] = set()
        self.about: Any = None
        self.data: Any = None
        self.running: Any = None
        self.reference: Any = None
        self.taken = self.first = 0
        self.counted: Link | None = None
        self.length: int | None = None
        self.items: int | None = None
        self.is_step: bool | None = None


_FUNCTION_TYPES = frozenset(("function", "method", "builtin_function_or_method", "method-wrapper"))
_TOLD_OF_FUNCTIONS = frozenset(("__name__", "__qualname__", "__doc__"))
LINKS: dict[int, Link] = {}
"""The links of all stand-ins, by their identity. They are not attributes, which would be the original's."""


def link_of(thing: Any) -> Link | None:
    """Return the link of a stand-in, None for anything else."""
    return LINKS.get(id(thing))


PATHS = "_gradebox_paths"
"""The attribute of a named tuple that is where it came as an object."""


def paths_of(thing: Any, link: Link) -> Any:
    """Return how something came here. A named tuple is data that only its class has a link for."""
    return thing.__dict__.get(PATHS, ()) if issubclass(type(thing), tuple) else link.paths


def is_forwarded(name: str) -> bool:
    """Whether an attribute is looked for in the other process."""
    return name in _FORWARDED if name.startswith("__") and name.endswith("__") else not name.startswith(_NEVER)


def ask(what: str, stand_in: Any, *request: Any) -> Any:
    """Have the process that a stand-in's original is in do something with it."""
    # A named tuple is data, which only its class has a link for.
    link = link_of(stand_in) or LINKS[id(type(stand_in))]
    return link.peer.ask(what, stand_in, *request)


def may(stand_in: Any, word: str, *others: Any) -> bool:
    """Whether something of the contract's words may be asked of a stand-in's original."""
    link = link_of(stand_in) or link_of(type(stand_in))
    return link is None or bool(link.peer.checkpoint.may(stand_in, link, word, others))


def refused(stand_in: Any, word: str) -> Any:
    """Return the error for what is not asked of a stand-in's original."""
    link = link_of(stand_in) or LINKS[id(type(stand_in))]
    return link.peer.checkpoint.refuse(stand_in, word)


def attribute(thing: Any, name: str) -> Any:
    """Return an attribute of a stand-in's original; what the submission has set on it is seen here alone."""
    link = link_of(thing)
    own = link.peer.own.get(id(thing), (thing, {}))[1] if link is not None else {}
    if name in own:
        return own[name]
    if link is not None and type(thing).__name__ in _FUNCTION_TYPES and type(thing).__module__ == "builtins":
        # What a function says of itself came along with it.
        told = link.about.get(name.strip("_")) if name in _TOLD_OF_FUNCTIONS and link.about else None
        if type(told) is str:
            return told
        if link.peer.side < 0:
            raise AttributeError(f"{type(thing).__name__!r} object of the test has no usable attribute {name!r}")
    found = ask("get", thing, name)
    if link is not None and link.peer.side > 0 and callable(found):
        link.peer.checkpoint.check_method(thing, name, found)
    return found


def flat(named: dict[str, Any]) -> tuple[Any, ...]:
    """Return named arguments as they are sent."""
    return tuple(part for pair in named.items() for part in pair)


def unflat(parts: Any) -> dict[str, Any]:
    return dict(zip(parts[::2], parts[1::2]))


class Method:
    """A method of a class of the other process, bound when it is taken from an object."""

    def __init__(self, name: str, owner: str) -> None:
        self.__name__, self.__qualname__ = name, f"{owner}.{name}"

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner = owner

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        # A class of this side that is derived from one of the other's calls the base's own method, by `super`.
        is_derived = link_of(type(thing)) is not None and type(thing) is not self.owner
        return self if thing is None else BoundMethod(thing, self.__name__, self.owner if is_derived else None)

    def __call__(self, thing: Any, *args: Any, **kwargs: Any) -> Any:
        return BoundMethod(thing, self.__name__)(*args, **kwargs)


class BoundMethod:
    """A method of an object of the other process."""

    def __init__(self, thing: Any, name: str, base: Any = None) -> None:
        self.__self__, self.__name__, self.base = thing, name, base
        self.seen = len(REPLACED)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        thing, name = self.__self__, self.__name__
        if self.base is not None:
            return ask("base", self.base, name, thing, args, flat(kwargs))
        for changed, known, original in REPLACED[self.seen :]:
            # It was taken before something was put in place of it.
            if known == name and changed is thing:
                return original(*args, **kwargs)
        link = link_of(thing)
        if link is None or link.peer.side > 0:
            return ask("method", thing, name, args, flat(kwargs))
        return attribute(thing, name)(*args, **kwargs)

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
        return attribute(self.__self__, self.__name__)
