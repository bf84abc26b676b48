"""Fuzzed here: what the sandbox sends of calls, and the comparison of it with what is expected."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

from fuzzing import Finding, Target
from golden_boundary import MALFORMED, VALUES, text_of

from gradebox.graders.checks.calls.call_replies import replies
from gradebox.graders.checks.calls.data_values import DataObject, FieldTuple, is_same, nearness
from gradebox.graders.languages.javascript import literal as of_javascript
from gradebox.graders.languages.julia import literal as of_julia

_KINDS = (
    type(None), bool, int, float, str, list, tuple, dict, set, bytes, complex, Decimal, Fraction, dt.date, dt.time,
    dt.datetime, dt.timedelta, dt.timezone, ZoneInfo, UUID, slice, DataObject, FieldTuple,
)  # fmt: skip
_LANGUAGES = ("python", "javascript", "julia")
_SEEDS = [
    *(b'["=",0,' + text_of(vector) + b"]\n" for vector in VALUES),
    *(b'["=",0,' + text_of(vector) + b"]\n" for vector in MALFORMED if "text" not in vector["malformed"]),
    b'["!",1,["KeyError","LookupError"],"k"]\n0 took too long\n',
    b'["=",0,["O","P",".",["t",1],"..",["t","x"],".y",2]]\n',
    b'["=",0,["O","P","x",1]]\n["=",1,["v","Rational",1,2]]\n',
]


def report(data: bytes) -> object:
    """Read what was sent; nothing but data comes of it, which can be compared and shown."""
    saw = []
    for reply in (reply for language in _LANGUAGES for reply in replies(data, 2, language).values()):
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


_WORDS = (
    b'["t"', b'["v"', b'["O"', b'["l",-1,""', b'["d",-1,""', b"[[[[", b"sNaN", b"1e999999", b"0 it", b'["f","nan"]',
)  # fmt: skip
TARGETS = (Target("calls", _SEEDS, _WORDS, report),)
