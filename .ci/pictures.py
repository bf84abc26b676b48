"""Make the pictures of the first page: a terminal, a report and the viewer, of runs that are graded now.

    docs/pictures/terminal.svg    what two commands print, in colours
    docs/pictures/report.png      the page of the first run
    docs/pictures/viewer.png      a verdict in `grade view`

The runs are real, with the shipped cases; `make pictures` needs an engine with its images and a Chromium. No picture
loads anything: the drawing of the terminal has no font of its own.
"""
# ruff: noqa: INP001 - a script

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "support"))
from chromium import chromium  # noqa: E402 - importable from here on

PICTURES = ROOT / "docs" / "pictures"
GRADE = Path(sys.executable).with_name("grade")
COLUMNS = 92
SIZE = {"width": 1200, "height": 760}
SHOWN = ("grade --case words --reference", "grade --case words --submission words/submissions/spaces-only")
# What a slow machine prints of its progress is no part of the picture.
PROGRESS = re.compile(r"^\d+/\d+.*\n", re.MULTILINE)


def run(command: str, place: Path) -> str:
    """Return what a command prints on a terminal of `COLUMNS`, with its colours."""
    ended = subprocess.run(
        [GRADE, *shlex.split(command)[1:]],
        cwd=place,
        env=os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return PROGRESS.sub("", ended.stdout)


def draw_terminal(place: Path) -> None:
    """Draw the commands with their outputs."""
    console = Console(record=True, file=io.StringIO(), width=COLUMNS, force_terminal=True)
    for command in SHOWN:
        console.print(Text(f"$ {command}", "bold"))
        console.print(Text.from_ansi(run(command, place)))
    # The fonts that rich names come from another server.
    form = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace("Fira Code, ", "")
    svg = console.export_svg(title="grade", theme=MONOKAI, code_format=form, unique_id="terminal")
    (PICTURES / "terminal.svg").write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", "utf-8")


def photograph(place: Path, browser: Browser) -> None:
    """Take a picture of the report and of a verdict in the viewer."""
    page = browser.new_page(viewport=SIZE)
    page.goto((place / "report.html").as_uri())
    page.screenshot(path=PICTURES / "report.png")
    viewer = subprocess.Popen([GRADE, "view"], cwd=place, stdout=subprocess.PIPE, text=True)
    try:
        assert viewer.stdout is not None
        address = next(found[0] for line in viewer.stdout if (found := re.search(r"http://\S+", line)))
        page.goto(address)
        page.get_by_role("link", name="parser", exact=True).click()
        page.get_by_role("row").filter(has_text="swallows-the-error").get_by_role("link").first.click()
        page.get_by_role("heading", name="Checks").wait_for()
        page.screenshot(path=PICTURES / "viewer.png")
    finally:
        viewer.terminate()
        viewer.wait()


def main() -> None:
    """Grade, draw and take the pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        place = Path(directory)
        shutil.copytree(ROOT / "cases", place / "cases")
        run("grade init words", place)
        draw_terminal(place)
        found = sorted(
            path for path in (place / "cases/fix-null-check/submissions").iterdir() if path.suffix != ".yaml"
        )
        named = " ".join(f"-s {path.relative_to(place)}" for path in found)
        run(f"grade --case cases/fix-null-check {named} --name parser --report html=report.html", place)
        browser = playwright.chromium.launch(executable_path=chromium())
        photograph(place, browser)
        browser.close()


if __name__ == "__main__":
    main()
