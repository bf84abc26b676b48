"""Links of stand-ins to their originals in the other process, requests to these, and their methods."""

from __future__ import annotations

from typing import Any

# Test runners look for these attributes in every object; a candidate's values must not influence them.
_NEVER = ("pytest", "_pytest", "__pytest", "__test", "__unittest", "__tracebackhide", "_gradebox", "load_tests")
# Special attributes that are requested from the original; the stand-in itself has all others.
_FORWARDED = frozenset("__name__ __qualname__ __doc__ __version__ __author__ __annotations__ __wrapped__ __dict__ "
    "__members__ __file__ __defaults__ __kwdefaults__ __module__ __mro__ __isabstractmethod__ __abstractmethods__ "
    "__match_args__ __code__ __self__ __func__ __call__ __all__ __closure__ __notes__ "
    "__dataclass_params__".split())  # fmt: skip
REPLACED: list[tuple[Any, str, Any]] = []
"""Attributes that tests have replaced: the stand-in, the attribute's name, and the stand-in for the old value."""


class Link:
    """The original of a stand-in.

    Attributes:
        paths: The paths on which it came to this process.
        place: Module and name under which a new process has it again.
        about: The other side's description of it.
        taken: How many items were taken from an iterator.
        data: The value of an object whose class is derived from an immutable kind of data.
        objects: The paths of a class's objects.
        length, items: Its reported number of items and the number it gave, since its last possible change; None if
            unknown.
        counted, first: For an iterator: the link of its iterable, and how many items were taken before the count began.
        running: For a coroutine: its replacement that runs here.
        is_derived: Whether it came from a request about several objects of the submission (`Checkpoint.heeded`).
        is_step: Whether it is an awaitable that came only as the next item of an iterator.
        hidden: For an awaitable: the failure that the tests handled when they requested it.
    """

    __slots__ = (
        "about",
        "counted",
        "data",
        "first",
        "generation",
        "hidden",
        "is_derived",
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
        self.is_derived = False
        self.is_step: bool | None = None
        self.hidden: BaseException | None = None


FUNCTION_TYPES = frozenset(("function", "method", "builtin_function_or_method", "method-wrapper"))
"""The names of the classes of functions."""
_TOLD_OF_FUNCTIONS = frozenset(("__name__", "__qualname__", "__doc__"))
LINKS: dict[int, Link] = {}
"""The links of all stand-ins, by `id`. Links are no attributes, since attributes of a stand-in are the original's."""


def link_of(thing: Any) -> Link | None:
    """Return the link of a stand-in, None for anything else."""
    return LINKS.get(id(thing))


PATHS = "_gradebox_paths"
"""The attribute of a named tuple with the paths on which it arrived as an object."""


def paths_of(thing: Any, link: Link) -> Any:
    """Return the paths on which something came. A named tuple is data; only its class has a link."""
    return thing.__dict__.get(PATHS, ()) if issubclass(type(thing), tuple) else link.paths


def is_forwarded(name: str) -> bool:
    """Whether an attribute is requested from the other process."""
    return name in _FORWARDED if name.startswith("__") and name.endswith("__") else not name.startswith(_NEVER)


def ask(what: str, stand_in: Any, *request: Any) -> Any:
    """Send a request about a stand-in's original to its process, and return the answer."""
    # A named tuple is data; only its class has a link.
    link = link_of(stand_in) or LINKS[id(type(stand_in))]
    return link.peer.ask(what, stand_in, *request)


def may(stand_in: Any, word: str, *others: Any) -> bool:
    """Whether a request, as a word of the contract, may be made to a stand-in's original."""
    link = link_of(stand_in) or link_of(type(stand_in))
    return link is None or bool(link.peer.checkpoint.may(stand_in, link, word, others))


def refused(stand_in: Any, word: str) -> Any:
    """Return the error for a request that may not be made to a stand-in's original."""
    link = link_of(stand_in) or LINKS[id(type(stand_in))]
    return link.peer.checkpoint.refuse(stand_in, word)


def attribute(thing: Any, name: str) -> Any:
    """Return an attribute of a stand-in's original, or the value that the submission set on the stand-in."""
    link = link_of(thing)
    own = link.peer.own.get(id(thing), (thing, {}))[1] if link is not None else {}
    if name in own:
        return own[name]
    if link is not None and type(thing).__name__ in FUNCTION_TYPES and type(thing).__module__ == "builtins":
        # A function's own description came along with it.
        about = link.about or {}
        if name == "__doc__" and type(about.get("doc", 0)) in (str, type(None)):
            return link.peer.described(name, about["doc"])
        told = about.get(name.strip("_")) if name in _TOLD_OF_FUNCTIONS else None
        if type(told) is str:
            return told
        if link.peer.side < 0:
            raise AttributeError(f"{type(thing).__name__!r} object of the test has no usable attribute {name!r}")
    found = ask("get", thing, name)
    if link is not None and link.peer.side > 0 and callable(found):
        link.peer.checkpoint.check_method(thing, name, found)
    return found


def flat(named: dict[str, Any]) -> tuple[Any, ...]:
    """Return named arguments in the form in which they are sent."""
    return tuple(part for pair in named.items() for part in pair)


def unflat(parts: Any) -> dict[str, Any]:
    return dict(zip(parts[::2], parts[1::2]))


class Method:
    """A method of a class of the other process; accessing it on an object binds it."""

    def __init__(self, name: str, owner: str) -> None:
        self.__name__, self.__qualname__ = name, f"{owner}.{name}"

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner = owner

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        if thing is None:
            try:
                return attribute(kind, self.__name__)
            except AttributeError:  # It is not asked for.
                return self
        # A class of this side may derive from one of the other side and call the base's method by `super`.
        is_derived = link_of(type(thing)) is not None and type(thing) is not self.owner
        return BoundMethod(thing, self.__name__, self.owner if is_derived else None)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of functions, for tools that look into the namespace of a class."""
        return type(link_of)

    def __getattr__(self, name: str) -> Any:
        if name == "owner":
            raise AttributeError(name)
        return getattr(attribute(self.owner, self.__name__), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and (link_of(args[0]) or link_of(type(args[0]))):
            return BoundMethod(args[0], self.__name__)(*args[1:], **kwargs)
        # A function that the class merely holds.
        return attribute(self.owner, self.__name__)(*args, **kwargs)


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
            # This method was accessed before a test replaced it.
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

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self.original().__doc__

    def __eq__(self, other: object) -> bool:
        return type(other) is BoundMethod and (self.__self__ is other.__self__ and self.__name__ == other.__name__)

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__name__))

    def original(self) -> Any:
        """Return the stand-in for the method itself."""
        return attribute(self.__self__, self.__name__)
