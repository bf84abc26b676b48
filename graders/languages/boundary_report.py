"""Reads a grader's reports about the boundary to the submission: limits that it met, and a contract. Pure.

The item runners and the adapters write these lines to descriptor 3; lines without the token are ignored:

- ``TOKEN limit TEXT``: a test needed something that judging apart cannot do.
- ``TOKEN answers {"same": 2, "other": 1, "unknown": 0, "tests": ["NAME", ...]}``: how many tests passed with the
  reference's answers, with others, and with answers that cannot be compared; the first tests with others.
- ``TOKEN contract {"PATH": ["WORD", ...]}``: how a submission crosses the boundary, if that is recorded; one line of
  JSON, possibly several times. docs/explanation/boundary.md defines paths and words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from gradebox.graders.documents import strict_json
from gradebox.graders.model.crossing import Contract, contract_of

LIMIT = "a limit of `isolation: apart`: "
CONTRACT_MAX_BYTES = 1024 * 1024
"""The largest size of a check's contract."""
ANSWERS = ("same", "other", "unknown")
"""How the answers with which a test passed compare with the reference's."""
DEEDS = "#did"
"""The path of what a test must have done."""
_DIGESTS, _REWORDED = "#answers", " reworded"
# How a word ends that says nothing about texts of exceptions: what no text gives as a hash, and other words.
_OF_NO_TEXT = ("e3b0c44298fc1c14", " looked", " compared", " ?")

_LIMITS = 10
_TESTS = 20
_LIMIT_CHARACTERS = 300
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def limits(token: str, report: bytes) -> tuple[str, ...]:
    """Return the limits of judging apart that were met, each as a sentence that begins with `LIMIT`."""
    found: dict[str, None] = {}
    for line in _lines(token, b"limit", report):
        text = _CONTROL.sub(" ", line.decode("utf-8", "replace"))[:_LIMIT_CHARACTERS].strip()
        found[LIMIT + text.removeprefix(LIMIT)] = None
        if len(found) >= _LIMITS:
            break
    return tuple(found)


def answers(token: str, report: bytes) -> dict[str, Any]:
    """Return with which answers the tests of a report passed; {} if it does not say so, or not in whole lines."""
    found: dict[str, Any] = {}
    for line in _lines(token, b"answers", report):
        with suppress(ValueError):
            told = strict_json.loads(line)
            if isinstance(told, dict) and all(type(told.get(name)) is int for name in ANSWERS):
                names = [_CONTROL.sub(" ", str(name))[:_LIMIT_CHARACTERS] for name in told.get("tests", ())]
                found = {**{name: told[name] for name in ANSWERS}, "tests": names[:_TESTS]}
    return found


def contract(token: str, report: bytes) -> Contract:
    """Return the recorded contract, united from its parts.

    Raises ValueError if it is invalid, or larger than CONTRACT_MAX_BYTES.
    """
    parts = list(_lines(token, b"contract", report))
    if sum(map(len, parts)) > CONTRACT_MAX_BYTES:
        raise ValueError(f"the contract has more than {CONTRACT_MAX_BYTES} bytes")
    return united(contract_of(strict_json.loads(part)) for part in parts)


def united(contracts: Iterable[Contract]) -> Contract:
    """Return the union of contracts."""
    found: dict[str, frozenset[str]] = {}
    for one in contracts:
        for path, words in one.items():
            found[path] = found.get(path, frozenset()) | words
    return found


def agreed(contracts: Iterable[Contract]) -> Contract:
    """Return the union of the contracts of several runs, with those deeds of tests that all of them have."""
    found = [*contracts]
    deeds = [one.get(DEEDS, frozenset()) for one in found]
    kept = {DEEDS: frozenset.intersection(*deeds)} if any(deeds) else {}
    return {**united(found), **kept}


def has_texts(contract: Contract) -> bool:
    """Return whether exceptions with texts reached a test."""
    return any(not word.endswith(_OF_NO_TEXT) for word in contract.get(_DIGESTS, ()))


def has_replaced(contract: Contract) -> bool:
    """Return whether tests passed with replaced texts. JavaScript replaces none, but notes which ones are read."""
    return any(word.endswith(_REWORDED) and word.count(" ") == 1 for word in contract.get(_DIGESTS, ()))


def with_reworded(contract: Contract, others: Iterable[Contract]) -> Contract:
    """Return a contract that says which tests passed with other texts of exceptions, according to all of `others`."""
    found = [{word for word in other.get(_DIGESTS, ()) if word.endswith(_REWORDED)} for other in others]
    words = frozenset(set.intersection(*found) if found else ())
    return {**contract, _DIGESTS: contract.get(_DIGESTS, frozenset()) | words} if words else contract


def _lines(token: str, word: bytes, report: bytes) -> Iterator[bytes]:
    """Yield the rest of each line that begins with the token and a word."""
    start = b"%s %s " % (token.encode(), word)
    if token:
        yield from (line[len(start) :] for line in report.split(b"\n") if line.startswith(start))
