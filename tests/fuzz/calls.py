"""Fuzzed here: what the sandbox sends of calls, and the comparison of it with what is expected."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

from fuzzing import Finding, Target

from graders.checks.calls.call_replies import replies
from graders.checks.calls.data_values import DataObject, is_same, nearness
from graders.languages.javascript import literal as of_javascript
from graders.languages.julia import literal as of_julia

_KINDS = (
    type(None), bool, int, float, str, list, tuple, dict, set, bytes, complex, Decimal, Fraction, dt.date, dt.time,
    dt.datetime, DataObject,
)  # fmt: skip
_VALUES: list[Any] = [
    None, 1.5, "x\u2028", [1, [2]], {"a": {"$set": [1]}}, {"$tuple": [{"$float": "nan"}]}, {"$bytes": "00ff"},
    {"$int": "1" * 30}, {"$decimal": "1e5"}, {"$fraction": "1/3"}, {"$complex": [1, 2]}, {"$date": "2024-01-31"},
    {"$time": "10:30"}, {"$datetime": "2024-01-31T10:30"}, {"$object": ["P", {"x": 1}]}, {"$dict": [[[1], 2]]},
]  # fmt: skip
_SEEDS = [
    *(json.dumps({"call": 0, "returned": value}).encode() + b"\n" for value in _VALUES),
    b'{"call":1,"raised":["KeyError","LookupError"],"message":"k"}\n0 it took too long\n',
    b'{"call":0,"missing":"f"}\n{"call":1,"no_data":"a generator"}\n',
]


def report(data: bytes) -> object:
    """Read what was sent; nothing but data comes of it, which can be compared and shown."""
    found = replies(data, 2)
    saw = []
    for reply in found.values():
        if type(reply.value) not in _KINDS:
            raise Finding(f"A reply made a {type(reply.value).__qualname__}.")
        is_same(reply.value, reply.value)
        is_same(reply.value, [1.5, {"a": (2,)}], nearness(1e-6, 0.0))
        repr(reply.value)
        for literal in (of_javascript, of_julia):
            try:
                literal(reply.value)
            except ValueError:
                continue
        saw.append((type(reply.value).__name__, bool(reply.raised), reply.problem[:30]))
    return saw


_WORDS = (b"$tuple", b"$set", b"$dict", b"$object", b"returned", b"raised", b"loading", b"sNaN", b"1e999999", b"[[[[")
TARGETS = (Target("calls", _SEEDS, _WORDS, report),)
