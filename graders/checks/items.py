"""The `examples` and `unit-tests` checks: pieces of source in the case's language, each run as its own program.

YAML may cut off an item that its author forgot to quote. No candidate can pass the rest, and it would look like the
candidate's failure. This is only a warning: a setup may begin what an item ends, and another version of the language
may accept an item that this one does not.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, Tag

from gradebox.graders import languages
from gradebox.graders.checks.base import ApartCheck, CheckPlanner, Reading, Visible
from gradebox.graders.checks.results import ending_sentence, error, record, scored, unfinished, whose_fault
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import WrittenAs, by_shape, optional
from gradebox.graders.documents.fields import Name, OneOf, Several, Source, SourceItem, Sources, Weight
from gradebox.graders.documents.reader import Reader
from gradebox.graders.errors import CaseRefused
from gradebox.graders.languages import item_protocol
from gradebox.graders.languages.item_protocol import built_in
from gradebox.graders.model import scoring
from gradebox.graders.model.case import DEFAULT_ITEM_SECONDS, Case
from gradebox.graders.model.crossing import Isolation
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.plan import ItemToken, Role, Stage, Step
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import DEFAULT_SHOWN, CheckResult, Seen, Shown
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.records import dataclass

Language = Annotated[str, OneOf(languages.names, languages.is_own)]
_Lines = Annotated[str, WrittenAs(Sources, "\n".join)]
_COMMAS = "If YAML cut it short, at a comma between brackets or at ` #`, quote the text."
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")


class Item(Visible):
    """One example or unit test."""

    # `#1`, `#2` ... if the author gives no name.
    name: Name = optional("Shown in reports. Default: its number.", default_factory=str)
    code: SourceItem = Field(description="Source code in the case's language; for bash, a command line.")
    weight: Weight = optional("Its weight in the check.", default=1.0)
    setup: Source = optional("Runs before it, in the same program.", default="")
    teardown: Source = optional("Runs after it, in the same program.", default="")


_OneItem = Annotated[
    Annotated[SourceItem, Tag("|text")] | Annotated[Item, Tag("|mapping")],
    by_shape("must be source text or a mapping with `code`", "text", "mapping"),
]


_PLAIN = Item.model_construct(code="")


def _each(written: tuple[str | Item, ...]) -> tuple[Item, ...]:
    # The text is already validated, and copying is faster for many items.
    return tuple(_PLAIN.but(code=one) if isinstance(one, str) else one for one in written)


ItemList = Annotated[tuple[Item, ...], WrittenAs(Several[_OneItem], _each)]


@dataclass(frozen=True, slots=True)
class ItemDefaults:
    """A case's settings for its examples or its unit tests, for checks that leave them out."""

    path: DocumentPath
    # None if the case has no items, empty if something is wrong with them.
    items: tuple[Item, ...] | None = None
    setup: str = ""
    teardown: str = ""


class Items(ApartCheck):
    """Examples or unit tests. Missing fields are taken from the case."""

    type = "unit-tests"

    items: ItemList = optional(
        "Pieces of source code; `isolation` says in which process each runs.", "examples", "unit_tests", default=()
    )
    language: Annotated[str, WrittenAs(Language)] = optional("Language of the items.", default_factory=str)
    setup: _Lines = optional("Runs before each item.", "examples_setup", "unit_tests_setup", default_factory=str)
    teardown: _Lines = optional(
        "Runs after each item.", "examples_teardown", "unit_tests_teardown", default_factory=str
    )
    imports: Sources = optional("Modules that the items import.", default=())
    isolation: Literal["process", "shared", "apart", "in-process"] = optional(
        "`process`: each item in its own process. `shared`: all items in one process, in order. `apart` and "
        "`in-process`: like `process`, and override the case's `isolation`.",
        default="process",
    )

    def completed(self, reading: Reading) -> Self | None:
        """Fill in the fields that are left out with the case's."""
        around = reading.surroundings
        case: ItemDefaults = around.defaults.get(self.type, ItemDefaults(()))
        own = "items" in self.model_fields_set
        items = case.items
        if own:
            items = named_items(self.items, reading.reader, (*reading.path, "items"))
        elif items is None:
            field = self.type.replace("-", "_")
            message = f"`items` is missing, and the case has no `{field}`"
            reading.error((), message, f"Write `items` here or `{field}` in the case.")
        if not items:
            return None
        language = self.language or around.language
        if not language:
            reading.error((), "the `language` of the items is missing", "Write `language: python` in the case.")
            return None
        if not languages.get(language).runner:
            hint = "Judge the program by an `io` check, or by a code-grader that runs its tests."
            reading.error(("language",), f"there are no items of {language}", hint)
            return None
        if self.isolation == "apart" and not languages.get(language).apart:
            hint = "Judge by a `call` check, or by a code-grader that runs `candidate`."
            reading.error(("isolation",), f"items of {language} cannot be judged apart from the submission", hint)
        _check_sources(reading.reader, items, language, (*reading.path, "items") if own else case.path)
        defaults = {"setup": case.setup, "teardown": case.teardown, "imports": around.imports}
        added = {name: value for name, value in defaults.items() if name not in self.model_fields_set}
        return self.but(items=items, language=language, **added)

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return a stage for every item, so that each starts from the same state. Items in a shared process share one.

        Raises CaseRefused if a source cannot be passed to any program.
        """
        shared, apart = self.isolation == "shared", self.is_apart(case)
        groups = [self.items] if shared else [(item,) for item in self.items]
        names = [self.name] if shared else [f"{self.name} {item.name}" for item in self.items]
        try:
            return tuple(
                planner.stage(name, [_step(self, case, planner, items)], self.name, apart=apart)
                for name, items in zip(names, groups, strict=True)
            )
        except ValueError as error:
            raise CaseRefused(f"{self.place}: {self.name} cannot be run: {error}") from error

    def seen_parts(self, around: Seen | None) -> tuple[Mapping[str, Seen], Mapping[str, Seen]]:
        """Return what a candidate may see of each item."""
        found = {item.name: item.seen(around) for item in self.items}
        if self.isolation == "shared":
            # All items share one program, whose output and source would also reveal hidden items.
            return {name: one.only(*DEFAULT_SHOWN) for name, one in found.items()}, {}
        # A traceback may quote the setup and teardown.
        around_it = (self.setup, self.teardown) if around is None else ()
        if any(around_it):
            found = {name: one.only(*DEFAULT_SHOWN, Shown.INPUT) for name, one in found.items()}
        return found, {}

    def is_apart(self, case: Case) -> bool:
        """Return whether the items run apart from the submission: their language must support it."""
        own = self.isolation if self.isolation in tuple(Isolation) else None
        return bool(languages.get(self.language).apart) and case.is_apart(own, by_runner=True)

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Score the items whose program ran to its end without an error."""
        records = []
        parts = []
        tampering = []
        fault = ""
        for ran in evidence.done:
            whose, ended = whose_fault(ran), ending_sentence(ran)
            report = ran.outcome.report.content()
            missing = item_protocol.missing_import(ran.step.token, report)
            if whose in (Fault.AUTHOR, Fault.OURS):
                fault = fault or f"{ran.step.name}: {ended}"
            elif missing:
                fault = fault or f"the image lacks {missing}, which the case imports"
            elif taken := item_protocol.missing_import(ran.step.token, report, "image"):
                fault = fault or built_in(taken)
            if ran.outcome.exit_code == 0 and not item_protocol.completed(ran.step.token, report):
                what = f"{ran.step.name} ended with exit status 0 before its end, which no ordinary exit does"
                tampering.append(Tampering(TamperingKind.TOKEN_MISSING, what, evidence=ended))
            for item in ran.step.items:
                # An item in its own process must exit with 0; in a shared process, others may cause another status.
                ended_well = ran.outcome.exit_code == 0 or self.isolation == "shared"
                forged = item_protocol.controls(item.token, report)
                tampering += [
                    Tampering(TamperingKind.CONTROL_PASSED, f"after {item.name}, {what}", ended) for what in forged
                ]
                passed = ended_well and not forged and item_protocol.completed(item.token, report)
                early = ran.outcome.exit_code == 0
                reason = "" if passed else forged[0] if forged else "it did not run to its end" if early else ended
                records.append(record(ran, passed=passed, reason=reason, name=item.name))
                parts.append(scoring.Weighed(float(passed), item.weight))
        if fault:
            return error(self, case, fault, tuple(records), tuple(tampering))
        if self.negate and any(ran.cut_off for ran in evidence.done):
            reason = "the case's time limit was reached before everything had run"
            return unfinished(self, case, reason, tuple(records), tuple(tampering))
        score = scoring.mean(parts)
        if score is None:
            return error(self, case, "no item has a weight", tuple(records))
        count = sum(part.score for part in parts)
        return scored(self, case, score, f"{count:.0f} of {len(parts)} passed", tuple(records), tuple(tampering))


class Examples(Items):
    """Examples of use, run like unit tests."""

    type = "examples"


def _step(check: Items, case: Case, planner: CheckPlanner, items: tuple[Item, ...]) -> Step:
    """Return the step that runs one item in its own process, or all items in a shared process."""
    language = languages.get(check.language)
    tokens = tuple(ItemToken(item.name, secrets.token_hex(16), item.weight) for item in items)
    shared = check.isolation == "shared"
    token = secrets.token_hex(16) if shared else tokens[0].token
    sources = [part for item in items for part in (item.setup, item.code, item.teardown)]
    return Step(
        Role.ITEM,
        check.name if shared else items[0].name,
        language.argv(apart=check.is_apart(case)),
        cwd=planner.cwd(check.cwd),
        limit_seconds=case.limit_seconds(check.timeout_seconds, times=len(items), default=DEFAULT_ITEM_SECONDS),
        env={**case.env, **check.env} | dict(language.item_env),
        stdin=_shared_program(check, token, tokens) if shared else _program(check, token, items[0]),
        report=True,
        # Only a command line names files by its words; words of code in other languages are not file names.
        mentions=(check.setup, *sources, check.teardown) if language.is_shell else (),
        token=token,
        items=tokens,
        shown=(language.command[0], language.command[-1], "\n".join(item.code for item in items)),
        forks=language.forks,
    )


def _program(check: Items, token: str, item: Item) -> bytes:
    setup, teardown = (check.setup, item.setup), (item.teardown, check.teardown)
    composed = languages.get(check.language).composed
    return item_protocol.encode(
        token, item=item.code, imports=check.imports, setup=setup, teardown=teardown, composed=composed
    )


def _shared_program(check: Items, token: str, tokens: tuple[ItemToken, ...]) -> bytes:
    programs = [
        item_protocol.Program(own.token, item.code, (item.setup,), (item.teardown,))
        for own, item in zip(tokens, check.items, strict=True)
    ]
    setup, teardown = (check.setup,), (check.teardown,)
    composed = languages.get(check.language).composed
    return item_protocol.encode_shared(
        token, programs, imports=check.imports, setup=setup, teardown=teardown, composed=composed
    )


def named_items(items: tuple[Item, ...], reader: Reader, path: DocumentPath) -> tuple[Item, ...] | None:
    """Return the items of a document with names; None if they could not be scored."""
    named: list[Item] = []
    places: dict[str, DocumentPath] = {}
    for index, item in enumerate(items):
        at = (*path, index)
        name = item.name or f"#{index + 1}"
        if name in places:
            first = reader.document.place(places[name])
            message = f"the name `{shown(name)}` is taken by the item in line {first.line}"
            reader.error((*at, "name"), message, "Give each item a name of its own, or none.")
        places[name] = at
        named.append(item.but(name=name))
    if not named:
        reader.error(path, "there are no items here", "Write one, or remove the key.")
    elif not any(item.weight for item in named):
        reader.error(path, "the weights of all items are 0", "Give one of them a weight.")
    else:
        return tuple(named)
    return None


def _check_sources(reader: Reader, items: Sequence[Item], language: str, path: DocumentPath) -> None:
    """Warn of items in the list at a path that YAML has probably cut off."""
    known = languages.get(language)
    if known.mistakes is not None:
        for index, wrong in known.mistakes([item.code for item in items]):
            reader.warning((*path, index), f"the item is not {known.title}: {wrong}", _COMMAS)
        return
    for index, (one, other) in enumerate(pairwise(items)):
        if _open(one.code) > 0 and _open(other.code) < 0:
            message = "a bracket of this item is closed in the next one, as if they were one text"
            reader.warning((*path, index), message, _COMMAS)


def _open(code: str) -> int:
    """Return how many more brackets are opened than closed outside quotes."""
    bare = _QUOTED.sub("", code)
    return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
