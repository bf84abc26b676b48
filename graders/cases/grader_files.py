"""The files that commands of a case need besides those that they name: imports of scripts, and files above the case.

The imports of a script are delivered with it, at its place. In two situations all these files are delivered below
ABOVE instead, arranged as in the repository: if one of them lies above the directories of the case and its suite, or
if the script imports a module that a submission could replace. The command then gets the path below ABOVE, where no
file of a submission lies.

Scripts are searched for relative imports and paths of JavaScript and TypeScript, and for imports of Python.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import chain
from pathlib import Path
from posixpath import basename
from typing import NamedTuple

from gradebox.graders.documents.command_lines.invocations import invocations
from gradebox.graders.documents.paths import LONGEST_PATH, checkout_root, is_directory, is_file
from gradebox.graders.documents.python_source import nodes_of
from gradebox.graders.model.case import Place
from gradebox.graders.model.tree import Tree, content, overlay, take
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE

ABOVE = ".repository"
GRADING = "grading"

_MOST_FILES = 300
_MOST_BYTES = 512 * 1024
_WORD = re.compile(r"[^\s'\"=;|&()<>`$]+")
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
_QUOTED_PATH = re.compile(r"""(['"`])(\.{1,2}/[^'"`\n]{1,300})\1""")
# Modules of the image. Below ABOVE, scripts find them before a submission's `tsconfig.json` or `node_modules`.
_MODULES = {"@agentv/sdk": ("*",), "@agentv/eval": ("*",), "zod": ("*", "{ default }")}
_IMPORTED = re.compile(rf"""['"]({"|".join(map(re.escape, _MODULES))})['"]""")

# `bun run` looks at the scripts of package.json first. In our image, bun also runs these programs.
_RUN_BY_BUN = frozenset({"tsx", "ts-node"})
# Statements that certainly import a relative path. Imports of types only have no effect when a script runs.
_JAVASCRIPT = re.compile(
    r"(?:^[ \t]*(?:import|export)\b(?!\s+type\b)[^'\"`;()]{0,2000}?|\brequire\(\s*)"
    r"['\"](?P<path>\.{1,2}/[^'\"\n]{1,300})['\"]",
    re.MULTILINE,
)
# Keys of package.json by which it is not the same to have another one, and signs of both kinds of modules.
_OF_MODULES = re.compile(rb'"(?:imports|exports|type)"\s*:')
_ES_MODULE = re.compile(rb"^[ \t]*(?:import\b(?!\s*\()|export\b)", re.MULTILINE)
_COMMON_JS = re.compile(rb"\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w")
_PYTHON = re.compile(r"^from[ \t]+(?P<path>\.{1,9}\w[\w.]*)[ \t]+import\b", re.MULTILINE)
_JULIA = re.compile(r"""^include\("(?P<path>[^"$\n/][^"$\n]{0,300})"\)""", re.MULTILINE)
# The pattern of imports by the suffix of a script, with bytes that every such import contains.
_IMPORTS = {**dict.fromkeys(_SCRIPTS, (b"./", _JAVASCRIPT)), ".py": (b"from .", _PYTHON), ".jl": (b"include", _JULIA)}


class MissingImport(NamedTuple):
    """An import of a file that does not exist: the place of the import, its text, and the path of the missing file."""

    place: Place
    written: str
    file: Path


@dataclass(frozen=True, slots=True)
class GraderFiles:
    """The files that commands need."""

    tree: Tree = Tree()  # The files, by their path in the workspace.
    # The paths that each script needs, by the path of the script.
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Words of commands, and the absolute path that replaces each.
    places: Mapping[str, str] = field(default_factory=dict)


def grader_files(
    commands: Iterable[Iterable[str]], roots: Iterable[Path], workspace: Path | None, withheld: Iterable[Path] = ()
) -> GraderFiles:
    """Find the files that commands need.

    `commands` are lists of words. Relative names are looked up in `roots`. Files below `withheld` or `workspace` are
    never delivered. Raises OSError if a file cannot be read.
    """
    argvs = [tuple(words) for words in commands]
    lines = [" ".join(words) for words in argvs]
    roots = tuple(roots)
    hidden = (*withheld, *([workspace] if workspace else []))
    tree, imports, places = Tree(), {}, {}
    for word in dict.fromkeys(word for line in lines for word in _WORD.findall(line)):
        file = find(word, roots)
        if file is None or any(map(file.is_relative_to, hidden)):
            continue
        root = next((root for root in roots if file.is_relative_to(root)), None)
        closure = _closure(file, _top(root or roots[0]), hidden)
        if root is not None and _stays(closure, root) and not _stands_on_modules(closure):
            paths = tuple(each.relative_to(root).as_posix() for each in closure.files)
            imports[paths[0]] = paths[1:]
            tree = overlay(tree, _taken(zip(closure.files, paths, strict=True)))
            if os.path.normpath(word) != paths[0]:
                places[word] = f"{WORKSPACE}/{paths[0]}"
            continue
        top = _top(root or roots[0])
        paths = tuple(f"{ABOVE}/{os.path.relpath(each, top)}" for each in closure.files)
        tree = overlay(tree, _taken(zip(closure.files, paths, strict=True)))
        places[word] = f"{WORKSPACE}/{paths[0]}"
    if any(tree.below(ABOVE)):
        guards = {f"{ABOVE}/{name}": b"{}\n" for name in ("tsconfig.json", "package.json")}
        guards |= {
            f"{ABOVE}/node_modules/{name}/index.js": "".join(
                f'export {what} from "/node_modules/{name}";\n' for what in names
            ).encode()
            for name, names in _MODULES.items()
        }
        tree = overlay(Tree({path: file_entry(path, data) for path, data in guards.items()}), tree)
    # An absolute path keeps bun from running a script of the submission's package.json that has the name of the file.
    run = (found for words in argvs for found in invocations(words))
    for word in dict.fromkeys(word for found in run if _is_run_by_bun(found.words) for word in found.files[:1]):
        bases = (*roots, *([workspace] if workspace else []))
        if word.endswith(_SCRIPTS) and not word.startswith("/") and any(is_file(base / word) for base in bases):
            places.setdefault(word, os.path.normpath(f"{WORKSPACE}/{word}"))
    return GraderFiles(tree, imports, places)


def module_guard(own: Tree, workspace: Tree, solution: Container[str]) -> Tree:
    """Return a `package.json` that keeps scripts in `grading/` CommonJS, whatever one a submission has above them.

    There is none if a script there is an ES module, or if the case or its reference has something to say about it.
    """
    path = f"{GRADING}/package.json"
    scripts = [entry for entry in own.below(GRADING) if entry.path.endswith(".js") and entry.size <= _MOST_BYTES]
    above = workspace.entries.get("package.json")
    if not scripts or path in own.entries or "package.json" in solution:
        return Tree()
    if above and _OF_MODULES.search(content(above)):
        return Tree()
    texts = [content(entry) for entry in scripts]
    if any(map(_ES_MODULE.search, texts)) or not any(map(_COMMON_JS.search, texts)):
        return Tree()
    return Tree({path: file_entry(path, b"{}\n")})


def _is_run_by_bun(words: Sequence[str]) -> bool:
    program = basename(words[0])
    return program in _RUN_BY_BUN or (program == "bun" and "run" in words)


def find(word: str, roots: Iterable[Path]) -> Path | None:
    """Return the file that a word of a command names, below one of the roots or elsewhere in its repository."""
    if len(word) > LONGEST_PATH or word.startswith(("/", "-")) or not ("/" in word or "." in word):
        return None
    for root in roots:
        file = Path(os.path.normpath(root / word))
        if is_file(file) and _is_plain(file, _top(root)):
            return file
    return None


def _is_plain(file: Path, top: Path) -> bool:
    """Return whether a file lies below a directory, without a link on the way."""
    return file.is_relative_to(top) and file.resolve() == top.resolve() / file.relative_to(top)


def _top(root: Path) -> Path:
    """Return the root of the repository; without a repository, the second directory above."""
    return checkout_root(root) or root.parents[min(1, len(root.parents) - 1)]


def _stays(closure: _Closure, root: Path) -> bool:
    return all(file.is_relative_to(root) for file in closure.files)


def _stands_on_modules(closure: _Closure) -> bool:
    """Return whether scripts import a module of the image, and all their relative imports were found."""
    return closure.complete and any(map(_IMPORTED.search, closure.texts))


def _taken(files: Iterable[tuple[Path, str]]) -> Tree:
    tree = Tree()
    for file, path in files:
        tree = overlay(tree, take(file, path))
    return tree


@dataclass(slots=True)
class _Closure:
    """A script, and all files of the author that it imports."""

    files: list[Path] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    complete: bool = True  # Whether every relative import was found.


def _closure(script: Path, top: Path, hidden: Iterable[Path]) -> _Closure:
    found = _Closure([script])
    for file in found.files:
        if len(found.files) > _MOST_FILES:
            break
        if file.suffix not in (*_SCRIPTS, ".py") or file.stat().st_size > _MOST_BYTES:
            continue
        text = file.read_text("utf-8", "replace")
        found.texts.append(text)
        imported = _of_python(file, text) if file.suffix == ".py" else _of_javascript(file, text, found)
        new = (each for each in dict.fromkeys(imported) if each not in found.files)
        found.files += [each for each in new if _is_plain(each, top) and not any(map(each.is_relative_to, hidden))]
    return found


def _of_javascript(file: Path, text: str, found: _Closure) -> Iterator[Path]:
    for _, named in _QUOTED_PATH.findall(text):
        if there := _javascript_file(file, named):
            yield there
        else:
            found.complete = False


def _javascript_file(file: Path, named: str) -> Path | None:
    """Return the file that a JavaScript or TypeScript file imports by a relative name."""
    place = os.path.normpath(f"{file.parent}/{named}")
    stem = place.rpartition(".")[0] if place.endswith(_SCRIPTS) else place
    others = (f"{each}{suffix}" for each in (stem, f"{place}/index") for suffix in (*_SCRIPTS, ".json"))
    return next((Path(each) for each in chain((place,), others) if os.path.isfile(each)), None)  # noqa: PTH113 - fast


def missing_imports(script: Path, data: bytes) -> Iterator[MissingImport]:
    """Yield the relative imports of missing files in a script and in all files that it imports."""
    known = {script}
    pending = [(script, data)]
    while pending:
        file, data = pending.pop()
        sign, pattern = _IMPORTS.get(file.suffix, (b"", None))
        if pattern is None or sign not in data:
            continue
        text = data.decode("utf-8", "replace")
        for match in pattern.finditer(text):
            written, start = match["path"], match.start("path")
            there = _javascript_file(file, written) if file.suffix in _SCRIPTS else _imported(file, written)
            if there is None:
                place = Place(file, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
                wanted = written.lstrip(".").split(".")[0] if file.suffix == ".py" else written
                yield MissingImport(place, written, Path(os.path.normpath(file.parent / wanted)))
            elif there not in known and len(known) < _MOST_FILES and is_file(there):
                known.add(there)
                with suppress(OSError), there.open("rb") as stream:
                    pending.append((there, stream.read(_MOST_BYTES)))


def _imported(file: Path, written: str) -> Path | None:
    """Return the file that Python or Julia imports by a relative name."""
    if file.suffix != ".py":
        return place if is_file(place := file.parent / written) else None
    module = written.lstrip(".")
    place = file.parents[len(written) - len(module) - 1] / module.split(".")[0]
    found = (place.with_suffix(".py"), place / "__init__.py", place)
    return next((each for each in found if is_file(each) or is_directory(each)), None)


def _of_python(file: Path, text: str) -> Iterator[Path]:
    project = next((parent for parent in file.parents if is_file(parent / "pyproject.toml")), None)
    for level, module in _python_modules(text):
        base = file.parent if level == 0 else file.parents[level - 1]
        path = Path(*module.split(".")) if module else Path()
        if there := list(_python_files(base, path)):
            yield from there
        elif project is not None and level == 0 and (there := list(_python_files(project / "src", path))):
            # `uv run` puts `src` on the path.
            yield project / "pyproject.toml"
            yield from there


def _python_modules(text: str) -> Iterator[tuple[int, str]]:
    for node in nodes_of(text):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
            prefix = f"{node.module}." if node.module else ""
            yield from ((node.level, prefix + alias.name) for alias in node.names)


def _python_files(base: Path, module: Path) -> Iterator[Path]:
    """Yield the file of a module, or all modules of a package."""
    if module.parts and is_directory(package := base / module.parts[0]):
        yield from (file for file in sorted(package.rglob("*.py"))[:_MOST_FILES] if file.is_file())
    elif module.parts and is_file(file := base / f"{module.parts[0]}.py"):
        yield file
