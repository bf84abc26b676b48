"""What the documents show is what happens: their commands are run, and what they name is there.

In a block marked ``console`` each line after ``$ `` is run by bash, with the shipped cases in the working directory,
and must print what stands below it. ``...`` stands for any text, alone on a line for any lines; times and ids may
differ. A block whose first line is ``# path/to/file`` is that file, from there on. The blocks of a page are one
session, in their order. The distribution of a ``pyproject.toml`` on the page is installed, without pip.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from shown_pages import BLOCK, MARK, NAMED, blocks, session

from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.verdict_document import CheckDocument, StepDocument, TamperingDocument, VerdictDocument

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "cases" / "README.md"]
LINK = re.compile(r"\]\(([^)#\s]+)")
# They install a database and a browser, grade 60 and 300 submissions, or show what seldom changes.
SLOW = {
    "give-a-case-a-database.md", "check-a-page-in-a-browser.md", "teacher.md", "eval-runner.md", "extend-gradebox.md",
    "grade-programs-by-input-and-output.md", "add-a-language-or-image.md", "measure-your-tests.md", "tutorial.md",
    "security-engineer.md", "judge-with-words.md", "stop-reward-hacking.md",
}  # fmt: skip
# What a run says of itself now and then, if it takes long: on a busy machine only.
PROGRESS = re.compile(r"^\d+/\d+(?:  .*)?\n", re.MULTILINE)

VARYING = {
    r"\.\.\.": r".*",
    r"\d{8}-\d{6}-[0-9a-f]{6}": r"\d{8}-\d{6}-[0-9a-f]{6}",
    r"\d+\.\d+ s\b": r"\d+\.\d+ s",
    r"\"[0-9a-f]{16}\"": r'"[0-9a-f]{16}"',
}


def install(document: Path, place: Path) -> list[Path]:
    """Install the distributions that a page shows, with their files and entry points; return what belongs on the path.

    Their modules are imported from where the page puts them.
    """
    paths = []
    page = document.read_text("utf-8")
    for content in blocks(document, "toml"):
        named = NAMED.match(content)
        if named is None or Path(named[1]).name != "pyproject.toml":
            continue
        project = tomllib.loads(content)["project"]
        metadata = place / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        )
        groups = project["entry-points"].items()
        lines = [line for group, found in groups for line in (f"[{group}]", *(f"{k} = {v}" for k, v in found.items()))]
        (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
        directory = Path(named[1]).parent
        for file, text in (
            (match[1], content) for _, content in BLOCK.findall(page) if (match := NAMED.match(content))
        ):
            if directory in Path(file).parents:
                (place.parent / file).parent.mkdir(parents=True, exist_ok=True)
                (place.parent / file).write_text(text)
        paths += [place, place.parent / directory]
    return paths


def pattern(output: str) -> str:
    """Return a regular expression of all that a command may print where this is shown."""
    lines = []
    for line in output.splitlines():
        if line == "...":
            lines.append(r"(?:.*\n)*?")
            continue
        parts = re.split(f"({'|'.join(VARYING)})", line)
        varied = (
            next(allowed for mask, allowed in VARYING.items() if re.fullmatch(mask, part)) if odd else re.escape(part)
            for odd, part in ((number % 2, part) for number, part in enumerate(parts))
        )
        lines.append(f"{''.join(varied)}\n")
    return "".join(lines)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, marks=pytest.mark.thorough if document.name in SLOW else ())
        for document in DOCUMENTS
        if blocks(document, "console")
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_what_a_page_shows_is_what_happens(document: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "cases", tmp_path / "cases")
    script, wanted = session(document)
    installed = install(document, tmp_path / "site-packages")
    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([*map(str, installed), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep),
            "COLUMNS": "100",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1500 if document.name in SLOW else 480,
        check=False,
    )
    assert ran.stderr == ""
    for one, printed in zip(wanted, ran.stdout.split(f"{MARK}\n"), strict=False):
        if not re.fullmatch(pattern(one.output), PROGRESS.sub("", printed)):
            pytest.fail(f"$ {one.command}\n{printed}\nis not what stands there:\n{one.output}", pytrace=False)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    local = [link for link in LINK.findall(document.read_text("utf-8")) if "://" not in link]
    assert [link for link in local if not (document.parent / link).exists()] == []


def test_the_readme_shows_a_pass_a_failure_and_the_two_commands() -> None:
    found = "".join(blocks(ROOT / "README.md", "console"))
    assert "\nPASSED" in found
    assert "\nFAILED" in found
    (commands,) = blocks(ROOT / "README.md", "sh")
    assert re.findall(r"^make (\w+)", commands, re.MULTILINE) == ["demo", "test"]


def test_the_page_about_cases_names_no_field_that_is_not_there() -> None:
    page = (ROOT / "docs" / "case.md").read_text("utf-8")
    fields, checks, code_grader = (
        {name for cell in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)}
        for part in re.findall(r"^\| field .*?\n\n", page, re.MULTILINE | re.DOTALL)
    )
    assert len(fields) > 20
    assert fields <= set(CaseEntry.model_fields)
    assert checks == {"type", *Check.model_fields} - Check.internal
    assert code_grader <= {"type", *CodeGrader.model_fields}


def test_the_page_about_verdict_documents_names_every_key() -> None:
    page = (ROOT / "docs" / "verdict-reference.md").read_text("utf-8")
    found = [
        {name for cell in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)}
        for part in page.split("\n## ")
    ]
    documents = (VerdictDocument, CheckDocument, StepDocument, TamperingDocument)
    assert found == [set(document.model_fields) for document in documents]


def test_every_decision_is_listed() -> None:
    index = ROOT / "docs" / "adr" / "index.md"
    assert LINK.findall(index.read_text("utf-8")) == sorted(path.name for path in index.parent.glob("0*.md"))


@pytest.mark.parametrize(
    ("output", "printed", "fits"),
    [
        ("in 5.2 s\n", "in 25.0 s\n", True),
        ("in 5.2 s\n", "in 5.2 minutes\n", False),
        ("a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("a\n...\nz\n", "a\nb\nc\n", False),
        ("score 1.000\n", "score 0.000\n", False),
        ("", "unexpected\n", False),
    ],
)
def test_a_transcript_allows_other_times_and_nothing_else(output: str, printed: str, fits: bool) -> None:
    assert bool(re.fullmatch(pattern(output), printed)) is fits
