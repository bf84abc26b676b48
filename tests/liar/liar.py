"""The lying peer: plays the candidate in a conversation with a grader's process, without a process of its own.

`react` takes a message of the grader's and returns the bytes that the liar sends next. It is stateful and follows from
its seed. In between the grader's requests it makes its own, of every request, subject and name of the table, on what
was lent to it and on what was not. Its answers are adaptive: what it was asked about, what it heard before, truth,
objects that claim everything, or what an honest process answered.

    Manners.RUDE      much of it is malformed, out of order, late, twice or cut: for checkpoints, which must refuse it
    Manners.POLITE    it keeps to the form, so that the conversation goes on and a test may come to a wrong end
"""

from __future__ import annotations

import json
import random
from enum import Enum
from typing import Any

from cells import Cells
from conversation import CONTAINERS, OBJECTS, Conversation, Request
from frames import broken, encoded
from honest_memory import HonestMemory
from lying_requests import LyingRequests
from lying_values import Values

# How many requests it makes before it looks at the first answer, and how many before it answers itself. Julia compiles
# for seconds when a connection begins.
AT_ONCE = {"python": (1, 4, 16, 64), "javascript": (1, 4, 16, 64), "julia": (1, 16, 64, 256)}
_MOST_OWN = {"python": 100, "javascript": 100, "julia": 3000}
# What the tests themselves ask for.
_JUDGED = frozenset(
    "call get has method operator fields keys item items iter read data result base show original".split()
)
_MOST_REMEMBERED = 200
# What it may do as long as a connection lasts, and be honest otherwise: empty what tests pass and hope for, or give one
# thing for every attribute from some answer on.
_MOODS = ("", "", "empty", "one")


class Manners(Enum):
    """How a liar behaves."""

    RUDE = "rude"
    POLITE = "polite"


class Caught(Exception):
    """The grader's process did what it must not: the message says what."""


class Liar:
    """One lying candidate.

    Attributes:
        talk: What it knows of this connection.
        ended: Whether the connection is to be closed after what `react` returned.
        waiting: How many messages of those that were said at once have not been answered or followed by a request.
    """

    def __init__(
        self,
        language: str,
        seed: int,
        manners: Manners = Manners.POLITE,
        memory: HonestMemory | None = None,
        cells: Cells | None = None,
    ) -> None:
        self.chance = random.Random(seed)
        self.manners = manners
        self.memory = memory or HonestMemory()
        self.cells = cells or Cells()
        self.values = Values(language, self.chance, self.memory)
        self.requests = LyingRequests(self.chance, self.values, self.cells)
        self.heard: list[Any] = []
        self.talk = Conversation()
        self.style = 0.0
        self.begin()

    def begin(self) -> None:
        """Begin with a new connection; what was heard before is remembered."""
        self.heard += self.talk.heard
        del self.heard[:-_MOST_REMEMBERED]
        self.talk = Conversation()
        self.talk.heard.extend(self.heard)
        self.memory.begin()
        self.ended = False
        self.own_in_a_row = self.waiting = 0
        self.forgotten: list[int] = []
        # An honest process names modules by small numbers.
        self.last_sent = self.talk.last_own = -1000
        self.pending = b""
        # How honest it is as long as this connection lasts.
        self.style = self.chance.choice((0.0, 0.4, 0.8, 0.95)) if self.memory.templates[""] else 0.0
        # How often it says what is not a message, or requests what is not allowed: that ends most connections.
        self.rudeness = 0.0 if self.manners is Manners.POLITE else self.chance.choice((0.05, 0.3, 1.0))
        self.patience = self.chance.choice((0, 1, 3, 8))
        self.is_rude = False
        self.values.keeps_form = self.rudeness < 1 or self.chance.random() < 0.4
        self.asks = self.chance.choice((0.2, 0.6, 0.9))
        self.mood = self.chance.choice(_MOODS) if self.manners is Manners.POLITE else ""
        self.different = self.chance.randrange(5) if self.mood == "one" else 0
        self.style = 1.0 if self.mood else self.style
        self.one: Any = None

    def react(self, text: bytes) -> bytes:
        """Hear a message and say something.

        Raises:
            Caught: If the message shows that the grader's process did what the table does not allow.
        """
        message = json.loads(text)
        try:
            mine = self.talk.hear(message)
        except ValueError as error:
            raise Caught(f"{error}: {text[:300]!r}") from error
        if mine is not None:
            self._judge(mine, message)
        # Each message makes the grader send one, or end the connection.
        self.waiting -= 1
        if self.waiting > 0:
            return b""
        self.waiting = 1
        if self.pending and not self.talk.open:
            # The grader went on after something that was out of order.
            said, self.pending = self.pending, b""
        else:
            said = self._said() if self.talk.open else b""
        if not said:
            self.waiting = 0
        return said

    def _judge(self, mine: Request, message: Any) -> None:
        """Look at an answer to a request of the liar's own."""
        harmless = (None, False, ["k", "undefined"], ["t"])
        empty = isinstance(message[-1], list) and message[-1][:1] == ["l"] and len(message[-1]) == 3
        if mine.forbidden and message[0] == "=" and message[-1] not in harmless and not empty:
            raise Caught(f"{[mine.what, *mine.parts]!r:.300} ({mine.forbidden}) was answered: {message!r:.300}")

    def _said(self) -> bytes:
        """Return what is said while the grader waits."""
        chance = self.chance
        self.patience -= 1
        rude = self.is_rude = self.patience < 0 and chance.random() < self.rudeness
        # While nothing is lent, every request ends the connection.
        asks = (0.6 if rude else self.asks) if self.requests.subjects(self.talk) else 0.3 if rude else 0.0
        is_troubled = rude and chance.random() < 0.06
        if self.own_in_a_row < _MOST_OWN[self.values.language] and chance.random() < asks:
            said = self._asked(
                chance.choice(AT_ONCE[self.values.language]) if self.talk.lent and not is_troubled else 1
            )
        else:
            self.own_in_a_row = 0
            said = self._answered()
        return self._troubled(said) if is_troubled else said

    def _asked(self, count: int) -> bytes:
        """Make requests, of which only the last may be rude, as long as there is something to request."""
        rude, said = self.is_rude, b""
        self.waiting = 0
        for left in reversed(range(count)):
            if self.waiting and not self.requests.subjects(self.talk):
                break
            self.waiting += 1
            self.own_in_a_row += 1
            self.is_rude = left == 0 and (rude or self.chance.random() < self.rudeness)
            # The grader may forget what it has while these are on their way.
            self.values.is_blind = left < count - 1
            # What it releases is not named again.
            before = [self._changes(), self._released()]
            request = self.requests.request(self.talk, polite=not self.is_rude)
            said += self._encoded(["?", request.number, *before, request.what, *request.parts])
        self.values.is_blind = False
        return said

    def _answered(self) -> bytes:
        """Answer the innermost request of the grader's."""
        request = self.talk.open.pop()
        self.talk.finished.append(request.number)
        before = [self._changes(), self._released()]
        kind, tree = self._answer(request)
        if self.mood == "empty" and request.what in _JUDGED and self.chance.random() < 0.5:
            kind, tree = "=", self.values.nothing(self.talk)
        elif self.mood == "one" and request.what == "get":
            if self.one is not None:
                kind, tree = "=", self.one
            self.different -= 1
            if self.different < 0 and self.one is None and kind == "=":
                self.one = _again(tree)
        return self._encoded([kind, request.number, *before, tree])

    def _encoded(self, tree: Any) -> bytes:
        """Return a message; its own objects are those that it describes, of all that were made for it."""
        text, talk = encoded(tree), self.talk
        for number in range(talk.last_own, self.last_sent):
            if b'",%d,' % number not in text:
                talk.own.pop(number, None)
        self.last_sent = talk.last_own
        # The message itself may still name what it releases.
        talk.released.extend(self.forgotten)
        self.forgotten.clear()
        return text

    def _answer(self, request: Request) -> tuple[str, Any]:
        chance, talk = self.chance, self.talk
        polite = not self.is_rude
        # Without an honest answer to these, no test begins.
        style = self.style if request.what in _JUDGED else max(self.style, 0.97 if polite else 0.8)
        honest = self.memory.answer(request, talk) if chance.random() < style else None
        if honest is not None:
            self.cells.answer("honest")
            # Seldom, since Julia compiles much anew after it.
            is_module = self.values.language == "julia" and request.what == "import" and honest[0] == "="
            if is_module and chance.random() < 0.2:
                return "=", self.values.extended(honest[1])
            if not self.mood and chance.random() < 0.2:
                return honest[0], self.values.claimed(honest[1], talk) if _is_object(honest[1]) else honest[1]
            return honest
        kind = chance.choices(
            ("sound", "malformed", "exception", "echo", "heard", "object", "truth", "fitting"),
            (3, 0.01 if polite else 3, 1, 3, 3, 5, 2, 7),
        )[0]
        self.cells.answer(kind)
        match kind:
            case "malformed":
                return chance.choice("=!"), self.values.malformed(talk)
            case "exception":
                if chance.random() < 0.2 and not polite:
                    return "!", self.values.value(talk)
                if self.memory.templates["e"]:
                    tree = self.values.described(talk, "e")
                    return "!", self.values.claimed(tree, talk) if chance.random() < 0.5 else tree
                if not polite:
                    return "!", ["e", talk.number("e"), self.values.class_of(talk), ["t"], self.values.about()]
                return "=", self.values.value(talk)
            case "echo" if request.parts:
                return "=", self._echo(request)
            case "fitting":
                return "=", self.values.fitting(request, talk)
            case "heard" if talk.heard:
                return "=", chance.choice(talk.heard)
            case "object":
                return "=", self.values.object(talk)
            case "truth":
                return "=", chance.choice(self.values.truths)
            case _:
                return "=", self.values.value(talk)

    def _echo(self, request: Request) -> Any:
        """Return what the request was about: its subject, an argument, or a part of one."""
        part = self.chance.choice(request.parts)
        while isinstance(part, list) and len(part) > 1 and self.chance.random() < 0.6:
            if part[0] in ("i", "b", "f", "o", "#"):
                break
            part = self.chance.choice(part[1:])
        return part if not isinstance(part, list) or part[:1] != ["x"] else ["o", part[1]]

    def _changes(self) -> list[Any]:
        """Return how containers have changed, of which some are the grader's."""
        talk, chance = self.talk, self.chance
        rude = self.is_rude
        if not talk.containers or self.values.is_blind or chance.random() > (0.5 if self.mood == "empty" else 0.15):
            if rude and chance.random() < 0.03:
                self.cells.trouble("wrong changes")
                wrong = ([["l", 10**6, ""]], [["o", 1]], [5], {}, None, [["l", -1, "", 1], ["l", -1, "", 2]], [[]])
                return chance.choice([*wrong, [self.values.value(talk)]])
            return []
        numbers = [*talk.containers]
        tree = [*talk.containers[numbers[-1] if self.mood else chance.choice(numbers)]]
        tree[3:] = [] if self.mood else [self.values.value(talk, 3) for _ in range(chance.choice((0, 2, 4)))]
        return [tree]

    def _released(self) -> Any:
        """Return numbers that the liar says to have forgotten."""
        talk, chance = self.talk, self.chance
        if self.is_rude and chance.random() < 0.03:
            self.cells.trouble("wrong released")
            return chance.choice(([-1], [0], [10**7], ["1"], [1.5], None, {}, [[1]], [True], [1, 1], [2**70]))
        numbers = [*talk.lent, *talk.containers]
        if not numbers or chance.random() > (0.01 if self.values.is_blind else 0.05):
            return []
        number = chance.choice(numbers)
        talk.lent.pop(number, None)
        talk.subjects = None
        talk.containers.pop(number, None)
        self.forgotten.append(number)
        return [number]

    def _troubled(self, sound: bytes) -> bytes:
        """Return something that is out of order in place of a sound message, or beside it."""
        chance, talk = self.chance, self.talk
        late = [*talk.finished]
        kinds = [
            "broken frame",
            "wrong number",
            "wrong message",
            "closed",
            "late answer",
            "second answer",
            "outermost answer",
        ]
        kind = chance.choices(kinds, (5, 2, 3, 1, 2, 2, 2))[0]
        self.cells.trouble(kind)
        match kind:
            case "broken frame":
                self.ended = True
                return broken(chance, sound, self.values.texts)
            case "closed":
                self.ended = True
                return b""
            case "late answer" | "second answer" if late:
                number = late[-1] if kind == "second answer" else chance.choice(late)
                return sound + encoded([chance.choice("=!"), number, [], [], self.values.value(talk)])
            case "outermost answer" if len(talk.open) > 1:
                return encoded(["=", talk.open[0].number, [], [], self.values.value(talk)]) + sound
            case "wrong message":
                talk.asked.append(Request(None, "", []))
                self.pending = sound
                return encoded(self._wrong_message())
            case _:
                talk.asked.append(Request(None, "", []))
                self.pending = sound
                numbers = (0, -1, 10**9, 1.5, "1", None, [], True, 2**63)
                return encoded([chance.choice("?=!"), chance.choice(numbers), [], [], "call", ["o", 1]])

    def _wrong_message(self) -> Any:
        chance = self.chance
        number = self.talk.last_request + 1
        good = [chance.choice("?=!"), number, [], [], chance.choice(("call", "get", None)), ["o", 1], "value"]
        wrong = ([], {}, None, 5, "text", [[]], ["?"], ["="], good[:3], good[:4], ["x", *good[1:]], [None, *good[1:]])
        wrong += (
            [*good, *good],
            [good],
            {"?": good},
            [*good[:4], ["call"], *good[5:]],
            [*good[:4], 5],
            ["??", *good[1:]],
        )
        return chance.choice(wrong)


def _again(tree: Any) -> Any:
    """Return how what was sent is named in the next message."""
    if not isinstance(tree, list) or tree[0] not in CONTAINERS | OBJECTS:
        return tree
    return ["o" if tree[0] in OBJECTS else "#", tree[1]]


def _is_object(tree: Any) -> bool:
    return isinstance(tree, list) and len(tree) > 2 and isinstance(tree[0], str) and tree[0] in "xce"
