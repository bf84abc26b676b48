"""Carries over to the candidate's process what tests replace for a while, in the library, too (`builtins.input`).

`mock.patch` and `monkeypatch` call `setattr` for that; theirs is this one. stdout and stderr are left out: what the
candidate prints is printed here again, to whatever stands for them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.links import link_of
from graders.languages.inside.python.apart.methods import Method
from graders.languages.inside.python.apart.receiving import JUDGING

if TYPE_CHECKING:
    from typing import Any

_PRINTED = ("stdout", "stderr")


def mirror(peer: Any, *tools: Any) -> None:
    """Have modules of testing tools replace things in both processes."""
    originals: dict[tuple[int, str], Any] = {}
    kinds = (type, type(sys))

    def is_common(thing: Any, name: str) -> bool:
        if type(thing) not in kinds or (thing is sys and name in _PRINTED):
            return False
        path = peer.path_of(thing)
        return bool(path) and path[0].partition(".")[0] not in JUDGING

    def replace(thing: Any, name: str, value: Any) -> None:
        if link_of(thing) is not None:
            peer.ask("restore", thing, name) if isinstance(value, Method) else peer.ask("replace", thing, name, value)
            return
        before = thing.__dict__.get(name, tools) if type(thing) in kinds else tools
        setattr(thing, name, value)
        if not is_common(thing, name):
            return
        if originals.setdefault((id(thing), name), before) is value:
            peer.ask("restore", thing, name)
            del originals[id(thing), name]
        else:
            peer.ask("replace", thing, name, value)

    def remove(thing: Any, name: str) -> None:
        if link_of(thing) is not None:
            peer.ask("restore", thing, name)
            return
        delattr(thing, name)
        if is_common(thing, name) and (id(thing), name) in originals:
            peer.ask("restore", thing, name)
            del originals[id(thing), name]

    for tool in tools:
        tool.setattr = replace
        tool.delattr = remove


def mirror_seed(peer: Any) -> None:
    """Have `random.seed` of the tests seed the candidate's process, too."""
    import random

    original = random.seed

    def seed(*args: Any, **kwargs: Any) -> None:
        original(*args, **kwargs)
        peer.ask("seed", *args)

    random.seed = seed
