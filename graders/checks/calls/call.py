"""The `call` check: functions of the submission are called in the sandbox, and their results are compared here.

Nothing in the sandbox decides: the candidate's process gets the arguments and sends back data. An object that equals
everything, a patched assertion or a forged line gains nothing, because it is only an answer. The calls share one
process. A call that ends this process fails, and later calls are made in a new one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, Tag

from gradebox.graders import languages
from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.calls.call_replies import CAPTURE_BYTES, CallReply, missing_program, replies
from gradebox.graders.checks.calls.data_values import as_moments, decoded, is_same, nearness
from gradebox.graders.checks.results import ending_sentence, error, not_found, record, scored, unfinished, whose_fault
from gradebox.graders.checks.text import patterns
from gradebox.graders.documents.entries import Entry, WrittenAs, also, by_shape
from gradebox.graders.documents.fields import Free, FreeMapping, Name, Number, OneOf, Seconds, Several, Weight
from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import INSIDE, CallRunner
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Role, Stage, Step, User
from gradebox.graders.model.verdict import CheckResult
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.types import Capture

_SHOWN, _LISTED = 200, 20
_Language = Annotated[str, OneOf(languages.names, languages.is_own)]
_NAME = re.compile(r"[^\W\d][\w!-]*(?:\.[^\W\d][\w!-]*)*")


class Raises(Entry):
    """The error that a call must raise."""

    type: Name = Field(default="", description="The class of the error, or one of its base classes.")
    match: Name = Field(default="", description="A regular expression that must match somewhere in the message.")


class Approx(Entry):
    """A number, or a value with numbers, that a call must return approximately."""

    value: Free = Field(description="The value.")
    rel: Annotated[Number, Field(ge=0)] = Field(default=1e-6, description="The tolerance as a share of the number.")
    abs: Annotated[Number, Field(ge=0)] = Field(default=1e-12, description="The absolute tolerance.")


_RaisesForm = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[Raises, Tag("|mapping")],
    by_shape("must be the name of a class, or a mapping with `type` and `match`", "text", "mapping"),
]


def _raises(written: str | Raises) -> Raises:
    return Raises(type=written) if isinstance(written, str) else written


_ApproxForm = Annotated[
    Annotated[Free, Tag("|value")] | Annotated[Approx, Tag("|mapping")],
    Discriminator(lambda value: "|mapping" if isinstance(value, dict) and "value" in value else "|value"),
]


def _approx(written: Any) -> Approx:
    return written if isinstance(written, Approx) else Approx(value=written)


class CallEntry(Entry):
    """One call, and its expected result: `returns`, `raises` or `approx`. With none of them, it must return null."""

    call: Name = Field(default="", description="The function. Default: the check's `entry`.")
    args: Several[Free] = Field(default=(), description="Its arguments.")
    kwargs: FreeMapping = Field(default_factory=dict, description="Its keyword arguments.")
    returns: Free = Field(default=None, description="The value that it must return.")
    raises: Annotated[Raises | None, WrittenAs(_RaisesForm, _raises)] = Field(
        default=None, description="The error that it must raise: a class, or `{type, match}`."
    )
    approx: Annotated[Approx | None, WrittenAs(_ApproxForm, _approx)] = Field(
        default=None, description="The value that it must return approximately: a value, or `{value, rel, abs}`."
    )
    weight: Weight = Field(default=1.0, description="Its weight in the check.")


class CallCheck(Check):
    """Calls functions of the submission, and compares their results outside the sandbox."""

    type = "call"

    calls: Annotated[Several[CallEntry], Field(min_length=1)] = Field(description="The calls, all made in one process.")
    entry: Name = Field(default="", description="The function for calls that have no `call`.")
    file: Name = Field(
        default="",
        validation_alias=also("from"),
        description="The file with the functions, or a Python module. Default: the language's answer file.",
    )
    language: Annotated[str, WrittenAs(_Language)] = Field(
        default_factory=str, description="Language of the functions."
    )
    timeout_seconds: Seconds | None = Field(default=10.0, description="Processor time of each call.")

    def completed(self, reading: Reading) -> Self | None:
        """Fill in the fields that are left out with the case's, and refuse calls that cannot be made or compared."""
        language = self.language or reading.surroundings.language
        if not language:
            reading.error((), "the `language` of the calls is missing", "Write `language: python` in the case.")
            return None
        runner = languages.get(language).calls
        if runner is None:
            can = ", ".join(name for name, each in languages.languages().items() if each.calls)
            reading.error(("language",), f"functions of {language} cannot be called", f"Use one of {can}.")
            return None
        errors = reading.reader.findings.errors
        for index, one in enumerate(self.calls):
            at, name = ("calls", index), one.call or self.entry
            if not _NAME.fullmatch(name):
                what = f"`{name}` is not the name of a function" if name else "the function is missing"
                reading.error((*at, "call") if name else at, what, "Write `call:` here, or `entry:` in the check.")
            if len({"returns", "raises", "approx"} & one.model_fields_set) > 1:
                reading.error(at, "a call has one of `returns`, `raises` and `approx`", "Keep one.")
            if one.kwargs and runner.keywords is None:
                reading.error((*at, "kwargs"), f"{language} has no keyword arguments", "Put them into `args`.")
            elif problem := _unwritable(one, runner):
                reading.error(
                    at, f"the call cannot be made: {problem}", "docs/how-to/judge-by-calls.md has the values."
                )
        if not any(one.weight for one in self.calls):
            reading.error(("calls",), "the weights of all calls are 0", "Give one of them a weight.")
        source = self.file or languages.get(language).answer_file
        return self.but(language=language, file=source) if reading.reader.findings.errors == errors else None

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return the stage of one command that makes all calls. It contains none of the expected results."""
        language = languages.get(self.language)
        runner = _runner(self)
        limit = case.limit_seconds(self.timeout_seconds)
        words = (*language.command, bundle(*runner.files), *runner.after)
        source = (INSIDE / "calls.sh").read_text("utf-8")
        # Processor time in hundredths of a second, and waiting time, twice as long, in tenths.
        limits = (str(max(1, round(limit * 100))), str(max(2, round(limit * 20))))
        step = Step(
            Role.ITEM,
            self.name,
            ("bash", "--norc", "--noprofile", "-c", source, "bash", *limits, *words),
            cwd=planner.cwd(self.cwd),
            limit_seconds=case.limit_seconds(self.timeout_seconds, times=len(self.calls)),
            env={**case.env, **self.env},
            stdin="\n".join((self.file, *(_line(self, one, runner) for one in self.calls), "")).encode(),
            report=True,
            capture_bytes=CAPTURE_BYTES,
            shown=("call", self.file),
            user=User.CANDIDATE,
            shielded=True,
        )
        return (planner.stage(self.name, [step], self.name),)

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Compare the result of each call with the expected result."""
        if not evidence.done:
            return error(self, case, "its calls were never made")
        ran = evidence.done[0]
        report = ran.outcome.report.content()
        found = replies(report, len(self.calls), self.language)
        missing = missing_program(report)
        if missing or whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
            reason = not_found(missing) if missing else ending_sentence(ran)
            return error(self, case, reason, (record(ran, passed=False, reason=reason),))
        try:
            unmet = [_unmet(self, one, found.get(number), ran) for number, one in enumerate(self.calls)]
        except patterns.PatternFault as problem:
            return error(self, case, f"`match` cannot be used: {problem}")
        wrong = [
            {"call": shown_call(self, one), "reason": why} for one, why in zip(self.calls, unmet, strict=True) if why
        ]
        reason = f"{len(self.calls) - len(wrong)} of {len(self.calls)} calls hold"
        # The output belongs to all calls, so it is shown only once.
        silent = replace(ran, outcome=replace(ran.outcome, stdout=Capture(), stderr=Capture(), report=Capture()))
        records = tuple(
            record(silent if number else ran, passed=False, reason=each["reason"], name=each["call"])
            for number, each in enumerate(wrong[:_LISTED])
        ) or (record(ran, passed=True, reason=""),)
        if self.negate and ran.cut_off:
            return unfinished(self, case, "the time of the case was over before all were made", records)
        score = scoring.mean(
            [scoring.Weighed(float(not why), one.weight) for one, why in zip(self.calls, unmet, strict=True)]
        )
        reason += f"; {wrong[0]['call']} {wrong[0]['reason']}" if wrong else ""
        return scored(
            self, case, score or 0.0, reason, records, details={"failed_calls": wrong[:_LISTED]} if wrong else {}
        )


def _runner(check: CallCheck) -> CallRunner:
    runner = languages.get(check.language).calls
    assert runner is not None
    return runner


def _unwritable(one: CallEntry, runner: CallRunner) -> str:
    """Return why a call cannot be written in its language, or why its result cannot be compared; empty if both can."""
    try:
        _words(one, runner)
        decoded(one.returns if one.approx is None else one.approx.value)
        patterns.compiled(one.raises.match if one.raises else "")
    except (ValueError, RecursionError, patterns.PatternFault) as problem:
        return str(problem)
    return ""


def _words(one: CallEntry, runner: CallRunner) -> tuple[str, ...]:
    given = tuple(decoded(list(one.args)))
    named = {name: decoded(value) for name, value in one.kwargs.items()}
    return (runner.literal(given), *((runner.keywords(named),) if runner.keywords else ()))


def _line(check: CallCheck, one: CallEntry, runner: CallRunner) -> str:
    return "\t".join((one.call or check.entry, *_words(one, runner)))


def shown_call(check: CallCheck, one: CallEntry) -> str:
    """Return a call in the syntax of its language, shortened."""
    runner = _runner(check)
    parts = [runner.literal(decoded(value)) for value in one.args]
    parts += [f"{name}={runner.literal(decoded(value))}" for name, value in one.kwargs.items()]
    name = one.call or check.entry
    return _shortened(" ".join((name, *parts)) if runner.is_text else f"{name}({', '.join(parts)})")


def _written(check: CallCheck, value: Any) -> str:
    try:
        return _shortened(repr(value) if _runner(check).is_text else _runner(check).literal(value))
    except (ValueError, RecursionError):
        return _shortened(repr(value))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 20]}... ({len(text)} characters)"


def _unmet(check: CallCheck, one: CallEntry, reply: CallReply | None, ran: StepOutcome) -> str:
    """Return why a call fails, a clause that follows its name; empty if it holds."""
    if reply is None:
        return (
            f"was not answered: {'its reply was cut off' if ran.outcome.report.omitted_bytes else ending_sentence(ran)}"
        )
    if reply.problem:
        return reply.problem
    if one.raises is not None:
        return _unmet_error(check, one.raises, reply)
    wanted = decoded(one.returns if one.approx is None else one.approx.value)
    expected = f"expected {'about ' if one.approx else ''}{_written(check, wanted)}"
    if reply.raised:
        return f"raised {_error(reply)}, {expected}"
    got = reply.value
    if _runner(check).is_text:
        wanted, got = _of_text(wanted, got, is_number=one.approx is not None)
    wanted = as_moments(wanted) if _runner(check).has_moments else wanted
    near = nearness(one.approx.rel, one.approx.abs) if one.approx else None
    return "" if is_same(got, wanted, near) else f"returned {_written(check, reply.value)}, {expected}"


def _of_text(wanted: Any, got: Any, *, is_number: bool) -> tuple[Any, Any]:
    """Return the expected and the actual output of a shell function, both as text or both as numbers."""
    if is_number:
        try:
            return wanted, float(got)
        except (TypeError, ValueError):
            return wanted, got
    is_plain = isinstance(wanted, (int, float)) and not isinstance(wanted, bool)
    return "" if wanted is None else str(wanted) if is_plain else wanted, got


def _unmet_error(check: CallCheck, wanted: Raises, reply: CallReply) -> str:
    expected = f"expected {wanted.type or 'an error'}" + (f" with /{wanted.match}/" if wanted.match else "")
    if not reply.raised:
        return f"returned {_written(check, reply.value)}, {expected}"
    is_met = (not wanted.type or wanted.type in reply.raised) and (
        not wanted.match or patterns.found(wanted.match, reply.message)
    )
    return "" if is_met else f"raised {_error(reply)}, {expected}"


def _error(reply: CallReply) -> str:
    return _shortened(f"{reply.raised[0]}: {reply.message}" if reply.message else reply.raised[0])
