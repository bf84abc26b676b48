"""What an honest candidate's process said to the same tests, so that a liar gets as far as it did.

A transcript is a list of messages of both sides, from a run with other random numbers (`tested_files.numbers`). The
answer to a request is found by the request, without the numbers of objects and without long numbers. Objects of the
transcript get numbers of the liar's own.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from conversation import Conversation, Request

_LONG = re.compile(r"\d{6,}|0x[0-9a-f]+|/[\w./-]+/")


class HonestMemory:
    """Answers as an honest process gave them.

    Attributes:
        templates: Trees of objects, classes and exceptions that it described, each after the number of its transcript:
            all of them under "", exceptions under "e", functions under "function".
        requests: What it requested itself, likewise: the word, the subject, and other parts.
    """

    def __init__(self, transcripts: Sequence[Sequence[tuple[bool, Any]]] = ()) -> None:
        self.templates: dict[str, list[tuple[int, Any]]] = {"": [], "e": [], "function": []}
        self.requests: list[tuple[int, Any]] = []
        self._answers: dict[str, list[Any]] = defaultdict(list)
        self._objects: dict[tuple[int, int], Any] = {}
        for at, transcript in enumerate(transcripts):
            self._read(at, transcript)
        self.begin()

    def begin(self) -> None:
        """Forget which answers were given, and under which numbers."""
        self._played: dict[str, int] = defaultdict(int)
        self._numbers: dict[tuple[int, int], int] = {}

    def _read(self, at: int, transcript: Sequence[tuple[bool, Any]]) -> None:
        """Learn from the messages of a connection; the first of each pair says whether the grader sent it."""
        waiting: list[Any] = []
        for from_grader, message in transcript:
            kind, number, _changes, _released, *rest = message
            if from_grader:
                if kind == "?":
                    waiting.append((number, rest))
                continue
            for part in _described(message):
                self._objects[at, part[1]] = part
                for each in {"", part[0], str(part[2])} & self.templates.keys():
                    self.templates[each].append((at, part))
            if kind == "?":
                self.requests.append((at, rest))
                continue
            asked = next((one for one in reversed(waiting) if one[0] == number), None)
            if asked is not None:
                waiting.remove(asked)
                for key in _keys(asked[1]):
                    self._answers[key].append((at, kind, rest[0] if rest else None))

    def answer(self, request: Request, talk: Conversation) -> tuple[str, Any] | None:
        """Return the tag and the value of the honest answer to a request, None if there was none."""
        for key in _keys([request.what, *request.parts]):
            found = self._answers.get(key)
            if found:
                at, kind, tree = found[min(self._played[key], len(found) - 1)]
                self._played[key] += 1
                return kind, self.moved(at, tree, talk)
        return None

    def moved(self, at: int, tree: Any, talk: Conversation) -> Any:
        """Return a tree with numbers of this connection in place of those of the transcript."""
        if isinstance(tree, dict):
            return {key: self.moved(at, part, talk) for key, part in tree.items()}
        if not isinstance(tree, list):
            return tree
        if len(tree) > 1 and isinstance(tree[0], str) and tree[0] in "ldrsBwxcey#o" and type(tree[1]) is int:
            tag, number = tree[0], tree[1]
            if number > 0:
                there = talk.lent if tag == "o" else talk.containers
                return (
                    tree if tag not in "#o" else [tag, number if number in there else [*there][-1]] if there else None
                )
            known = self._numbers.get((at, number))
            if tag in "#o" and known in talk.own:
                return [tag, known]
            original = self._objects.get((at, number), tree) if tag == "o" else tree
            if original[0] in "#o":
                return original
            self._numbers[at, number] = talk.number(original[0])
            return [original[0], self._numbers[at, number], *(self.moved(at, part, talk) for part in original[2:])]
        return [self.moved(at, part, talk) for part in tree]


def _keys(request: Sequence[Any]) -> tuple[str, str, str]:
    """Return by what a request is found: all of it, its word and its texts, its word."""
    texts = [part for part in request[1:] if isinstance(part, str)]
    return _plain(request), _plain([request[0], texts]), json.dumps(request[0])


def _plain(tree: Any) -> str:
    return _LONG.sub("N", json.dumps(_unnumbered(tree), sort_keys=True))


def _unnumbered(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _unnumbered(part) for key, part in tree.items()}
    if not isinstance(tree, list):
        return tree
    if len(tree) > 1 and isinstance(tree[0], str) and tree[0] in "ldrsBwxce#o" and isinstance(tree[1], int):
        return [tree[0], 0, *map(_unnumbered, tree[2:])]
    return [_unnumbered(part) for part in tree]


def _described(tree: Any) -> Iterator[Any]:
    """Yield the objects, classes and exceptions that a message describes."""
    if isinstance(tree, dict):
        tree = [*tree.values()]
    if isinstance(tree, list):
        for part in tree:
            yield from _described(part)
        if len(tree) > 2 and isinstance(tree[0], str) and tree[0] in "xce" and type(tree[1]) is int and tree[1] < 0:
            yield tree
