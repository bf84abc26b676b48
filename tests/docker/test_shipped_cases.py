"""The shipped cases on a real engine: every submission gets the verdict that is written beside it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from grading_bench import write

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.model.verdict_document import document
from gradebox.graders.submissions.source import read_submission

CASES = Path(__file__).parents[2] / "cases"
REFERENCE = "reference"
BURN = """\
assertions: [{type: code-grader, command: [python3, -c, "while True: pass"]}]
limits: {command_timeout_seconds: 3600}
execution: {timeout_seconds: 3600}
"""


def expected() -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (path.parents[1].name, name): wanted
        for path in sorted(CASES.glob("*/submissions/verdicts.yaml"))
        for name, wanted in yaml.safe_load(path.read_text("utf-8")).items()
    }


EXPECTED = expected()
# `make thorough` grades these too. Each is a variant of another submission of its case, or of attacks in tests/hostile.
VARIANTS = {
    ("add-auth", "sqlite-accounts"), ("add-auth", "without-admin"), ("add-auth", "sessions-never-expire"),
    ("add-auth", "login-always-needed"), ("add-auth", "exits-zero-late"), ("add-auth", "hangs-at-import"),
    ("add-auth", "reference-as-a-diff"), ("add-auth", "leaves-daemon"), ("bank-account", "integer-vectors"),
    ("add-auth", "deadlocks-on-login"), ("add-auth", "half-done"), ("add-auth", "deletes-the-tests"),
    ("add-auth", "exits-zero"), ("bank-account", "partial"), ("fix-null-check", "forgets-the-empty-query"),
    ("fix-null-check", "end-token"),
}  # fmt: skip
# The image of its browser has 800 MB, and takes minutes to build.
WITH_BROWSER = "split-bill"
VARIANTS |= {key for key in EXPECTED if key[0] == WITH_BROWSER}
NAMES = [
    pytest.param(path.parent.name, marks=pytest.mark.thorough if path.parent.name == WITH_BROWSER else ())
    for path in sorted(CASES.glob("*/case.yaml"))
]


def task(case: str, name: str) -> Task:
    loaded = load_case(CASES / case)
    if name == REFERENCE:
        assert loaded.reference is not None
        return Task(loaded, read_submission(loaded.reference, name=name))
    path = CASES / case / "submissions" / name
    return Task(loaded, read_submission(path if path.is_dir() else path.with_name(f"{name}.diff"), name=name))


@pytest.fixture(scope="module")
def graded(request: pytest.FixtureRequest) -> dict[tuple[str, str], Result]:
    """Return the results of what is selected, graded at once."""
    mine = (item for item in request.session.items if item.path == request.path and hasattr(item, "callspec"))
    selected = {item.callspec.params["key"] for item in mine if "key" in item.callspec.params}
    if not selected:
        selected = {key for key in EXPECTED if key not in VARIANTS}
    # Those that wait for a deadline first, beside those that work.
    keys = sorted(selected, key=lambda key: key[1] not in ("hangs-at-import", "deadlocks-on-login", "waits-for-ever"))
    with Grader() as grader:
        return dict(zip(keys, grader.grade_many([task(*key) for key in keys], jobs=4), strict=True))


def test_every_submission_has_a_verdict_written_beside_it() -> None:
    for directory in CASES.glob("*/submissions"):
        names = {path.stem for path in directory.iterdir() if path.name != "verdicts.yaml"}
        assert {name for case, name in EXPECTED if case == directory.parent.name} == names | {REFERENCE}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "key",
    [pytest.param(key, id="/".join(key), marks=pytest.mark.thorough if key in VARIANTS else ()) for key in EXPECTED],
)
def test_verdict(graded: dict[tuple[str, str], Result], key: tuple[str, str]) -> None:
    found, wanted = graded[key].verdict, EXPECTED[key]
    assert {check.name: check.score for check in found.checks} == pytest.approx(wanted["checks"]), found.reasons
    assert found.status == wanted["verdict"]
    assert found.score == pytest.approx(wanted["score"], abs=1e-9)


@pytest.mark.parametrize("case", NAMES)
def test_the_reference_has_the_full_score(graded: dict[tuple[str, str], Result], case: str) -> None:
    verdict = graded[case, REFERENCE].verdict
    assert (verdict.status, verdict.score, verdict.tampering) == (Status.PASSED, 1.0, ())


@pytest.mark.parametrize("case", NAMES)
def test_doing_nothing_fails(graded: dict[tuple[str, str], Result], case: str) -> None:
    assert graded[case, "nothing-done"].verdict.status is Status.FAILED


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("fix-null-check", "swallows-the-error"),
        pytest.param("add-auth", "plain-text-passwords", marks=pytest.mark.thorough),
        pytest.param("bank-account", REFERENCE, marks=pytest.mark.thorough),
    ],
)
def test_a_repeat_agrees_in_everything_but_times_and_ids(
    graded: dict[tuple[str, str], Result], case: str, name: str
) -> None:
    with Grader() as grader:
        repeat = grader.grade(*task(case, name)[:2])
    assert timeless(repeat) == timeless(graded[case, name])


BUSY = 4


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_a_busy_machine_takes_nothing_from_a_reference(tmp_path: Path) -> None:
    write(tmp_path, {"case.yaml": "image: gradebox/python\n" + BURN})
    burning = [Task(load_case(tmp_path), read_submission(tmp_path, name=str(number))) for number in range(BUSY)]
    with Grader() as grader, ThreadPoolExecutor(1) as beside, Grader() as burner:
        busy = beside.submit(lambda: [*burner.grade_many(burning, jobs=BUSY)])
        try:
            verdicts = [grader.grade(*task("add-auth", REFERENCE)[:2]).verdict for _ in range(3)]
            assert not busy.done(), "the machine was not busy"
        finally:
            burner.stop()
    assert [verdict.status for verdict in verdicts] == [Status.PASSED] * 3, [verdict.reasons for verdict in verdicts]


def timeless(graded: Result) -> Any:
    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            drop = {"id", "run", "started"}
            kept = {key for key in value if key not in drop and not key.endswith("_seconds")}
            return {key: strip(value[key]) for key in kept}
        return [strip(inner) for inner in value] if isinstance(value, list) else value

    return strip(document(graded).model_dump(mode="json"))
