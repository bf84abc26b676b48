"""The `io` check: a program of the submission gets the input of each test, and what it prints is compared here.

Every test is one process in a workspace of its own. No expected output and no input of another test is in the sandbox
while it runs, so there is nothing to find. The verdict of a test never comes from what the program says about itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Field

from gradebox.graders import languages
from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.io.comparisons import Compare, CompareForm, ExpectedOutput
from gradebox.graders.checks.io.first_difference import beginning
from gradebox.graders.checks.io.groups import Group, combined, with_groups
from gradebox.graders.checks.io.program_tests import ProgramTest, TestsForm, program_tests
from gradebox.graders.checks.io.verdicts import RunResult, RunVerdict, result_of
from gradebox.graders.checks.results import ending_sentence, error, last_words, record, scored, unfinished, whose_fault
from gradebox.graders.documents.commands import Command
from gradebox.graders.documents.entries import WrittenAs, optional
from gradebox.graders.documents.fields import Bytes, OneOf, Seconds, Several
from gradebox.graders.errors import CaseRefused
from gradebox.graders.model.case import DEFAULT_ITEM_SECONDS, Case, CommandSpec
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Role, Stage, User
from gradebox.graders.model.verdict import CheckResult, OwnDetails, StepRecord
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.types import MIB

OUTPUT_BYTES = 8 * MIB
"""How much a test may print, unless twice its expected output is more."""
_LISTED = 20
_Language = Annotated[str, OneOf(languages.names, languages.is_own)]


class IoCheck(Check):
    """A program gets the input of each test, and what it prints is compared outside the sandbox."""

    type = "io"

    tests: Annotated[tuple[ProgramTest, ...], WrittenAs(TestsForm)] = Field(
        description="A list; or a directory of `NAME.in` with `NAME.ans` or `NAME.out`, or a file of JSON lines."
    )
    run: Command | None = optional(
        "The program; by default the interpreter of the case's language with its answer file."
    )
    build: Command | None = optional("Run once before the tests. That it fails is the candidate's failure.")
    build_timeout_seconds: Seconds = optional("Processor time of `build`.", default=60.0)
    language: Annotated[str, WrittenAs(_Language)] = optional("Of the program.", default_factory=str)
    time_limit_seconds: Seconds = optional("Processor time of each test.", default=DEFAULT_ITEM_SECONDS)
    memory: Bytes | None = optional("Memory of each test; the sandbox has one limit for all in `limits`.")
    compare: CompareForm = optional("How what is printed is compared.", default=Compare())
    groups: Several[Group] = optional("Tests that are scored together, for points.", default=())

    def completed(self, reading: Reading) -> Self | None:
        """Read the tests, take from the language how a program is run, and refuse what does not fit together."""
        errors = reading.reader.findings.errors
        language = self.language or reading.surroundings.language or ""
        if self.run is None and not (language and languages.get(language).program):
            reading.error((), "`run` is missing", "Write the program and its arguments: `run: [./solve]`.")
        if self.compare.misplaced():
            field, way = self.compare.misplaced()[0], self.compare.by
            reading.error(("compare", field), f"`{field}` means nothing where `by` is `{way}`", "Remove it.")
        tests = with_groups(self.groups, program_tests(self.tests, reading, answers=True), reading)
        if reading.reader.findings.errors > errors:
            return None
        return self.but(tests=tests, language=language)

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return a stage that builds, if one is needed, and a stage for each test.

        Raises CaseRefused if a test may use more memory than the sandbox has.
        """
        if self.memory is not None and self.memory > case.limits.memory_bytes:
            raise CaseRefused(
                f"{self.place}: {self.name}: a test may use {self.memory:,} bytes of memory, and the sandbox has "
                f"{case.limits.memory_bytes:,}; raise `limits: {{memory: ...}}`"
            )
        listed = [self._build(case, planner, self.build)] if self.build else []
        return (*listed, *(self._test(case, planner, test) for test in self.tests))

    def _build(self, case: Case, planner: CheckPlanner, command: CommandSpec) -> Stage:
        step = planner.step(Role.BUILD, f"{self.name} build", command, check=self)
        limit = case.limit_seconds(command.timeout_seconds, self.build_timeout_seconds)
        step = replace(step, user=User.CANDIDATE, limit_seconds=limit, mentions=())
        return replace(planner.stage(step.name, [step], self.name), builds=True)

    def _test(self, case: Case, planner: CheckPlanner, test: ProgramTest) -> Stage:
        run = self.run or _default_run(self.language, case)
        assert test.answer is not None
        most = max(OUTPUT_BYTES, 2 * test.answer.size)
        step = replace(
            planner.step(Role.TEST, test.name, _with_args(run, test.args), check=self),
            user=User.CANDIDATE,
            limit_seconds=case.limit_seconds(run.timeout_seconds, self.time_limit_seconds),
            # What a test names is the candidate's: nothing of the case is delivered for it.
            mentions=(),
            input=test.input,
            output_bytes=most,
            capture_bytes=most,
        )
        group = next((group for group in self.groups if group.name == test.group and group.on_fail == "stop"), None)
        return replace(
            planner.stage(f"{self.name} {test.name}", [step], self.name),
            given=tuple(file_entry(path, text.encode()) for path, text in test.files.items()),
            built=self.build is not None,
            expected=ExpectedOutput(self.compare, test.answer),
            stops_with=group.name if group else "",
        )

    def reads_workspace(self, case: Case) -> bool:
        """Return whether the case has a workspace: the program is one of its files."""
        return case.workspace is not None

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Score what the tests came to."""
        done = evidence.done
        if len(done) != len(self.tests) + bool(self.build):
            return error(self, case, "its tests were never run")
        if self.build and (done[0].outcome.exit_code != 0):
            return self._unbuilt(case, done[0])
        ran = done[bool(self.build) :]
        results = [result_of(one, self.memory) for one in ran]
        judged = list(zip(ran, results, strict=True))
        records = tuple(_record(one, result) for one, result in judged if not one.skipped)
        faults = [f"{one.step.name}: {result.fault}" for one, result in judged if result.fault]
        if faults:
            return error(self, case, faults[0], records)
        if self.negate and any(one.cut_off for one in ran):
            return unfinished(self, case, "the time of the case was over before all tests had run", records)
        total = combined(self.groups, self.tests, [result.score for result in results])
        details = self._details(ran, results) | ({"groups": list(total.rows)} if total.rows else {})
        reason = self._reason(results, total.points)
        return scored(self, case, total.score, reason, records, details=OwnDetails(details))

    def _unbuilt(self, case: Case, built: StepOutcome) -> CheckResult:
        reason = f"{RunVerdict.COMPILE_ERROR}: the build failed: {ending_sentence(built)}{last_words(built)}"
        records = (record(built, passed=False, reason=reason),)
        if whose_fault(built) in (Fault.AUTHOR, Fault.OURS):
            return error(self, case, f"the build could not be run: {ending_sentence(built)}", records)
        if self.negate:
            return unfinished(self, case, reason, records)
        return scored(self, case, 0.0, reason, records)

    def _reason(self, results: list[RunResult], points: str) -> str:
        count = sum(result.verdict is RunVerdict.ACCEPTED for result in results)
        first = next(
            ((test, result) for test, result in zip(self.tests, results, strict=True) if result.score < 1), None
        )
        parts = [f"{count} of {len(results)} tests accepted", points]
        if first:
            parts.append(f"{first[0].name}: {first[1].verdict}, {first[1].reason}")
        return "; ".join(filter(None, parts))

    def _details(self, ran: tuple[StepOutcome, ...], results: list[RunResult]) -> dict[str, Any]:
        left = _LISTED
        rows = []
        for test, one, result in zip(self.tests, ran, results, strict=True):
            usage = one.outcome.usage
            row: dict[str, Any] = {
                "test": test.name,
                "verdict": str(result.verdict),
                "seconds": round(usage.cpu_seconds, 3),
                "memory_bytes": usage.peak_rss_bytes,
            }
            if result.verdict is not RunVerdict.ACCEPTED and not one.skipped and left:
                left -= 1
                row |= {"reason": result.reason, "input": beginning(test.input.read())}
                if one.comparison:
                    row |= {"expected": one.comparison.expected, "actual": one.comparison.actual}
            rows.append(row)
        return {"tests": rows}


def _record(ran: StepOutcome, result: RunResult) -> StepRecord:
    usage = ran.outcome.usage
    used = f"{usage.cpu_seconds:.2f} s, {usage.peak_rss_bytes / MIB:.0f} MiB"
    reason = ": ".join(filter(None, (f"{result.verdict} ({used})", result.reason or result.fault)))
    return record(ran, passed=result.verdict is RunVerdict.ACCEPTED, reason=reason)


def _default_run(language: str, case: Case) -> CommandSpec:
    """Return the command that runs the file of an answer in a language."""
    known = languages.get(language)
    return CommandSpec((*known.program, case.answer_file or known.answer_file))


def _with_args(run: CommandSpec, args: tuple[str, ...]) -> CommandSpec:
    if not args:
        return run
    if run.shell:
        return replace(run, argv=(*run.argv[:2], f'{run.argv[2]} "$@"', "sh", *args))
    return replace(run, argv=(*run.argv, *args))
