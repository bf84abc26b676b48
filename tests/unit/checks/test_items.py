"""Examples and unit tests: a program an item, and a token that only its end can send."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders import languages
from gradebox.graders.cases import Loaded
from gradebox.graders.checks.evaluation import judge, stages
from gradebox.graders.checks.items import Examples, Item, Items
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.planner import Planner
from gradebox.graders.languages.language import MODULES
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Files, Role, Step
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import DEFAULT_SHOWN, HIDDEN, CheckResult, Seen, Shown, Status, Visibility
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.types import Capture, Ending, Outcome

LoadText = Callable[..., Loaded]

PLACE = Place(Path("case.yaml"))
ITEMS = (Item(name="#1", code="one"), Item(name="#2", code="two", weight=2.0), Item(name="#3", code="three"))


def spec(*items: Item, **changes: Any) -> Items:
    return Items(**{"name": "unit-tests", "place": PLACE, "language": "python", "items": items or ITEMS} | changes)


def case(**changes: Any) -> Case:
    return Case(**{"id": "case", "place": PLACE, "directory": Path("/case"), "checks": (spec(),)} | changes)


def steps(asked: Items, files: Iterable[ArchiveEntry] = (), **changes: Any) -> list[Step]:
    own = Tree({entry.path: entry for entry in files})
    planned = stages(asked, case(**changes), Planner(case(**changes), Files(Tree(), own)))
    return [step for stage in planned for step in stage.steps]


def outcome(report: str = "", exit_code: int = 0, ending: Ending = Ending.EXITED) -> Outcome:
    data = report.encode()
    code = exit_code if ending is Ending.EXITED else None
    return Outcome(ending, code, report=Capture(data, total_bytes=len(data)))


def graded(asked: Items, *outcomes: Outcome, cut_off: bool = False) -> CheckResult:
    """Judge items; ``TOKEN`` in a report stands for the one of the item."""
    done = []
    for step, ended in zip(steps(asked), outcomes, strict=True):
        report = ended.report.content().replace(b"TOKEN", step.token.encode())
        done.append(StepOutcome(step, outcome(report.decode(), ended.exit_code or 0, ended.ending), cut_off))
    return judge(asked, case(), Evidence(done=tuple(done)))


FINE = outcome("TOKEN\n")


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0, 3.0])), min_size=1, max_size=6))
def test_the_score_is_the_weight_of_what_passed_over_the_weight_of_all(results: list[tuple[bool, float]]) -> None:
    items = [Item(name=f"#{number}", code="x", weight=weight) for number, (_, weight) in enumerate(results)]
    found = graded(spec(*items), *(FINE if passed else outcome(exit_code=1) for passed, _ in results))
    total = sum(weight for _, weight in results)
    if not total:
        assert found.status is Status.ERROR
        return
    assert found.score == pytest.approx(sum(weight for passed, weight in results if passed) / total)
    assert found.reason == f"{sum(passed for passed, _ in results)} of {len(results)} passed"
    assert [step.passed for step in found.steps] == [passed for passed, _ in results]


@pytest.mark.parametrize(
    ("ended", "passed", "reason"),
    [
        (FINE, True, ""),
        (outcome("TOKEN"), True, ""),
        (outcome("noise\nTOKEN\n"), True, ""),
        (outcome(""), False, "it did not run to its end"),
        (outcome("token\n0123\n"), False, "it did not run to its end"),
        (outcome("xTOKEN\n"), False, "it did not run to its end"),
        (outcome("TOKENx"), False, "it did not run to its end"),
        (outcome("TOKEN\n", exit_code=1), False, "exit status 1"),
        (outcome(exit_code=1), False, "exit status 1"),
        (outcome("TOKEN\n", ending=Ending.SIGNALLED), False, "signalled"),
        (outcome("TOKEN\n", ending=Ending.TIMED_OUT), False, "timed out"),
        (outcome(ending=Ending.OUT_OF_MEMORY), False, "out of memory"),
        (outcome(ending=Ending.OUTPUT_LIMIT), False, "output limit"),
    ],
)
def test_an_item_passes_only_with_its_token_and_exit_status_0(ended: Outcome, *, passed: bool, reason: str) -> None:
    found = graded(spec(Item(name="#1", code="x")), ended)
    assert (found.score, found.steps[0].passed, found.steps[0].reason) == (float(passed), passed, reason)


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (outcome(ending=Ending.SANDBOX_LOST), "#2: sandbox lost"),
        (outcome(ending=Ending.NOT_STARTED), "#2: it could not be started"),
        (outcome("TOKEN missing numpy\n", exit_code=90), "the image lacks numpy, which the case imports"),
    ],
)
def test_what_is_not_the_candidates_fault_is_an_error_of_the_check(ended: Outcome, said: str, *, negate: bool) -> None:
    found = graded(spec(negate=negate), FINE, ended, FINE)
    assert (found.status, found.score) == (Status.ERROR, None)
    assert found.reason.startswith(said)
    assert len(found.steps) == 3


def test_a_missing_import_that_the_candidate_claims_is_none() -> None:
    found = graded(spec(Item(name="#1", code="x")), outcome("0123 missing numpy\n", exit_code=90))
    assert (found.status, found.score) == (Status.FAILED, 0.0)


def test_negate_turns_the_share_round_but_not_when_the_time_of_the_case_was_over() -> None:
    late = outcome(ending=Ending.TIMED_OUT)
    assert graded(spec(negate=True), FINE, late, FINE).score == 0.5
    found = graded(spec(negate=True), FINE, late, FINE, cut_off=True)
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert graded(spec(), FINE, late, FINE, cut_off=True).score == 0.5


def test_each_item_is_a_program_of_its_own_with_a_token_of_its_own() -> None:
    asked = spec(setup="before", teardown="after", imports=("os",), env={"A": "1"}, cwd="src", timeout_seconds=7)
    planned = stages(asked, case(), Planner(case(), Files(Tree(), Tree())))
    assert [stage.name for stage in planned] == ["unit-tests #1", "unit-tests #2", "unit-tests #3"]
    assert len({stage.user for stage in planned}) == 3
    listed = steps(asked, env={"B": "2"})
    assert len({step.token for step in listed}) == 3
    for step, item in zip(listed, ITEMS, strict=True):
        assert (step.role, step.name, step.cwd, step.limit_seconds) == (Role.ITEM, item.name, "/workspace/src", 7)
        assert step.env == {"A": "1", "B": "2", MODULES: ""}
        assert step.report
        assert step.argv == languages.get("python").argv()
        code = item.code
        assert step.stdin.decode() == (
            f"token 32\n{step.token}\nimport 2\nos\nsetup 6\nbefore\nitem {len(code)}\n{code}\nteardown 5\nafter\n"
        )
        assert not any(step.token in word for word in step.argv)


def test_an_items_own_setup_comes_after_the_checks_and_its_teardown_before() -> None:
    (step,) = steps(spec(Item(name="#1", code="x", setup="inner", teardown="tear"), setup="outer", teardown="down"))
    order = [line for line in step.stdin.decode().splitlines() if line in {"outer", "inner", "x", "tear", "down"}]
    assert order == ["outer", "inner", "x", "tear", "down"]


def test_items_have_ten_seconds_each_or_the_time_of_a_command_and_never_more_than_the_case() -> None:
    assert [step.limit_seconds for step in steps(spec(), command_seconds=11.0)] == [11.0] * 3
    assert [step.limit_seconds for step in steps(spec(timeout_seconds=50), timeout_seconds=20.0)] == [20.0] * 3
    assert [step.limit_seconds for step in steps(spec())] == [10.0] * 3
    (shared,) = steps(spec(isolation="shared", timeout_seconds=7))
    assert shared.limit_seconds == 21


def test_only_the_item_that_names_a_file_gets_it() -> None:
    asked = spec(Item(name="#1", code="bash grading/a.sh"), Item(name="#2", code="true"), language="bash")
    files = [ArchiveEntry("grading", EntryKind.DIRECTORY), file_entry("grading/a.sh", b"")]
    planner = Planner(case(), Files(Tree(), Tree({entry.path: entry for entry in files})))
    named, other = stages(asked, case(), planner)
    assert [entry.path for entry in named.delivered] == ["grading", "grading/a.sh"]
    assert other.delivered == ()


def test_words_of_a_program_are_no_file_names() -> None:
    planner = Planner(case(), Files(Tree(), Tree({"a": file_entry("a", b"")})))
    (stage,) = stages(spec(Item(name="#1", code="a")), case(), planner)
    assert stage.delivered == ()


def test_a_source_that_is_no_text_is_refused_with_its_place() -> None:
    with pytest.raises(CaseRefused, match=r"case\.yaml: unit-tests cannot be run: .*NUL"):
        steps(spec(Item.model_construct(name="#1", code="a\0b")))


def shared(report: str, ended: Outcome, *, negate: bool = False) -> CheckResult:
    """Judge items that share a process; ``#N`` in the report stands for that item's token, ``END`` for the last one."""
    asked = spec(isolation="shared", negate=negate)
    (step,) = steps(asked)
    for item in step.items:
        report = report.replace(item.name, item.token)
    report = report.replace("END", step.token)
    return judge(
        asked, case(), Evidence(done=(StepOutcome(step, outcome(report, ended.exit_code or 0, ended.ending)),))
    )


@pytest.mark.parametrize(
    ("report", "ended", "score"),
    [
        ("#1\n#2\n#3\nEND\n", outcome(), 1.0),
        ("#1\n#3\n", outcome(exit_code=1), 0.5),
        ("#2\n", outcome(ending=Ending.TIMED_OUT), 0.5),
        ("#1\n", outcome(ending=Ending.SIGNALLED), 0.25),
        ("END\n", outcome(), 0.0),
        ("", outcome(), 0.0),
    ],
)
def test_in_a_shared_process_every_item_counts_that_came_to_its_end(report: str, ended: Outcome, score: float) -> None:
    found = shared(report, ended)
    assert found.score == score
    assert [step.name for step in found.steps] == ["#1", "#2", "#3"]
    assert [step.passed for step in found.steps] == [f"#{number}\n" in report for number in (1, 2, 3)]


def test_in_a_shared_process_a_missing_import_is_an_error_too() -> None:
    found = shared("END missing numpy\n", outcome(exit_code=90))
    assert (found.status, found.reason) == (Status.ERROR, "the image lacks numpy, which the case imports")
    assert shared("#1\n", outcome(ending=Ending.SANDBOX_LOST), negate=True).status is Status.ERROR


def test_examples_are_items_under_another_name() -> None:
    asked = Examples(name="examples", place=PLACE, language="python", items=ITEMS[:1])
    assert graded(asked, FINE).type == "examples"


def test_items_get_numbers_for_names(load_text: LoadText) -> None:
    loaded = load_text("language: bash\nexamples: [a, {code: b, weight: 2, setup: s}, {code: c, name: last}]\n")
    (check,) = loaded.cases[0].checks
    assert isinstance(check, Examples)
    assert check.items == (
        Item(name="#1", code="a"),
        Item(name="#2", code="b", weight=2.0, setup="s"),
        Item(name="last", code="c"),
    )


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("[a, {code: b, name: '#1'}]", "the name `#1` is taken by the item in line 2"),
        ("[{code: a, weight: 0}]", "the weights of all items are 0"),
    ],
)
def test_items_that_cannot_be_scored_are_refused(items: str, message: str, load_text: LoadText) -> None:
    assert [error.message for error in load_text(f"language: bash\nexamples: {items}\n").errors] == [message]


def test_a_language_without_items_has_none(load_text: LoadText) -> None:
    (error,) = load_text("language: cpp\nexamples: [f(1) == 2]\n").errors
    assert error.message == "there are no items of cpp"
    assert "`io` check" in (error.hint or "")


def test_items_that_cannot_be_judged_apart_are_refused(load_text: LoadText) -> None:
    checks = "assertions: [{type: examples, isolation: apart}]\n"
    (error,) = load_text(f"language: bash\nexamples: [f 1]\n{checks}").errors
    assert error.message == "items of bash cannot be judged apart from the submission"
    assert error.hint == "Judge by a `call` check, or by a code-grader that runs `candidate`."
    assert load_text("language: bash\nisolation: apart\nexamples: [f 1]\n").errors == ()


@pytest.mark.parametrize(
    ("language", "items", "message"),
    [
        ("python", "[assert f(1]", "the item is not Python: '(' was never closed"),
        ("bash", "['f a [1', '2]']", "a bracket of this item is closed in the next one, as if they were one text"),
        ("python", "['assert f([1, 2])']", ""),
        ("bash", "['echo \"[\"', 'echo \"]\"']", ""),
    ],
)
def test_an_item_that_was_probably_cut_is_a_warning(
    language: str, items: str, message: str, load_text: LoadText
) -> None:
    loaded = load_text(f"language: {language}\nexamples: {items}\n")
    assert [found.message for found in loaded.diagnostics] == ([message] if message else [])
    assert len(loaded.cases) == 1


@pytest.mark.parametrize(
    "items",
    [
        ["f(1,", "2)"],
        ["x = '''a", "b'''"],
        ['x = """a', 'b"""'],
        ["if x:", " f()"],
        ["x = \\", "1,)"],
        ["try: f()", "finally: g()"],
    ],
)
def test_items_that_are_python_only_together_are_each_a_warning(items: list[str], load_text: LoadText) -> None:
    loaded = load_text(f"language: python\nexamples: {json.dumps(items)}\n")
    assert [found.path for found in loaded.warnings] == ["examples[0]", "examples[1]"]


DEFAULT = Seen(Visibility.VISIBLE, DEFAULT_SHOWN)
EVERYTHING = Seen(Visibility.VISIBLE, tuple(Shown))
SAMPLES = (Item(name="a", code="one", visibility="visible"), Item(name="b", code="two"))


def test_candidates_see_no_item_that_nobody_let_out() -> None:
    assert spec().seen() == DEFAULT
    assert spec(*SAMPLES).seen() == DEFAULT.with_parts(tests={"a": EVERYTHING}, groups={})
    assert spec(*SAMPLES, visibility="hidden").seen() == HIDDEN
    whole = spec(*SAMPLES, visibility="after", show=("name",)).seen()
    assert whole.tests["b"] == Seen(Visibility.AFTER, (Shown.NAME,))
    # What a check shows of itself says nothing about its items.
    assert spec(show=("name", "output")).seen().tests == {}


def test_the_output_of_an_item_would_quote_what_runs_around_it() -> None:
    shown = (Shown.NAME, Shown.VERDICT, Shown.INPUT)
    assert spec(*SAMPLES, setup="secret").seen().tests == {"a": Seen(Visibility.VISIBLE, shown)}
    assert spec(*SAMPLES, setup="known", visibility="visible").seen().tests["a"] == EVERYTHING


def test_items_of_one_program_show_nothing_of_it() -> None:
    assert spec(*SAMPLES, isolation="shared").seen().tests == {"a": DEFAULT}
