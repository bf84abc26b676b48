"""What a lying peer knows of the conversation: which numbers mean what, what was asked, and what it heard.

It reads the grader's messages and keeps no process and no descriptor. All that it learns is what any candidate's
process would know. Data that it heard is kept, so that it can be repeated: a peer that is told what a test
expects will answer with it sooner or later.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

CONTAINERS = frozenset("ldrsBw")
OBJECTS = frozenset("xce")
_MOST_HEARD = 400
_WHATEVER = object()


@dataclass(slots=True)
class Request:
    """A request of either side that has no answer yet."""

    number: Any
    what: Any
    parts: list[Any]
    forbidden: str = ""


@dataclass(slots=True)
class Conversation:
    """The state of one connection.

    Attributes:
        lent: Numbers of the grader's objects and the trees that introduced them.
        containers: Numbers of the grader's containers, likewise.
        released: Numbers of both sides that are forgotten.
        own: Numbers of the peer's own objects and containers that it sent, with the letter of their tag.
        open: Requests of the grader that wait for an answer, the innermost last.
        asked: Requests of the peer that wait for an answer, likewise.
        finished: Requests of the grader that were answered.
        heard: Data that the grader sent, of which some may be what a test expects.
        said: Names that the grader used.
        subjects: Numbers of what was lent and may be asked something, None if they are to be found anew.
    """

    lent: dict[int, Any] = field(default_factory=dict)
    containers: dict[int, Any] = field(default_factory=dict)
    released: deque[int] = field(default_factory=lambda: deque(maxlen=200))
    own: dict[int, str] = field(default_factory=dict)
    open: list[Request] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)
    finished: deque[Any] = field(default_factory=lambda: deque(maxlen=50))
    heard: deque[Any] = field(default_factory=lambda: deque(maxlen=_MOST_HEARD))
    said: deque[str] = field(default_factory=lambda: deque(maxlen=100))
    subjects: list[int] | None = None
    last_own: int = 0
    last_request: int = 0

    def number(self, tag: str) -> int:
        """Return the number of a new object or container of the peer's."""
        self.last_own -= 1
        self.own[self.last_own] = tag
        return self.last_own

    def ask(self, what: Any, parts: list[Any], forbidden: str = "") -> Request:
        """Note a request of the peer's."""
        self.last_request += 1
        self.asked.append(Request(self.last_request, what, parts, forbidden))
        return self.asked[-1]

    def hear(self, message: Any) -> Request | None:
        """Read a message of the grader's; return the peer's own request that it answers, if it is not a request.

        Raises:
            ValueError: If it is not a message, or answers nothing.
        """
        kind, number, changes, released, *rest = message
        count = len(self.lent)
        for each in changes:
            self._learn(each)
        for each in rest if kind != "?" else rest[1:]:
            self._learn(each)
        for each in released:
            # Nobody can name them any more.
            for known in (self.own, self.lent, self.containers):
                known.pop(each, None)
        if released or len(self.lent) != count:
            self.subjects = None
        if kind == "?":
            self.open.append(Request(number, rest[0], rest[1:]))
            self.said.extend(part for part in rest[1:3] if isinstance(part, str))
            return None
        if kind not in ("=", "!"):
            raise ValueError(f"a message of the grader's has the tag {kind!r}")
        # One that was out of order has no number of its own.
        mine = next((each for each in reversed(self.asked) if each.number in (number, None)), None)
        if mine is None:
            raise ValueError(f"the grader answers {number}, which was not asked")
        self.asked.remove(mine)
        return mine

    def _learn(self, tree: Any) -> None:
        """Note the numbers and the data in a tree."""
        places = [tree]
        while places:
            part = places.pop()
            if isinstance(part, dict):
                places += part.values()
            elif not isinstance(part, list):
                if isinstance(part, (str, float)) or (isinstance(part, int) and abs(part) > 1):
                    self.heard.append(part)
            elif part and isinstance(part[0], str):
                tag, number = part[0], part[1] if len(part) > 1 else None
                if tag == "i" or (tag in "tzvb" and _is_data(part)):
                    self.heard.append(part)
                if isinstance(number, int) and number > 0:
                    if tag in OBJECTS:
                        self.lent[number] = part
                    elif tag in CONTAINERS:
                        self.containers[number] = part
                places += part[1:]
            else:
                places += part


def _is_data(tree: Any) -> bool:
    """Return whether a tree names no object, so that it may be said again at any time."""
    return not isinstance(tree, list) or (str(tree[0]) in "itzvbfkn" and all(map(_is_data, tree[1:])))
