"""Where the files of a submission belong. Pure; only `decide` moves files.

1. Files that a desktop leaves behind are left out: `__MACOSX`, `._*`, `.DS_Store`, `Thumbs.db`.
2. If a file of the submission has a path that the case knows (`known_names`), all files stay where they are.
3. Otherwise, if exactly one directory at the top contains a file with such a path, its files move up out of it.
4. Otherwise, if there is a single source file and the case has an `answer_file`, the source file moves there.
5. Otherwise all files stay where they are, and the layout tells the user what to do.

Names are hostile input. A file moves only to a path that the submission could have used itself, so a wrong move gives
no advantage. Files that a submission must not control are restored or removed later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.languages import of_fence
from gradebox.graders.model.tree import Tree, overlay, parents, remove
from gradebox.graders.submissions.known_names import KnownNames
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz")
_LITTER = re.compile(r"(?:.*/)?(?:__MACOSX(?:/.*)?|\._[^/]*|\.DS_Store|Thumbs\.db)", re.DOTALL)
# Directories that hold copies of files, not submissions.
_NO_SUBMISSIONS = frozenset({"build", "dist", "out", "target", "bin", "lib", "node_modules", "venv", "__pycache__"})
_USUAL = frozenset({"__init__", "__main__", "index", "mod", "readme", "license", "package", "makefile", "dockerfile"})
_NAMED = 3
# A few archives and directories are enough to recognise a folder of submissions. The submitter decides how many there
# are, so reading is limited.
_ARCHIVES_READ = 20
_DIRECTORIES_READ = 1000


class Layout(NamedTuple):
    """The decision about a submission."""

    tree: Tree
    fits: bool  # Whether a file has a path that the case knows, after the move.
    moved: str = ""  # A sentence that says what was moved.
    misfit: str = ""  # A sentence: why nothing fits, and what to do. Empty if a file fits or the case names no files.


def is_litter(path: str) -> bool:
    """Return whether this is the path of a file that a desktop leaves behind."""
    return _LITTER.fullmatch(path) is not None


def decide(names: KnownNames, tree: Tree) -> Layout:
    """Decide where the files of a submission belong."""
    tree = _as_spelled(names, _without_litter(names, tree))
    files = [entry.path for entry in tree.files()]
    if names.paths and not any(entry.size or entry.kind is EntryKind.LINK for entry in tree.files()):
        return Layout(tree, fits=False, misfit=f"The submission is empty: submit {_wanted(names)}.")
    if any(map(names.spelled, files)):
        return Layout(tree, fits=True)
    fitting = _directories_that_fit(names, files)
    if len(fitting) == 1:
        stripped = _as_spelled(names, _stripped(tree, fitting[0]))
        return Layout(stripped, fits=True, moved=f"The files in {shown(fitting[0])} were moved out of it.")
    if (moved := _single_source(names, files)) is not None:
        source, place = moved
        return Layout(_moved(tree, {source: place}), fits=True, moved=taken_as(source, place))
    is_new = not names.answer_file and any(_may_be_new(names, path) for path in files)
    is_told = bool(names.paths) and not is_new
    return Layout(tree, fits=False, misfit=_misfit(names, files, fitting) if is_told else "")


def taken_as(path: str, place: str) -> str:
    """Return the note that a source file was moved to the path that the case gives."""
    return f"The file {shown(path)} was taken as {shown(place)}."


def place_of_file(names: KnownNames, file_name: str) -> str | None:
    """Return the path for a source file that is submitted alone, None if the case has no place for it.

    The first of these that applies: its own name if a file at the top of the workspace has it; the `answer_file` or
    usual file if that has the same name; its own name if the case knows it; the `answer_file` if it is in the same
    language; the path of the only workspace file with this name; the usual file if it is in the same language.
    """
    if file_name in names.workspace:
        return file_name
    usual = None if names.answer_file else names.usual_file
    for path in filter(None, (names.answer_file, usual)):
        if path.rpartition("/")[2] == file_name:
            return path
    if (own := names.spelled(file_name)) is not None:
        return own
    if names.answer_file:
        return names.answer_file if _alike(file_name, names.answer_file) else None
    same = [path for path in names.workspace if path.rpartition("/")[2] == file_name]
    if len(same) == 1:
        return same[0]
    return usual if usual and _alike(file_name, usual) else None


def unplaced(names: KnownNames, case_id: str, file_name: str) -> str:
    """Return the message, with its remedy, that a case has no place for a source file submitted alone."""
    why = f"`answer_file` is {names.answer_file}" if names.answer_file else "it has no `answer_file`"
    wanted = f"rename it to {names.answer_file} if it is that" if names.answer_file else "rename it as the task says"
    return (
        f"The case {case_id} has no place for {shown(file_name)}: its workspace has no file of that name, and {why}. "
        f"Submit source code, a directory or an archive, or {wanted}."
    )


def submissions_within(names: KnownNames, tree: Tree, unpacked: Callable[[ArchiveEntry], Tree]) -> tuple[str, ...]:
    """Return the entries at the top of a directory that fit the case by themselves.

    All files at its top that the case knows count as one entry, and new modules beside them do not count. `unpacked`
    returns the files of an archive, or an empty tree if it cannot be read.
    """
    tree = _as_spelled(names, _without_litter(names, tree))
    top = [entry for entry in tree.entries.values() if "/" not in entry.path and entry.kind is EntryKind.FILE]
    known = [path for path in (entry.path for entry in top) if names.spelled(path)]
    found = known[:1] or [entry.path for entry in top if _is_source(names, entry.path)]
    for directory, below in islice(_directories(tree).items(), _DIRECTORIES_READ):
        is_own = names.is_directory(directory) or directory in _NO_SUBMISSIONS or directory.startswith(".")
        # Beside known files, a directory may hold new modules, so it counts only if it repeats a name of the case.
        if not is_own and (_repeats_work(names, below) if known else _brings_work(names, below)):
            found.append(directory)
    archives = [entry for entry in top if entry.path.endswith(ARCHIVES) and entry.path not in known]
    found += [entry.path for entry in archives[:_ARCHIVES_READ] if _brings_work(names, unpacked(entry))]
    return tuple(found)


def _brings_work(names: KnownNames, tree: Tree) -> bool:
    """Return whether a tree fits by itself, and has a file that a submission is expected to bring."""
    layout = decide(names, tree)
    brought = {names.spelled(entry.path) for entry in layout.tree.files()}
    return layout.fits and not (names.wanted and names.wanted.isdisjoint(brought))


def _repeats_work(names: KnownNames, tree: Tree) -> bool:
    """Return whether a tree, or a directory at its top, has a file that a submission is expected to bring.

    Files with usual names, such as `index`, do not count.
    """
    paths = [entry.path for entry in tree.files()]
    brought = {names.spelled(path) for path in (*paths, *(path.partition("/")[2] for path in paths)) if path}
    return any(path and PurePosixPath(path).stem.casefold() not in _USUAL for path in brought & names.wanted)


def _may_be_new(names: KnownNames, path: str) -> bool:
    """Return whether a file may be new work that the case does not name. If so, no misfit is reported."""
    return any(map(names.is_directory, parents(path))) or (not names.has_reference and names.is_hinted_at(path))


def _without_litter(names: KnownNames, tree: Tree) -> Tree:
    litter = [path for path in tree.entries if is_litter(path) and path not in names.workspace]
    if not litter:
        return tree
    return replace(remove(tree, litter), left_out=(*tree.left_out, *litter))


def _as_spelled(names: KnownNames, tree: Tree) -> Tree:
    """Return a tree whose paths are spelled as in the case, whatever Unicode normal form the archive uses."""
    known = {path: names.spelled(path) for path in tree.entries if not path.isascii()}
    moved = {path: own for path, own in known.items() if own and own not in tree.entries}
    return _moved(tree, moved) if moved else tree


def _directories_that_fit(names: KnownNames, files: Iterable[str]) -> list[str]:
    fitting = dict[str, None]()
    for path in files:
        top, slash, rest = path.partition("/")
        if slash and top not in fitting and not names.is_directory(top) and names.spelled(rest):
            fitting[top] = None
    return list(fitting)


def _single_source(names: KnownNames, files: Iterable[str]) -> tuple[str, str] | None:
    sources = [path for path in files if _is_source(names, path)]
    if len(sources) == 1 and sources[0].count("/") <= 1 and names.answer_file:
        return sources[0], names.answer_file
    return None


def _is_source(names: KnownNames, path: str) -> bool:
    return names.answer_file is not None and _alike(path, names.answer_file)


def _alike(one: str, other: str) -> bool:
    """Return whether two files may be in the same language, judging by their suffixes."""
    first, second = (PurePosixPath(path).suffix.lower().removeprefix(".") for path in (one, other))
    return first == second or not second or (of_fence(first) is not None and of_fence(first) is of_fence(second))


def _stripped(tree: Tree, directory: str) -> Tree:
    return overlay(remove(tree, [entry.path for entry in tree.below(directory)]), _below(tree, directory))


def _directories(tree: Tree) -> dict[str, Tree]:
    """Return the directories at the top that have files, each as `_below` does, in one pass over the tree."""
    found: dict[str, dict[str, ArchiveEntry]] = {}
    with_files = {entry.path.partition("/")[0] for entry in tree.files() if "/" in entry.path}
    for path, entry in tree.entries.items():
        top, _, inner = path.partition("/")
        if inner and top in with_files and inner.partition("/")[0] != ".git":
            found.setdefault(top, {})[inner] = replace(entry, path=inner)
    return {top: Tree(entries) for top, entries in found.items()}


def _below(tree: Tree, directory: str) -> Tree:
    """Return the files of a directory without its `.git`, which is also left out at the top of a submission."""
    inner = len(directory) + 1
    below = {entry.path[inner:]: entry for entry in tree.below(directory) if entry.path != directory}
    kept = (path for path in below if path.partition("/")[0] != ".git")
    return Tree({path: replace(below[path], path=path) for path in kept})


def _moved(tree: Tree, paths: Mapping[str, str]) -> Tree:
    """Return a tree with some entries moved to other paths, where they replace what was there."""
    moved = {new: replace(tree.entries[old], path=new) for old, new in paths.items()}
    return overlay(remove(tree, paths), Tree({path: moved[path] for path in sorted(moved)}))


def _misfit(names: KnownNames, files: Iterable[str], fitting: list[str]) -> str:
    """Return the message, with its remedy, that no file of a submission fits."""
    paths = list(files)
    named = {path.rpartition("/")[2] for path in names.shown}
    deeper = next((path for path in paths if path.count("/") > 1 and path.rpartition("/")[2] in named), None)
    archive = next((path for path in paths if path.endswith(ARCHIVES)), None)
    if fitting:
        advice = f"{len(fitting)} directories fit by themselves ({listed(fitting)}), so submit one of them"
    elif deeper is not None:
        advice = f"submit {shown(deeper.rpartition('/')[0])}, where {shown(deeper.rpartition('/')[2])} lies"
    elif archive is not None:
        advice = f"submit {shown(archive)} itself, or what is in it"
    else:
        advice = f"it has {listed(paths)}, so rename or move what the case asks for"
    return f"Nothing of the submission lies where the case looks for work ({_wanted(names)}): {advice}."


def _wanted(names: KnownNames) -> str:
    return listed(names.shown) or "what the task asks for"


def listed(paths: Iterable[str]) -> str:
    """Return the first paths for a message, and the number of the others."""
    every = list(paths)
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return ", ".join(map(shown, every[:_NAMED])) + more
