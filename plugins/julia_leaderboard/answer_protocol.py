"""The protocol between the host and the runner of an answer and its definition's items. Pure.

The runner is ``answer_runner.jl`` of `gradebox.graders.languages.inside`, with ``answer_text.jl`` before it. It starts
``answer_program.jl`` for the answer itself, and reads the answer from the workspace: ``answer.md``, ``answer.jl``, or
``NAME.jl``.

**Stdin** is a sequence of parts, framed as for item runners: a line ``NAME LENGTH``, LENGTH bytes of UTF-8, a newline.
The parts are ``token``, ``program`` (the source of ``answer_program.jl``), ``name`` (the requested function), ``limit``
(seconds of processor time and of wall time for each try and each item), an ``import`` for each package, and ``example``
and ``test``, each a whole program, in the order in which they run.

**Descriptor 3** gets lines that begin with the token; the host ignores all others. The last line of ``parsed`` and
``unparsed WHY`` counts, since there are two tries.

- ``parsed``, ``unparsed WHY``: whether the answer has code that the parser accepts.
- ``stopped WHY``: a try did not complete. ``executed``: a try completed.
- ``passed KIND NUMBER``, ``failed KIND NUMBER WHY``: an item. KIND is ``example`` or ``test``, NUMBER counts from 1.
- ``missing NAME``: the image lacks a package that the definition imports.
- ``broken WHY``: the answer could not be started.
- ``end``: everything is done.

The process that runs the answer does not know the token; it has its own secret for reports to its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside
from gradebox.sandbox.records import dataclass

COMMAND = ("julia", "-t", "1", "--startup-file=no", "--history-file=no", "-e")
EXAMPLE = "example"
TEST = "test"
_INSIDE = inside("julia")


def runner() -> str:
    return bundle(_INSIDE / "answer_text.jl", _INSIDE / "answer_runner.jl")


def program() -> str:
    """Return the source of the program that the runner starts for the answer."""
    # Methods for the answer alone come first: in an image that has the rest compiled, every program would get them.
    younger_base = (_INSIDE / "younger_base.jl").read_text("utf-8")
    return younger_base + bundle(*(_INSIDE / f"{name}.jl" for name in ("equality", "controls", "answer_program")))


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """A runner's report about an answer."""

    # Both as the leaderboard defines them.
    parsed: bool = False
    executed: bool = False
    passed: frozenset[tuple[str, int]] = frozenset()  # The items that raised nothing: kind and number.
    # Why other items failed, as far as the runner reported it.
    reasons: Mapping[tuple[str, int], str] = field(default_factory=dict)
    reason: str = ""  # Why the answer was not parsed or not executed.
    fault: str = ""  # Why the answer could not be judged; not the answer's fault.
    of_case: bool = False  # Whether `fault` would affect any answer.
    ended: bool = False  # Whether the runner reported `end`.


def encode(
    token: str,
    *,
    program: str,
    name: str,
    cpu_seconds: float,
    wall_seconds: float,
    imports: Iterable[str],
    examples: Iterable[str],
    tests: Iterable[str],
) -> bytes:
    parts = (
        ("token", token),
        ("program", program),
        ("name", name),
        ("limit", f"{cpu_seconds:g} {wall_seconds:g}"),
        *(("import", content) for content in imports),
        *((EXAMPLE, content) for content in examples),
        *((TEST, content) for content in tests),
    )
    return b"".join(_part(part, content) for part, content in parts)


def read(token: str, report: bytes) -> AnswerReport:
    known = AnswerReport()
    for line in report.decode("utf-8", "replace").split("\n"):
        mine, _, words = line.partition(" ")
        if mine == token:
            known = _after(known, *words.partition(" ")[::2])
    return known


def _after(known: AnswerReport, word: str, rest: str) -> AnswerReport:
    match word:
        case "parsed":
            return replace(known, parsed=True)
        case "unparsed":
            return replace(known, parsed=False, reason=rest)
        case "stopped":
            return replace(known, reason=rest)
        case "executed":
            return replace(known, executed=True, reason="")
        case "passed":
            return replace(known, passed=known.passed | {_item(rest)[0]})
        case "failed":
            item, why = _item(rest)
            return replace(known, reasons={**known.reasons, item: why})
        case "missing":
            return replace(known, fault=f"the image lacks {rest}, which the definition imports", of_case=True)
        case "broken":
            return replace(known, fault=f"the answer could not be started: {rest}")
        case "end":
            return replace(known, ended=True)
        case _:
            return known


def _item(words: str) -> tuple[tuple[str, int], str]:
    kind, _, rest = words.partition(" ")
    number, _, why = rest.partition(" ")
    return (kind, int(number)), why.strip()


def _part(name: str, content: str) -> bytes:
    encoded = content.encode()
    return b"%s %d\n%s\n" % (name.encode(), len(encoded), encoded)


def whole_program(setup: str, item: str, teardown: str) -> str:
    """Return an item with its setup before it and its teardown after it, as one source."""
    return f"{setup}\n\n{item}\n\n{teardown}"
