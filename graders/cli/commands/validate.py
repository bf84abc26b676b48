"""``grade validate``: report every mistake in case files, without any engine.

An editor may call it at every keystroke, so nothing but what loads cases is imported.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import PathsArgument
from gradebox.graders.errors import exit_code_of_case_files

if TYPE_CHECKING:
    from gradebox.graders.cases.repository import LoadedFile
    from gradebox.graders.documents.diagnostics import Diagnostic
    from gradebox.graders.model.case import Case

app = command_app()


# A mistake that is made more often is reported with this many places.
_OFTEN = 10
_PLACES = 3
# What makes two messages of one reason differ: names, and paths.
_NAMES = re.compile(r"`[^`]*`|(?<!\S)\.{0,2}/\S+")


@app.command(epilog=examples("grade validate cases", "grade validate my-case/case.yaml --strict", "grade validate ."))
def validate(
    paths: PathsArgument,
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
    json_lines: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON object per mistake, one per line. With several suites or cases, print one object.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Leave out the count at the end.")] = False,
) -> None:
    """Report everything that is wrong with case files.

    Mistakes are reported with file, line and column. For a directory with several suites or cases at any depth, a
    summary says which files load, and groups the mistakes of the others by reason. No engine is needed.
    """
    from gradebox.graders.authoring.listed_packages import suggested_image
    from gradebox.graders.cases.repository import load_repository
    from gradebox.graders.checks.evaluation import READS_SOURCE
    from gradebox.graders.documents.diagnostics import Severity
    from gradebox.graders.targets.targets_file import undefined_targets

    files = [file for path in paths for file in load_repository(path)]
    of_files = (diagnostic for file in files for diagnostic in (*file.loaded.diagnostics, *_doubtful(file)))
    found = list(dict.fromkeys((*of_files, *undefined_targets(_with_targets(files), os.environ))))
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in found)
    if len(files) > len(paths):
        _print_summary(_summary(files, found), as_json=json_lines)
    else:
        _print_mistakes(found, as_json=json_lines)
    if not quiet:
        places = {(case.place, case.id) for file in files for case in file.loaded.cases}
        places |= {(case.place, case.id) for file in files for case in file.loaded.broken}
        console.say(
            f"{console.counted(len(places), 'case')} checked: "
            f"{console.counted(errors, 'error')}, {console.counted(len(found) - errors, 'warning')}"
        )
        for case, image in ((case, suggested_image(case)) for file in files for case in file.loaded.cases):
            if image:
                console.note(f"note: the workspace of {case.id} lists packages that its image may lack: `{image}`")
        if shared := len({(case.place, case.id) for file in files for case in file.loaded.cases if _is_shared(case)}):
            verb = "is" if shared == 1 else "are"
            console.say(f"{console.counted(shared, 'case')} {verb} judged in-process: there, {READS_SOURCE}.")
    raise typer.Exit(exit_code_of_case_files(wrong=bool(found if strict else errors)))


def _with_targets(files: Iterable[LoadedFile]) -> Iterator[Case]:
    """Yield the cases that need a file of targets, and one of each file, which may be named later."""
    from gradebox.graders.checks.evaluation import lacks_judge

    for file in files:
        for number, case in enumerate(file.loaded.cases):
            if number == 0 or case.target or lacks_judge(case):
                yield case


def _doubtful(file: LoadedFile) -> Iterator[Diagnostic]:
    """Yield a warning for what lets a submission decide about itself, or reach its grader."""
    from gradebox.graders.authoring.hazards import hazards
    from gradebox.graders.authoring.native_hazards import native_hazards
    from gradebox.graders.checks.evaluation import shares_process
    from gradebox.graders.documents.diagnostics import Findings

    found = Findings()
    for case in file.loaded.cases:
        for check in (check for check in case.checks if shares_process(check, case)):
            hint = "Write `isolation: apart` if its grader can, or `isolation: in-process` if that is meant."
            message = f"the required check {check.name} is judged in-process: the submission can reach its grader"
            found.warning(replace(check.place, path=""), message, hint=hint)
        for hazard in (*hazards(case), *native_hazards(case)):
            found.warning(hazard.place, hazard.message, hint=hazard.hint)
    yield from found


def _is_shared(case: Case) -> bool:
    """Return whether any check of a case is judged in-process."""
    from gradebox.graders.checks.evaluation import is_in_process

    return any(is_in_process(check, case) for check in case.checks)


def _print_mistakes(found: Iterable[Diagnostic], *, as_json: bool) -> None:
    """Print each mistake; of one that is made again and again, the first places and a count."""
    found = list(found)
    counts = Counter((one.severity, one.message, one.hint) for one in found)
    printed: Counter[tuple[str, str, str]] = Counter()
    for diagnostic in found:
        key = (diagnostic.severity, diagnostic.message, diagnostic.hint)
        printed[key] += 1
        if as_json:
            print(console.json_line(_described(diagnostic)), flush=True)
        elif counts[key] <= _OFTEN or printed[key] <= _PLACES:
            _print_line(diagnostic.severity, str(diagnostic))
        elif printed[key] == _PLACES + 1:
            more = counts[key] - _PLACES
            _print_line(diagnostic.severity, f"{diagnostic.severity}: {diagnostic.message}: {more} more times.")


def _summary(files: Iterable[LoadedFile], found: Iterable[Diagnostic]) -> dict[str, Any]:
    """Return which files load and which do not, and the mistakes by reason, the most frequent first."""
    listed = [
        {
            "file": str(file.path),
            "loads": not file.loaded.errors,
            "cases": len({(case.place, case.id) for case in file.loaded.cases}),
            "broken": len(file.loaded.broken),
            "errors": len(file.loaded.errors),
        }
        for file in files
    ]
    reasons: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in found:
        key = (diagnostic.severity.value, _NAMES.sub("`...`", diagnostic.message))
        reasons.setdefault(key, []).append(diagnostic)
    groups = [
        {
            "severity": severity,
            "reason": same[0].message if len({one.message for one in same}) == 1 else reason,
            "count": len(same),
            "files": len({one.file for one in same}),
            "places": [_described(one) for one in same[:_PLACES]],
        }
        for (severity, reason), same in sorted(reasons.items(), key=lambda item: (item[0][0], -len(item[1])))
    ]
    return {"files": listed, "reasons": groups}


def _print_summary(summary: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(console.json_line(summary), flush=True)
        return
    for group in summary["reasons"]:
        times = console.counted(group["count"], "time")
        where = console.counted(group["files"], "file")
        _print_line(group["severity"], f"{group['severity']}: {group['reason']} ({times} in {where})")
        for place in group["places"]:
            position = f":{place['line']}:{place['column']}" if place["line"] else ""
            at = f" (at {place['path']})" if place["path"] else ""
            print(_visible(f"  {place['file']}{position}: {place['message']}{at}. {place['hint']}".rstrip()))
    loading = [file for file in summary["files"] if file["loads"]]
    for file in summary["files"]:
        broken = f", {file['broken']} broken" if file["broken"] else ""
        state = "loads" if file["loads"] else f"does not load: {console.counted(file['errors'], 'error')}"
        print(_visible(f"{file['file']}: {state}, {console.counted(file['cases'], 'case')}{broken}"))
    print(f"{len(loading)} of {console.counted(len(summary['files']), 'file')} load.", flush=True)


def _print_line(severity: str, line: str) -> None:
    colour = "red" if severity == "error" else "yellow"
    print(console.styled(_visible(line), sys.stdout, colour), flush=True)


def _visible(text: str) -> str:
    """Return a text without anything that a terminal would obey."""
    from gradebox.graders.reports.escaping import visible

    return visible(text)


def _described(diagnostic: Diagnostic) -> dict[str, Any]:
    return {**asdict(diagnostic), "file": str(diagnostic.file)}
