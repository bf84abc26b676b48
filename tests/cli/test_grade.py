"""The command line on a real engine: exit codes, streams, files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Ran
from unpacked import unpacked

CASES = Path(__file__).parents[2] / "cases"

PASSING = """
language: bash
assertions:
  - type: code-grader
    command: "test -f done"
"""


def test_a_pass_and_a_failure_have_their_exit_codes(
    grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case(PASSING)
    (tmp_path / "work").mkdir()
    assert grade("--case", case).code == 1
    (tmp_path / "work" / "done").touch()
    ran = grade("--case", case, "--submission", "work")
    assert ran.code == 0
    assert "PASSED  case  work   score 1.0000" in ran.stdout


def test_json_is_alone_on_stdout_and_the_same_in_the_run_directory(
    grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    ran = grade("--case", make_case(PASSING), "--json", "--runs", "kept")
    (line,) = ran.stdout.splitlines()
    found = json.loads(line)
    assert (found["verdict"], found["score"], found["case"]) == ("failed", 0.0, "case")
    assert found["image_id"].startswith("sha256:")
    (run,) = (tmp_path / "kept").iterdir()
    assert found["run"] == run.name
    assert (run / "results.jsonl").read_text() == f"{line}\n"
    steps = [json.loads(text) for text in (unpacked(run) / "case/(untouched)/steps.jsonl").read_text().splitlines()]
    assert [(step["check"], step["exit_code"]) for step in steps] == [("code-grader", 1)]


def test_many_submissions_are_told_in_order_whatever_ends_first(
    grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case('language: bash\nassertions:\n  - type: code-grader\n    command: "sleep $(cat seconds)"\n')
    for name, seconds in (("slow", "2"), ("quick", "0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "seconds").write_text(seconds)
    ran = grade("--case", case, "-s", "slow", "-s", "quick", "-j", "2", "--json")
    assert [json.loads(line)["submission"] for line in ran.stdout.splitlines()] == ["slow", "quick"]
    assert ran.code == 0


def test_a_diff_on_stdin_and_in_a_file_is_graded(
    grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case(PASSING)
    (tmp_path / "fix.diff").write_text("--- /dev/null\n+++ b/done\n@@ -0,0 +1 @@\n+yes\n")
    assert grade("--case", case, "-s", "fix.diff").code == 0
    (tmp_path / "bad.diff").write_text("--- a/missing\n+++ b/missing\n@@ -1 +1 @@\n-a\n+b\n")
    ran = grade("--case", case, "-s", "bad.diff")
    assert ran.code == 1
    assert "does not apply" in ran.stdout


def test_a_file_is_graded_as_what_it_is_and_refused_if_it_is_no_submission(
    grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case(
        "language: bash\nanswer_file: hello.sh\n"
        'assertions: [{type: code-grader, command: "cat *.sh | bash | grep hello"}]\n',
        **{"workspace/hello.sh": "exit 1\n"},
    )
    work = tmp_path / "work"
    work.mkdir()
    with zipfile.ZipFile(work / "a.zip", "w") as archive:
        archive.writestr("hello.sh", "echo hello\n")
    (work / "b.sh").write_text("echo hello\n")
    (work / "c.md").write_text("```bash\necho hello\n```\n")
    (work / "d.zip").write_bytes((work / "a.zip").read_bytes().replace(b"echo hello", b"echo hallo"))
    ran = grade("--case", case, "-s", *(work / name for name in ("a.zip", "b.sh", "c.md")), "--json")
    verdicts = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(one["submission"], one["verdict"], one["notes"]) for one in verdicts] == [
        ("a", "passed", []), ("b", "passed", ["The file b.sh was taken as hello.sh."]), ("c", "passed", [])
    ]  # fmt: skip
    assert ran.code == 0
    (work / "same").mkdir()
    (work / "same" / "hello.sh").write_text("exit 1\n")
    ran = grade("--case", case, "-s", work / "same")
    assert (ran.code, "note: The submission changes nothing of the workspace." in ran.stdout) == (1, True)
    (work / "e.py").write_text("print('hello')\n")
    for refused in (work / "d.zip", work / "e.py"):
        ran = grade("--case", case, "-s", refused)
        assert (ran.code, "unreadable" in ran.stdout) == (1, True)


def test_what_nobody_can_judge_is_not_the_candidates_failure(
    grade: Callable[..., Ran], make_case: Callable[..., Path]
) -> None:
    ran = grade("--case", make_case("assertions:\n  - type: code-grader\n    command: [no-such-tool]\n"))
    assert ran.code == 4
    assert "ERROR" in ran.stdout
    assert "'no-such-tool' was not found" in ran.stdout


def test_a_mistake_in_the_case_has_its_place_and_a_suggestion(
    grade: Callable[..., Ran], make_case: Callable[..., Path]
) -> None:
    ran = grade("--case", make_case("assertions:\n  - type: code-grader\n    command: [true]\n    wieght: 2\n"))
    assert ran.code == 2
    assert "case.yaml:4:5: " in ran.stderr
    assert "weight" in ran.stderr
    assert ran.stdout == ""


def test_an_image_that_is_missing_is_an_error_with_a_remedy(
    grade: Callable[..., Ran], make_case: Callable[..., Path]
) -> None:
    ran = grade("--case", make_case(f"image: gradebox/absent:1\n{PASSING}"))
    assert ran.code == 4
    assert "gradebox/absent:1" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--case", "nowhere"], 2, "nowhere"),
        (["--cse", "x"], 2, "--case"),
        (["docter"], 2, "doctor"),
        ([], 2, "--case"),
        (["--case", CASES / "add-auth", "--submission", "nowhere"], 2, "nowhere"),
        (["--case", CASES / "add-auth", "--reference", "-s", "x"], 2, "--reference"),
    ],
)
def test_a_mistake_on_the_command_line_is_explained(
    grade: Callable[..., Ran], arguments: list[str], code: int, said: str
) -> None:
    ran = grade(*arguments)
    assert ran.code == code
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_no_engine_is_a_remedy_and_exit_code_4(grade: Callable[..., Ran]) -> None:
    ran = grade("--case", CASES / "add-auth", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert ran.code == 4
    assert "No Docker Engine answers" in ran.stderr
    assert "DOCKER_HOST" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_doctor_is_content_with_this_engine(grade: Callable[..., Ran]) -> None:
    ran = grade("doctor", "--json")
    found = json.loads(ran.stdout)
    assert ran.code == 0, found
    assert found["ok"]
    messages = {finding["name"]: finding["message"] for finding in found["findings"]}
    assert {"engine", "api", "cgroups", "runtime", "supervisor", "images", "memory", "leftovers"} <= {*messages}
    assert "a sandbox started" in messages["sandbox"].lower()


def test_doctor_without_an_engine_says_how_to_get_one(grade: Callable[..., Ran]) -> None:
    ran = grade("doctor", DOCKER_HOST="tcp://127.0.0.1:1")
    assert ran.code == 4
    assert "DOCKER_HOST" in ran.stdout


def test_plan_shows_what_would_run_and_runs_nothing(grade: Callable[..., Ran]) -> None:
    ran = grade("plan", CASES / "add-auth", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert ran.code == 0
    assert "grading/test_login.py" in ran.stdout
