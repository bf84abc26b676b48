"""Which object of the other process a stand-in stands for, and what its original may be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_REFLECTED = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
TWO_SIDED = {f"__{r}{name}__" for name in _REFLECTED.split() for r in ("", "r", "i")}
TWO_SIDED |= {f"__{name}__" for name in "lt le gt ge".split()}
# What the other side may be asked for by its class.
SPECIAL = TWO_SIDED | {
    f"__{name}__"
    for name in (
        "eq hash repr str format bytes bool len length_hint iter next reversed contains getitem setitem delitem call "
        "enter exit aenter aexit aiter anext await int float complex index round trunc floor ceil neg pos abs invert "
        "fspath missing get set copy deepcopy"
    ).split()
}
# Test runners look for these in everything; what a candidate says there must not steer them.
_NEVER = ("pytest", "_pytest", "__pytest", "__test", "__unittest", "__tracebackhide", "_gradebox", "load_tests")
_UNFORWARDED = frozenset(
    "__class__ __init__ __new__ __del__ __slots__ __weakref__ __getattr__ __getattribute__ __setattr__ __delattr__ "
    "__reduce__ __reduce_ex__ __getstate__ __init_subclass__ __subclasshook__ __sizeof__ __mro_entries__ __set_name__ "
    "__class_getitem__ __instancecheck__ __subclasscheck__ __prepare__ __objclass__ __array__ __length_hint__ "
    "__array_interface__ __array_struct__ __fields__ __iter__ __signature__ __text_signature__".split()
)


class Link:
    """What a stand-in stands for."""

    __slots__ = ("about", "count", "generation", "number", "path", "peer")

    def __init__(self, peer: Any, number: int, path: tuple[str, str] | None = None) -> None:
        self.peer, self.number, self.path = peer, number, path
        self.generation, self.count = peer.generation, 1
        self.about: Any = None


LINKS: dict[int, Link] = {}
"""The links of all stand-ins, by their identity. They are no attributes, which would be the original's."""


def link_of(thing: Any) -> Link | None:
    """Return the link of a stand-in, None for anything else."""
    return LINKS.get(id(thing))


def is_forwarded(name: str) -> bool:
    """Whether an attribute is looked for in the other process."""
    return not (name.startswith(_NEVER) or name in _UNFORWARDED)


def ask(stand_in: Any, *request: Any) -> Any:
    """Ask the process that a stand-in's original is in."""
    # A named tuple is data, which only its class has a link for.
    link = link_of(stand_in) or link_of(type(stand_in))
    if link is None:
        raise TypeError(f"{type(stand_in).__name__} stands for nothing")
    return link.peer.ask(*request)


def is_compared_there(one: Any, other: Any) -> bool:
    """Whether the original may be told what it is compared with."""
    link = LINKS[id(type(one))]
    return link_of(other) is not None or not link.peer.is_careful or link.peer.is_named(type(one))
