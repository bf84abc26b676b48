"""The ways to compare an output with the expected output. Pure.

Both are bytes, and blanks are ASCII blanks. `kattis` follows the default output validator of Kattis problem packages:
it compares words in order and ignores case. With a tolerance, it compares numbers by their value in double precision;
infinity and `nan` are words. A number is right if it is within the absolute or the relative tolerance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, Tag

from gradebox.graders.checks.io.first_difference import differing, excerpt
from gradebox.graders.checks.text import patterns
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.entries import Entry, WrittenAs, by_shape, optional
from gradebox.graders.documents.fields import Flag, Number
from gradebox.graders.model.expectation import Content, OutputComparison
from gradebox.sandbox.records import dataclass

_BLANKS = b" \t\n\r\v\f"
_TOKEN = re.compile(rb"[^ \t\n\r\v\f]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(rb"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?")
Way = Literal["lines", "exact", "tokens", "kattis", "unordered", "float", "json", "regex"]
Tolerance = Annotated[Number, Field(ge=0)]


class Compare(Entry):
    """How an output is compared with the expected output."""

    by: Way = Field(default="lines", description="The method of comparison.")
    case_sensitive: Flag = optional("For `kattis`: whether case matters.", default=False)
    space_change_sensitive: Flag = optional("For `kattis`: whether white space must be the same.", default=False)
    float_absolute_tolerance: Tolerance | None = optional("For `kattis`: the largest difference of a number.")
    float_relative_tolerance: Tolerance | None = optional("For `kattis`: the same, as a share of the expected number.")
    float_tolerance: Tolerance | None = optional("For `kattis`: sets both tolerances.")
    absolute: Tolerance = optional("For `float`: the largest difference of a number.", default=1e-6)
    relative: Tolerance = optional("For `float`: the same, as a share of the expected number.", default=1e-6)

    def misplaced(self) -> tuple[str, ...]:
        """Return the fields that are set but belong to another comparison."""
        of_float = {"absolute", "relative"}
        own = {"float": of_float, "kattis": type(self).model_fields.keys() - of_float}.get(self.by, set())
        return tuple(name for name in type(self).model_fields if name in self.model_fields_set - own - {"by"})


CompareForm = Annotated[
    Compare,
    WrittenAs(
        Annotated[
            Annotated[Way, Tag("|text")] | Annotated[Compare, Tag("|mapping")],
            by_shape("must be a way to compare, or a mapping with `by`", "text", "mapping"),
        ],
        lambda written: Compare(by=written) if isinstance(written, str) else written,
    ),
]


@dataclass(frozen=True, slots=True)
class ExpectedOutput:
    """The expected output of a test, and how an output is compared with it."""

    compare_by: Compare
    answer: Content | None
    # The reference's answer is known only after a run, so the digest leaves it out.
    from_reference: bool = False

    @property
    def digest(self) -> str:
        answer = self.answer.sha256 if self.answer and not self.from_reference else "of the reference"
        return f"{self.compare_by!r} {answer}"

    def compare(self, output: bytes) -> OutputComparison:
        """Return whether an output is right. Raises OSError if the expected output cannot be read."""
        if self.answer is None:
            return OutputComparison(
                False, problem="only checks that are not part of another can take answers from the reference"
            )
        return compared(self.compare_by, self.answer.read(), output)


def compared(compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    """Return whether an output is right, and the first difference if it is not."""
    return _WAYS[compare.by](compare, expected, output)


def _lines(_compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    return differing("line", _trimmed(expected), _trimmed(output))


def _exact(_compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    if expected == output:
        return OutputComparison(accepted=True)
    return differing("line", expected.split(b"\n"), output.split(b"\n"))


def _tokens(_compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    return differing("word", expected.split(), output.split())


def _unordered(_compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    found = differing("line", sorted(_trimmed(expected)), sorted(_trimmed(output)))
    return (
        found
        if found.accepted
        else OutputComparison(False, f"in sorted order, {found.reason}", found.expected, found.actual)
    )


def _float(compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    def same(wanted: bytes, got: bytes) -> bool:
        return wanted == got or _near(wanted, got, compare.absolute, compare.relative) is True

    return differing("word", expected.split(), output.split(), same)


def _kattis(compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    either = compare.float_tolerance
    absolute = compare.float_absolute_tolerance if either is None else either
    relative = compare.float_relative_tolerance if either is None else either
    has_tolerance = absolute is not None or relative is not None

    def same(wanted: bytes, got: bytes) -> bool:
        near = _near(wanted, got, absolute, relative) if has_tolerance else None
        if near is not None:
            return near
        return wanted == got if compare.case_sensitive else wanted.lower() == got.lower()

    found = differing("word", expected.split(), output.split(), same)
    if not found.accepted or not compare.space_change_sensitive:
        return found
    return differing("gap", _TOKEN.split(expected), _TOKEN.split(output))


def _json(_compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    try:
        wanted = strict_json.loads(expected)
    except ValueError as error:
        return OutputComparison(False, problem=f"what is expected is not JSON: {error}")
    try:
        got = strict_json.loads(output)
    except ValueError as error:
        return OutputComparison(False, f"it is not JSON: {str(error)[:200]}", excerpt(expected, 0), excerpt(output, 0))
    if strict_json.same(got, wanted):
        return OutputComparison(accepted=True)
    found = differing("line", _trimmed(expected), _trimmed(output))
    return OutputComparison(False, "it is other JSON", found.expected, found.actual)


def _regex(_compare: Compare, expected: bytes, output: bytes) -> OutputComparison:
    try:
        pattern = expected.decode().rstrip("\n")
        text = output.decode("utf-8", "replace").rstrip(_BLANKS.decode())
        if patterns.found(rf"\A(?:{pattern})\Z", text):
            return OutputComparison(accepted=True)
    except (patterns.PatternFault, UnicodeDecodeError) as problem:
        return OutputComparison(False, problem=f"the expected pattern cannot be used: {problem}")
    return OutputComparison(False, "the pattern does not match all of it", excerpt(expected, 0), excerpt(output, 0))


_WAYS: Mapping[Way, Callable[[Compare, bytes, bytes], OutputComparison]] = {
    "lines": _lines,
    "exact": _exact,
    "tokens": _tokens,
    "kattis": _kattis,
    "unordered": _unordered,
    "float": _float,
    "json": _json,
    "regex": _regex,
}


def _trimmed(text: bytes) -> Sequence[bytes]:
    """Return the lines of a text without trailing blanks, and without empty lines at the end."""
    return [line.rstrip(_BLANKS) for line in text.rstrip(_BLANKS).split(b"\n")]


def _near(wanted: bytes, got: bytes, absolute: float | None, relative: float | None) -> bool | None:
    """Return whether a word is close enough to an expected number; None if `wanted` is not a finite number."""
    number, other = _number(wanted), _number(got)
    if number is None:
        return None
    if other is None:
        return False
    off = abs(number - other)
    return (absolute is not None and off <= absolute) or (relative is not None and off <= relative * abs(number))


def _number(word: bytes) -> float | None:
    try:
        if _NUMBER.fullmatch(word):
            number = float(word)
        elif _HEXADECIMAL.fullmatch(word):
            number = float.fromhex(word.decode())
        else:
            return None
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
