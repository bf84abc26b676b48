"""The `io` check: a program of the submission gets the input of each test, and the host compares its output.

Every test is one process in its own workspace. While it runs, the sandbox contains no expected output and no input of
another test, so there is nothing to find. The candidate cannot read an interactor's files. The verdict of a test never
depends on what the program says about itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from gradebox.graders import languages
from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.io.checker import Protocol, checked, checker_stage
from gradebox.graders.checks.io.comparisons import Compare, CompareForm, ExpectedOutput
from gradebox.graders.checks.io.first_difference import beginning
from gradebox.graders.checks.io.groups import Group, combined, listed_tests, seen_parts, with_groups
from gradebox.graders.checks.io.interactor import Talked, interactor_stages, talked
from gradebox.graders.checks.io.program_tests import CAPTURE_MAX, ProgramTest, TestsForm, program_tests
from gradebox.graders.checks.io.verdicts import RunResult, RunVerdict, result_of
from gradebox.graders.checks.results import ending_sentence, error, last_words, record, scored, unfinished, whose_fault
from gradebox.graders.documents.commands import Command
from gradebox.graders.documents.entries import WrittenAs, optional
from gradebox.graders.documents.fields import Bytes, Count, OneOf, Seconds, Several
from gradebox.graders.errors import CaseRefused
from gradebox.graders.model.case import DEFAULT_ITEM_SECONDS, Case, CommandSpec
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.expectation import Content
from gradebox.graders.model.plan import Role, Stage, User
from gradebox.graders.model.verdict import CheckResult, OwnDetails, Seen, StepRecord
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.limits import MIB

FROM_REFERENCE = "from-reference"
OUTPUT_BYTES = 8 * MIB
"""How many bytes a test may print, unless twice its expected output is more."""
MOST_PASSES = 100
INTERACTOR_SECONDS = 60.0
_Language = Annotated[str, OneOf(languages.names, languages.is_own)]


class IoCheck(Check):
    """Gives a program the input of each test, and compares its output outside the sandbox."""

    type = "io"

    tests: Annotated[tuple[ProgramTest, ...], WrittenAs(TestsForm)] = Field(
        description="A list; a directory of `NAME.in` with `NAME.ans` or `NAME.out`; or a file of JSON lines."
    )
    answers: Literal["written", "from-reference"] = optional(
        "Where expected outputs come from: from the tests, or, for tests without one, from a run of the reference.",
        default="written",
    )
    run: Command | None = optional(
        "The command that starts the program. Default: the language's command for the answer file."
    )
    build: Command | None = optional(
        "Runs once before the tests. If it fails, the candidate has failed. Default if `run` is missing, too: the "
        "language's compiler."
    )
    build_timeout_seconds: Seconds = optional("Limit of processor time for `build`.", default=60.0)
    language: Annotated[str, WrittenAs(_Language)] = optional("Language of the program.", default_factory=str)
    timeout_seconds: Seconds | None = optional(
        "Processor time of each test.", "time_limit_seconds", default=DEFAULT_ITEM_SECONDS
    )
    memory: Bytes | None = optional("Memory limit of each test. The limit of the whole sandbox is in `limits`.")
    compare: CompareForm = optional("How outputs are compared.", default=Compare())
    checker: Command | None = optional("A program of the case that judges each output, in place of `compare`.")
    interactor: Command | None = optional(
        "A program of the case that exchanges input and output with the tested program and decides whether it "
        "passes. It replaces `stdin` and `compare`."
    )
    passes: Annotated[Count, Field(ge=1, le=MOST_PASSES)] = optional(
        "How often a test may run. The interactor requests each further pass and writes its input.", default=1
    )
    protocol: Protocol = optional(
        "Exit statuses with which checker and interactor accept and reject: 42 and 43 (`kattis`), or 0 and 1 (`exit`).",
        default="kattis",
    )
    groups: Several[Group] = optional("Groups of tests that are scored together, for points.", default=())

    def completed(self, reading: Reading) -> Self | None:
        """Read the tests, take the default command from the language, and refuse contradictions."""
        errors = reading.reader.findings.errors
        language = self.language or reading.surroundings.language or ""
        known = languages.get(language) if language else None
        # The language's own `run` would not find the output of the check's own `build`.
        if self.run is None and not (known and known.program and not (self.build and known.build)):
            reading.error((), "`run` is missing", "Write the program and its arguments: `run: [./solve]`.")
        if self.compare.misplaced():
            field, way = self.compare.misplaced()[0], self.compare.by
            reading.error(("compare", field), f"`{field}` means nothing where `by` is `{way}`", "Remove it.")
        if self.interactor:
            self._refuse_contradictions(reading)
        elif self.passes > 1:
            reading.error(("passes",), "only an `interactor` asks for passes", "Write one, or remove `passes`.")
        needed = self.answers == "written" and not (self.checker or self.interactor)
        tests = with_groups(self.groups, program_tests(self.tests, reading, answers=needed), reading)
        if reading.reader.findings.errors > errors:
            return None
        points = 0.0 if "weight" in self.model_fields_set else sum(group.points for group in self.groups)
        return self.but(tests=tests, language=language, weight=points or self.weight)

    def _refuse_contradictions(self, reading: Reading) -> None:
        for name in ("checker", "compare"):
            if name in self.model_fields_set and getattr(self, name):
                reading.error((name,), f"`{name}` means nothing beside an `interactor`, which decides", "Remove one.")
        if self.answers == FROM_REFERENCE:
            message = "the reference gives no answers where an `interactor` decides"
            reading.error(("answers",), message, "Write the answers, or remove `answers`.")

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return a stage for the build, if one is needed, and a stage for each test.

        Raises CaseRefused if a test may use more memory than the sandbox has.
        """
        if self.memory is not None and self.memory > case.limits.memory_bytes:
            raise CaseRefused(
                f"{self.place}: {self.name}: a test may use {self.memory:,} bytes of memory, and the sandbox has "
                f"{case.limits.memory_bytes:,}; raise `limits: {{memory: ...}}`"
            )
        build = self._building(case)
        listed = [self._build(case, planner, build)] if build else []
        for test in self.tests:
            if self.interactor:
                listed += self._talk(case, planner, test, self.interactor)
                continue
            listed.append(self._test(case, planner, test))
            if self.checker:
                contents = (test.input, test.answer or Content.of(b""))
                stage = checker_stage(self, planner, self.checker, test.name, contents, self.protocol)
                listed.append(replace(stage, stops_with=listed[-1].stops_with))
        return tuple(listed)

    def _building(self, case: Case) -> CommandSpec | None:
        """Return the build command: the check's own, or without `build` and `run` the language's."""
        if self.build or self.run:
            return self.build
        known = languages.get(self.language)
        words = known.building(case.answer_file or known.answer_file)
        return CommandSpec(words) if words else None

    def _build(self, case: Case, planner: CheckPlanner, command: CommandSpec) -> Stage:
        step = planner.step(Role.BUILD, f"{self.name} build", command, check=self)
        limit = case.limit_seconds(command.timeout_seconds, self.build_timeout_seconds)
        step = replace(step, user=User.CANDIDATE, limit_seconds=limit, mentions=())
        return replace(planner.stage(step.name, [step], self.name), builds=True)

    def _test(self, case: Case, planner: CheckPlanner, test: ProgramTest) -> Stage:
        run = self.run or _default_run(self.language, case)
        most = min(CAPTURE_MAX, max(OUTPUT_BYTES, 2 * (test.answer.size if test.answer else 0)))
        step = replace(
            planner.step(Role.TEST, test.name, _with_args(run, test.args), check=self),
            user=User.CANDIDATE,
            # File names in the command refer to the candidate's files, so no files of the case are delivered.
            mentions=(),
            input=test.input,
            output_bytes=most,
            capture_bytes=most,
        )
        stage = planner.stage(f"{self.name} {test.name}", [step], self.name)
        return replace(self._begun(case, stage, test), expected=None if self.checker else self._expected(test))

    def _begun(self, case: Case, stage: Stage, test: ProgramTest) -> Stage:
        group = next((group for group in self.groups if group.name == test.group and group.on_fail == "stop"), None)
        return replace(
            stage,
            given=tuple(file_entry(path, text.encode()) for path, text in test.files.items()),
            built=self._building(case) is not None,
            stops_with=group.name if group else "",
        )

    def _talk(self, case: Case, planner: CheckPlanner, test: ProgramTest, interactor: CommandSpec) -> Iterator[Stage]:
        run = _with_args(self.run or _default_run(self.language, case), test.args)
        listed = interactor_stages(
            self,
            planner,
            (interactor, run),
            test.name,
            (test.input, test.answer or Content.of(b"")),
            self.protocol,
            seconds=case.limit_seconds(interactor.timeout_seconds, INTERACTOR_SECONDS),
            passes=self.passes,
        )
        return (self._begun(case, stage, test) for stage in listed)

    def seen_parts(self, around: Seen | None) -> tuple[Mapping[str, Seen], Mapping[str, Seen]]:
        """Return what a candidate may see of each test and of each group."""
        return seen_parts(self.groups, self.tests, around, talks=self.interactor is not None)

    @property
    def lacks_answers(self) -> bool:
        """Whether a test still lacks its expected output."""
        return self.answers == FROM_REFERENCE and any(test.answer is None for test in self.tests)

    def _expected(self, test: ProgramTest) -> ExpectedOutput:
        return ExpectedOutput(self.compare, test.answer, from_reference=self.answers == FROM_REFERENCE)

    def commands(self) -> Iterator[CommandSpec]:
        """Yield the checker and the interactor; the other commands belong to the candidate."""
        yield from filter(None, (self.checker, self.interactor))

    def reads_workspace(self, case: Case) -> bool:
        """Return whether the case has a workspace, since the program is a file in it."""
        return case.workspace is not None

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Score the results of the tests."""
        done = evidence.done
        count, builds = 2 if self.checker else self.passes, self._building(case) is not None
        if len(done) != len(self.tests) * count + builds:
            return error(self, case, "its tests were never run")
        if builds and done[0].outcome.exit_code != 0:
            return self._unbuilt(case, done[0])
        talks = [self._became(done[at : at + count]) for at in range(builds, len(done), count)]
        ran, results = [talk.ran for talk in talks], [talk.result for talk in talks]
        judged = list(zip(ran, results, strict=True))
        scores = {one.step.name: result.score for one, result in judged if not one.skipped}
        shown = listed_tests(scores, self.seen().tests)
        inputs = {test.name: beginning(test.input.read()) for test in self.tests if test.name in shown}
        records = tuple(_record(one, result, inputs) for one, result in judged if not one.skipped)
        faults = [f"{one.step.name}: {result.fault}" for one, result in judged if result.fault]
        if faults:
            return error(self, case, faults[0], records)
        if self.negate and any(one.cut_off for one in ran):
            return unfinished(self, case, "the time of the case was over before all tests had run", records)
        total = combined(self.groups, self.tests, [result.score for result in results])
        answers = {test.name: test.answer for test in self.tests}
        rows = [_row(talk, inputs, answers.get(talk.ran.step.name)) for talk in talks]
        details = {"tests": rows} | ({"groups": list(total.rows)} if total.rows else {})
        reason = self._reason(results, total.points)
        return scored(self, case, total.score, reason, records, details=OwnDetails(details))

    def _became(self, part: Sequence[StepOutcome]) -> Talked:
        """Return the result of a test, from the outcomes of its stages."""
        if self.interactor:
            return talked(part, self.protocol, self.memory)
        said = checked(part[1], self.protocol) if self.checker and not part[1].skipped else None
        return Talked(part[0], result_of(part[0], self.memory, said))

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


def _row(talk: Talked, inputs: Mapping[str, str], answer: Content | None) -> dict[str, Any]:
    """Return the row of a test in the check's details, with its input and expected output if they are shown."""
    ran, result = talk.ran, talk.result
    name, usage = ran.step.name, ran.outcome.usage
    row: dict[str, Any] = {"test": name, "verdict": str(result.verdict)}
    row |= {"seconds": round(usage.cpu_seconds, 3), "memory_bytes": usage.peak_rss_bytes}
    if name in inputs:
        row |= {"reason": result.reason, "input": inputs[name]}
        if ran.comparison and result.score < 1:
            row |= {"expected": ran.comparison.expected, "actual": ran.comparison.actual}
        elif answer is not None and not talk.said:
            row["expected"] = beginning(answer.read())
        if talk.said:
            row["conversation"] = talk.said
    return row


def _record(ran: StepOutcome, result: RunResult, inputs: Mapping[str, str]) -> StepRecord:
    reason = ": ".join(filter(None, (str(result.verdict), result.reason or result.fault)))
    reason += f"; input {inputs[ran.step.name]!r}" if inputs.get(ran.step.name) else ""
    return record(ran, passed=result.verdict is RunVerdict.ACCEPTED, reason=reason)


def _default_run(language: str, case: Case) -> CommandSpec:
    """Return the command that runs the file of an answer in a language."""
    known = languages.get(language)
    return CommandSpec(known.running(case.answer_file or known.answer_file))


def _with_args(run: CommandSpec, args: tuple[str, ...]) -> CommandSpec:
    if not args:
        return run
    if run.shell:
        return replace(run, argv=(*run.argv[:2], f'{run.argv[2]} "$@"', "sh", *args))
    return replace(run, argv=(*run.argv, *args))
