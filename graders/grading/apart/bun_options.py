"""Chooses the files that configure Bun where it judges: files of the case, and no others.

Bun looks for `tsconfig.json`, `jsconfig.json`, `bunfig.toml` and `.env` by itself. One that the submission brought, or
writes while a check runs, would replace the grader's script by another one. So every Bun of a grader gets options in
BUN_OPTIONS, also one that a script starts. Options of the author come later and win. The candidate gets only those.

In one process, a submission may have a `tsconfig.json` for its own files, unless that redirects names of any file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath

from gradebox.graders.documents.globs import matches
from gradebox.graders.grading.apart.told_files import case_entries
from gradebox.graders.integrity.referenced_files import named_paths
from gradebox.graders.model.plan import Plan, Role, Stage, Step, User
from gradebox.graders.model.tree import parents, pieces
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

VARIABLE = "BUN_OPTIONS"

_NONE = "/dev/null"
_MAPPING = ("tsconfig.json", "jsconfig.json")
_NAMES = (*_MAPPING, "bunfig.toml", ".env", ".env.local")
_EXTENDS = re.compile(r'"extends"\s*:\s*("[^"]*"|\[[^\]]*\])')
_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_KEY = re.compile(rf"({_STRING})\s*:")
_PLAIN = re.compile(r'[\s{}\[\],:"\w.+-]*')  # The rest of a file without its comments and strings.
# Keys of `paths` that stand for absolute paths, for everything, or for the library.
_REDIRECTED = re.compile(r"[/*]|.*[^/#~]\*", re.DOTALL)
_SPLIT = re.compile(r"[\s\"'\\]")  # Bun would split such a path.


def bun_options(plan: Plan, stage: Stage, step: Step) -> str:
    """Return the options of Bun for a step that judges; none for another step.

    `tsconfig.json` or `jsconfig.json` is the next one at or above a file that the command names, otherwise its working
    directory. It counts only if all that it extends are files of the case. The others lie in the working directory.
    """
    is_grader = step.user is User.GRADER or step.role is Role.CHECKER
    if not is_grader and (step.user is User.CANDIDATE or step.role not in (Role.CHECK, Role.CONTROL)):
        return ""
    laid = {path: entry for path, entry in plan.laid.entries.items() if path.endswith(_NAMES)}
    files = case_entries(plan, stage)
    files |= {path: entry for path, entry in laid.items() if matches(path, plan.case.allow)}
    files = {path: entry for path, entry in files.items() if entry.kind is EntryKind.FILE}
    cwd = normpath(step.cwd).removeprefix(WORKSPACE).strip("/")
    configured = (join(place, name) for place in _places(step, cwd, files) for name in _MAPPING)
    tsconfig = next((path for path in configured if path in files), "")
    bunfig = join(cwd, "bunfig.toml")
    found = [f"--config={_place(bunfig if bunfig in files else '')}"]
    variables = [path for name in (".env", ".env.local") if (path := join(cwd, name)) in files]
    found += [f"--env-file={_place(path)}" for path in variables or [""]]
    others = (path for path in laid if path not in files and path.endswith(_MAPPING) and _is_changed(path, plan))
    if is_grader or any(_redirects(path, plan.laid.entries) for path in others):
        found.append(f"--tsconfig-override={_place(tsconfig if _is_whole(tsconfig, files) else '')}")
    return " ".join(found)


def _places(step: Step, cwd: str, files: Mapping[str, ArchiveEntry]) -> Iterator[str]:
    known = {*files, *(directory for path in files for directory in parents(path))}
    for path in (*(path for path in named_paths(step.mentions, step.cwd) if path in known), cwd):
        yield path
        yield from reversed([*parents(path)])
    yield ""


def _text(entry: ArchiveEntry) -> str:
    return b"".join(pieces(entry)).decode("utf-8", "replace")


def _extended(text: str) -> list[str]:
    return [name for found in _EXTENDS.findall(text) for name in re.findall(r'"([^"]*)"', found)]


def _is_whole(path: str, files: Mapping[str, ArchiveEntry], depth: int = 9) -> bool:
    """Return whether a file, and all files that it extends, are among some files."""
    if not (path.endswith(".json") and path in files and depth):
        return False
    return all(
        _is_whole(normpath(join(dirname(path), name)), files, depth - 1) for name in _extended(_text(files[path]))
    )


def _is_changed(path: str, plan: Plan) -> bool:
    before, now = plan.files.workspace.entries.get(path), plan.laid.entries[path]
    return "node_modules/" not in path and now is not before and not (before and _text(before) == _text(now))


def _redirects(path: str, files: Mapping[str, ArchiveEntry], depth: int = 9) -> bool:
    """Return whether a file, or one that it extends, may put another file in place of one of the case."""
    if (entry := files.get(path)) is None or entry.kind is EntryKind.DIRECTORY:
        return False
    if entry.kind is not EntryKind.FILE or not depth:
        return True
    text = _COMMENT.sub(r"\1", _text(entry))
    rest = re.sub(_STRING, '""', text)
    try:
        keys = [json.loads(key, strict=False) for key in _KEY.findall(text)]
    except ValueError:
        return True
    if not _PLAIN.fullmatch(rest) or re.search(r"\w\s*:", rest) or any(map(_REDIRECTED.match, keys)):
        return True
    starts = (dirname(path), *(join(place, "node_modules") for place in ("", *parents(path))))
    ends = ("", ".json", "/tsconfig.json")
    above = (normpath(join(start, f"{name}{end}")) for name in _extended(text) for start in starts for end in ends)
    return any(_redirects(each, files, depth - 1) for each in above)


def _place(path: str) -> str:
    return _NONE if not path or _SPLIT.search(path) else f"{WORKSPACE}/{path}"
