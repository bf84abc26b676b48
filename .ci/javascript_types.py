"""Checks the types of all JavaScript and TypeScript that ships: javascript_types.py TSC.

Files that run joined to one program are checked as that program; a mistake is reported with its own file and line. TSC
is the compiler of TypeScript, with the types of Node.js and Bun beside it.
"""
# ruff: noqa: INP001 - a script

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gradebox.graders.languages import javascript, typescript
from gradebox.graders.reports.html_report.page import SCRIPTS
from gradebox.graders.runners import runners

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".js", ".mjs", ".cjs", ".ts")
OPTIONS = ("--allowJs", "--checkJs", "--noEmit", "--skipLibCheck", "--target", "esnext", "--module", "nodenext")
LIBRARY = ("--strict", "false", "--types", "node,bun", "--lib", "esnext,dom,dom.iterable")
# Symbols as keys; libraries that an image has; `__proto__` in an object; names of a build, a runner or another runtime.
IGNORED = re.compile(
    r"TS2538|Cannot find module '(?!\./?\w+\.js)|TS2353: .*'__proto__'|"
    r"Cannot find name '(SIZE|TOGETHER|APART|CANDIDATE|jest|hookBun|hookNode|observeAll|OF_BUN)'"
)


def programs() -> Iterator[tuple[Path, ...]]:
    """Yield the files of each program; a file that no program names is one by itself."""
    joined = [javascript.LANGUAGE.runner, javascript.LANGUAGE.apart, javascript.CALLS.files, typescript.LANGUAGE.runner]
    for runner in runners().values():
        sources = [*runner.sources, *([runner.apart] if runner.apart else [])]
        joined += [getattr(source, "source", source).files for source in sources]
    report, viewer = (ROOT / "graders" / "reports" / name for name in ("html_report", "viewer"))
    joined += [tuple(report / name for name in SCRIPTS), (viewer / "view.js", report / "copy.js")]
    known = {files for files in joined if files and files[-1].suffix in SUFFIXES}
    yield from sorted(known)
    named = {file.resolve() for files in known for file in files}
    for file in sorted((ROOT / "graders").rglob("*")):
        is_program = file.suffix in SUFFIXES and not {"cheats", "template"} & {*file.parts}
        if is_program and file not in named:
            yield (file,)


def mistakes(tsc: Path, files: tuple[Path, ...], scratch: Path) -> Iterator[str]:
    """Yield the mistakes of a program, a line each."""
    texts = [file.read_text("utf-8") for file in files]
    front = 'const BOUNDARY = "";\n' if len(files) > 1 else ""
    program = scratch / f"program{files[-1].suffix}"
    program.write_text(front + "\n".join(texts))
    words = [str(tsc), *OPTIONS, *LIBRARY, "--typeRoots", str(tsc.parent.parent / "@types"), str(program)]
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    if said.returncode and not re.search(r"error TS\d+", said.stdout):
        yield said.stdout + said.stderr
    for line, code, message in re.findall(r"^\S+\((\d+),\d+\): error (TS\d+): (.*)", said.stdout, re.MULTILINE):
        at = int(line) - bool(front)
        for file, text in zip(files, texts, strict=True):  # noqa: B007 - used after the loop
            count = text.count("\n") + 1
            if at <= count:
                break
            at -= count
        if not IGNORED.search(f"{code}: {message}"):
            yield f"{file.resolve().relative_to(ROOT)}:{at}: {message} ({code})"


def main() -> int:
    """Check all programs; return how many mistakes there are, at most 1 for the shell."""
    found: set[str] = set()
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "package.json").write_text('{"type": "module"}')
        for files in programs():
            found.update(mistakes(Path(sys.argv[1]), files, Path(scratch)))
    print("\n".join(sorted(found)), end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
