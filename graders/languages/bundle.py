"""Makes one source text of the files that run together inside a sandbox.

An interpreter gets this text as one argument, so that nothing of it lies in the workspace. Python modules are bundled
with the modules that they import: a top-level import from a package called ``inside`` is replaced by the source of that
module. What they import for the type checker alone is left out. Files in other languages are joined as they are.

Julia takes a second to compile such a text. Our image has compiled it already (``inside/julia/system_image.jl``), and
looks it up by its hash; another image, or a text that differs, compiles it at every start.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from graders.documents.python_source import parse_python

_FUTURE = "from __future__ import annotations\n"


@cache
def bundle(*files: Path) -> str:
    """Return the source text of some files, each after those that it imports."""
    texts: dict[Path, str] = {}
    for file in files:
        _add(file, texts)
    front = _FUTURE if any(file.suffix == ".py" for file in texts) else ""
    text = front + "\n".join(texts.values())
    return _compiled_before(text) if files[-1].suffix == ".jl" else text


@cache
def compiled_elsewhere(text: str) -> str:
    """Return Python source that runs a program as a process of its own has compiled it, if it is to serve."""
    helper = bundle(Path(__file__).parent / "inside" / "python" / "compiling.py")
    return f"{helper}\nexec(compiled_elsewhere({text!r}))\n"


def _compiled_before(text: str) -> str:
    """Return Julia source that starts a program compiled into the image, and compiles it where there is none."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    programs = "isdefined(Main, :GradeboxPrograms) ? Main.GradeboxPrograms.PROGRAMS : Dict{String,Any}()"
    return (
        f'let start = get({programs}, "{digest}", nothing)\n'
        f'    start === nothing ? include_string(Main, "{quoted}", "gradebox") : start()\n'
        "end\n"
    )


def _add(file: Path, texts: dict[Path, str]) -> None:
    if file in texts:
        return
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        tree = parse_python(text)
        for module in _bundled_imports(tree):
            _add(_source_of(module), texts)
        text = _without_imports(text, tree)
    texts[file] = text


def _bundled_imports(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and "inside" in node.module.split("."):
            yield node.module


def _source_of(module: str) -> Path:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"There is no source of the module {module}.", name=module)
    return Path(spec.origin)


def _without_imports(text: str, tree: ast.Module) -> str:
    """Return a source without its top-level imports, and without what only the type checker reads."""
    lines = text.splitlines(keepends=True)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) or _is_for_type_checker(node):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "".join(lines)


def _is_for_type_checker(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
