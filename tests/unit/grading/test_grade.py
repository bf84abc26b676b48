"""From files to a verdict, against the scripted engine: what is where, when, and what that comes to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Act, Bench, check, command

from gradebox.graders.checks.items import Item, Items
from gradebox.graders.grading.task import load_case
from gradebox.graders.model.events import CaseGraded, CaseStarted, StepStarted
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.answer import read_answer
from gradebox.sandbox.protocol.payloads import Scrubbed
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Ending
from gradebox.sandbox.users import FIRST_UID

HIDDEN = {"grading/secret.py": "the tests", "grading/data/expected.txt": "42"}


def test_a_whole_case_from_its_file_to_its_verdict(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"false": FAIL})
    text = """
        id: greet
        criteria: Greets.
        image: image
        setup: make
        assertions:
          - {name: right, type: code-grader, command: ["true", "x"], weight: 3}
          - {name: wrong, type: code-grader, command: ["false"], weight: 1}
    """
    (tmp_path / "case" / "case.yaml").write_text(text)
    graded = bench.grade(load_case(tmp_path / "case"), bench.submission({"greet.py": "pass"}))
    assert (graded.case, graded.submission, graded.image) == ("greet", "work", "image")
    assert (graded.verdict.status, graded.verdict.score) == (Status.FAILED, 0.75)
    assert [(each.name, each.status, each.score) for each in graded.verdict.checks] == [
        ("right", Status.PASSED, 1.0),
        ("wrong", Status.FAILED, 0.0),
    ]
    assert bench.watch.programs == ["sh", "true", "false"]
    assert [step.argv for step in graded.own_steps] == [("sh", "-c", "make")]
    assert graded.image_id.startswith("sha256:")
    assert graded.memory.memory_peak_bytes == 2 << 20


def test_hidden_files_are_there_only_while_a_command_names_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    checks = (check("before"), check("naming grading/secret.py"), check("after"))
    items = Items(
        name="items",
        place=checks[0].place,
        language="bash",
        items=(Item(name="#1", code="cat x"), Item(name="#2", code="cat grading/secret.py")),
    )
    case = bench.case(*checks, items, files=HIDDEN, setup=(command("setup"),), teardown=(command("teardown"),))
    bench.grade(case)
    present = [(run.argv[0], any(path.startswith("grading") for path in run.files)) for run in bench.watch.runs]
    assert present == [
        ("setup", False), ("before", False), ("naming", True), ("after", False),
        ("bash", False), ("bash", True), ("teardown", False),
    ]  # fmt: skip
    assert set(bench.watch.files("naming")) >= set(HIDDEN)


def test_what_setup_was_given_is_taken_back_before_the_checks(tmp_path: Path) -> None:
    def setup(run: FakeRun) -> FakeEnd:
        run.files["built"] = run.files["grading/secret.py"]
        return PASS

    bench = Bench(tmp_path, {"setup": setup})
    files = HIDDEN | {"helper.sh": "ours", "workspace/helper.sh": "the workspace's", "workspace/kept": ""}
    case = bench.case(check("plain"), files=files, setup=(command("setup grading/secret.py helper.sh"),))
    bench.grade(case)
    assert bench.watch.files("setup")["helper.sh"] == b"ours"
    # What a setup makes of hidden files is its author's business.
    assert bench.watch.files("plain") == {"built": b"the tests", "helper.sh": b"the workspace's", "kept": b""}


def test_neither_the_reference_nor_other_submissions_nor_the_case_ever_arrive(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    files = {"reference/a": "", "submissions/b/a": "", "case.yaml": "", "workspace/a": "", "grading/x": ""}
    bench.grade(
        bench.case(check("naming reference/a reference submissions case.yaml workspace grading ."), files=files)
    )
    assert set(bench.watch.files("naming")) == {"a", "grading/x"}


def test_a_submission_cannot_stand_in_for_hidden_files(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check("plain"), check("naming grading/secret.py"), files=HIDDEN)
    bench.grade(case, bench.submission({"grading/secret.py": "mine", "grading/conftest.txt": "mine too"}))
    found = bench.watch.files("naming")
    assert {path: data for path, data in found.items() if path.startswith("grading")} == {
        path: data.encode() for path, data in HIDDEN.items()
    }
    assert bench.watch.runs[-1].protected == frozenset(HIDDEN)


def test_what_a_command_names_is_the_cases_whatever_the_submission_did(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    files = {"workspace/tests/test_a.py": "theirs", "workspace/tests/test_b.py": "theirs", "workspace/main.py": "stub"}
    case = bench.case(check("pytest tests/test_a.py"), files=files)
    graded = bench.grade(
        case, bench.submission({"tests/test_a.py": "mine", "tests/test_b.py": "mine", "main.py": "mine"})
    )
    found = bench.watch.files("pytest")
    assert found["tests/test_a.py"] == b"theirs"
    assert found["main.py"] == b"mine"
    assert "tests/test_a.py" in graded.restored
    assert "main.py" not in graded.restored


def test_what_a_case_protects_is_put_back_before_every_stage(tmp_path: Path) -> None:
    def vandal(run: FakeRun) -> FakeEnd:
        run.files["rules.txt"] = b"rewritten"
        return PASS

    bench = Bench(tmp_path, {"vandal": vandal})
    case = bench.case(check("vandal"), check("reader"), files={"workspace/rules.txt": "rules"}, protect=("*.txt",))
    graded = bench.grade(case, bench.submission({"rules.txt": "mine"}))
    assert [run.files["rules.txt"] for run in bench.watch.runs] == [b"rules", b"rules"]
    assert graded.restored == ("rules.txt",)


def test_only_what_differed_is_told_as_restored(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check("reader"), files={"workspace/rules.txt": "rules"}, protect=("*.txt",))
    assert bench.grade(case).restored == ()


@pytest.mark.parametrize(
    ("allow", "there", "removed"),
    [
        ((), set(), ("conftest.py", "src/sitecustomize.py")),
        (("conftest.py",), {"conftest.py"}, ("src/sitecustomize.py",)),
        (("src/*",), {"src/sitecustomize.py"}, ("conftest.py",)),
    ],
)
def test_control_files_of_a_submission_are_removed_and_told_unless_they_are_allowed(
    tmp_path: Path, allow: tuple[str, ...], there: set[str], removed: tuple[str, ...]
) -> None:
    bench = Bench(tmp_path)
    work = {"conftest.py": "", "src/sitecustomize.py": "", "main.py": ""}
    graded = bench.grade(bench.case(check("pytest"), allow=allow), bench.submission(work))
    assert set(bench.watch.files("pytest")) == {"main.py", *there}
    assert (graded.removed, graded.removed_count) == (removed, len(removed))


def test_a_control_file_of_the_case_is_put_back_and_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check("pytest"), files={"workspace/conftest.py": "theirs", "workspace/pytest.ini": "theirs"})
    graded = bench.grade(case, bench.submission({"conftest.py": "mine"}))
    assert bench.watch.files("pytest") == {"conftest.py": b"theirs", "pytest.ini": b"theirs"}
    assert (graded.restored, graded.removed) == (("conftest.py",), ())


def test_control_files_that_setup_leaves_are_gone_before_the_checks_and_nobodys_attempt(tmp_path: Path) -> None:
    def setup(run: FakeRun) -> FakeEnd:
        run.files["__pycache__/a.pyc"] = b""
        return PASS

    bench = Bench(tmp_path, {"setup": setup})
    graded = bench.grade(bench.case(check("pytest"), setup=(command("setup"),)))
    assert (bench.watch.files("pytest"), graded.removed) == ({}, ())


def test_every_check_begins_from_the_state_after_setup_with_a_user_of_its_own(tmp_path: Path) -> None:
    def messy(run: FakeRun) -> FakeEnd:
        run.files[f"left-by-{run.argv[0]}"] = b""
        run.files.pop("main.py")
        return PASS

    bench = Bench(tmp_path, dict.fromkeys(("setup", "one", "two", "three"), messy))
    case = bench.case(
        check("one"), check("two"), check("three"), files={"workspace/main.py": ""}, setup=(command("setup"),)
    )
    case = replace(case, workspace=case.workspace)
    bench.watch.acts = dict(bench.watch.acts) | {"setup": lambda run: run.files.update(built=b"") or PASS}
    bench.grade(case)
    assert [set(run.files) for run in bench.watch.runs] == [{"main.py"}] + [{"main.py", "built"}] * 3
    uids = [run.uid for run in bench.watch.runs]
    assert len(set(uids)) == 4
    assert min(uids) >= FIRST_UID


def test_the_steps_of_one_check_share_a_state(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"make": lambda run: run.files.update(built=b"") or PASS})
    asked = check("run", setup=(command("make"),), teardown=(command("clean"),))
    graded = bench.grade(bench.case(asked))
    assert bench.watch.programs == ["make", "run", "clean"]
    assert set(bench.watch.files("clean")) == {"built"}
    assert len({run.uid for run in bench.watch.runs}) == 1
    assert [step.role for step in graded.verdict.checks[0].steps] == ["check setup", "check", "check teardown"]


def test_a_command_gets_the_environment_the_directory_and_the_case_on_stdin(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    asked = check("run", env={"B": "check"}, cwd="src", timeout_seconds=7)
    bench.grade(bench.case(asked, env={"A": "case", "B": "case"}, criteria="Greets."))
    (run,) = bench.watch.runs
    assert (run.env["A"], run.env["B"], run.env["FROM_IMAGE"], run.env["HOME"]) == ("case", "check", "1", "/tmp/home")
    assert (run.cwd, run.cpu_us, run.wall_us) == ("/workspace/src", 7_000_000, 14_000_000)
    assert b'"criteria": "Greets."' in run.stdin


@pytest.mark.parametrize(
    ("acts", "protocol", "status", "score"),
    [
        ({"run": FakeEnd(stdout=b'{"score": 0.9}')}, "json", Status.PASSED, 0.9),
        ({"run": FakeEnd(stdout=b'{"score": 0.3}')}, "json", Status.FAILED, 0.3),
        ({"run": FakeEnd(stdout=b"oops")}, "json", Status.ERROR, None),
        ({"run": FakeEnd(stdout=b'{"score": 0.3}')}, "exit", Status.FAILED, 0.3),
        ({"run": PASS, "control": FAIL}, "exit", Status.PASSED, 1.0),
        ({"run": PASS, "control": PASS}, "exit", Status.FAILED, 0.0),
        ({"run": FAIL, "control": PASS}, "exit", Status.FAILED, 0.0),
    ],
)
def test_protocols_and_controls(
    tmp_path: Path, acts: dict[str, Act], protocol: str, status: Status, score: float | None
) -> None:
    bench = Bench(tmp_path, acts)
    control: Any = command("control") if "control" in acts else None
    verdict = bench.grade(bench.case(check("run", protocol=protocol, control=control))).verdict
    assert (verdict.status, verdict.score) == (status, score)
    assert bool(verdict.tampering) is (acts.get("control") == PASS)


def test_an_item_passes_with_its_token_only(tmp_path: Path) -> None:
    def runner(run: FakeRun) -> FakeEnd:
        token = run.stdin.splitlines()[1]
        return FakeEnd(report=token + b"\n" if b"honest" in run.stdin else b"a guess\n")

    bench = Bench(tmp_path, {"bash": runner})
    items = tuple(Item(name=name, code=name) for name in ("honest", "exits early"))
    asked = Items(name="items", place=check("x").place, language="bash", items=items)
    (found,) = bench.grade(bench.case(asked)).verdict.checks
    assert (found.score, found.reason) == (0.0, "1 of 2 passed")
    assert [seen.kind for seen in found.tampering] == [TamperingKind.TOKEN_MISSING]
    assert [(step.name, step.passed) for step in found.steps] == [("honest", True), ("exits early", False)]


def test_an_error_that_every_submission_of_a_case_has_is_found_once(tmp_path: Path) -> None:
    def runner(run: FakeRun) -> FakeEnd:
        token = run.stdin.splitlines()[1]
        return FakeEnd(exit_code=90, report=token + b" missing DataFrames\n")

    text = """
        [code_generation]
        name = "rows"
        contributor = "somebody"
        criteria = ["parsed"]
        prompt = "Count rows."
        version = "1.0"
        examples = ["rows(1)"]
        unit_tests = ["@test rows(1) == 1"]
        imports = ["DataFrames"]
        reference_solution = "rows(x) = x"
        image = "image"
    """
    bench = Bench(tmp_path, {"julia": runner})
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows/definition.toml").write_text(text)
    case = load_case(tmp_path / "rows")
    verdicts = [bench.grade(case, read_answer(name, "```julia\nrows(x) = x\n```")).verdict for name in ("a", "b")]
    assert bench.watch.programs == ["julia"]
    assert {verdict.status for verdict in verdicts} == {Status.ERROR}
    assert all("the image lacks DataFrames" in check.reason for verdict in verdicts for check in verdict.checks)


def test_listeners_hear_of_every_step_in_order(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    graded = bench.grade(bench.case(check("one"), check("two"), setup=(command("make"),)), UNTOUCHED)
    started, *steps, ended = bench.events
    assert started == CaseStarted("case", UNTOUCHED.name)
    assert [(e.step, e.number, e.total) for e in steps if isinstance(e, StepStarted)] == [
        ("setup 1", 1, 3), ("one", 2, 3), ("two", 3, 3),
    ]  # fmt: skip
    assert ended == CaseGraded(graded)
    assert graded.verdict.checks[0].steps[0].outcome.ending is Ending.EXITED


def test_all_files_that_were_removed_are_counted_though_not_all_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scrub = Sandbox.scrub

    def first_only(sandbox: Sandbox, *asked: Any, **more: Any) -> Scrubbed:
        found = scrub(sandbox, *asked, **more)
        return Scrubbed(found.paths[:1], found.count)

    monkeypatch.setattr(Sandbox, "scrub", first_only)
    bench = Bench(tmp_path)
    work = {f"{name}/sitecustomize.py": "" for name in "abc"}
    graded = bench.grade(bench.case(check("plain")), bench.submission(work))
    assert (len(graded.removed), graded.removed_count) == (1, 3)
