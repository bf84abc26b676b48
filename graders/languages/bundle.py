"""Bundles the files that run together inside a sandbox into one source text.

An interpreter gets this text as one argument, so that no part of it is in the workspace. A Python bundle includes the
imported modules: the source of a module replaces a top-level import from a package called ``inside``. For
``boundary.py``, the Python part of ``boundary.json`` beside it is inserted instead. Imports for the type checker,
comments and docstrings are removed. In JavaScript and TypeScript, lines lose their indentation, also in template
literals, and empty ones, comments and types are removed. So are line ends beside ``;``, brackets and the like, commas
before them, and in most lines spaces, and brackets around one parameter. There, ``let``, ``void 0``, ``!0`` and ``!1``
take the place of longer words. Files in other languages are joined unchanged. If a program other than Python's names
``BOUNDARY``, a constant with the text of ``boundary.json``, without Python's part, comes first.

Julia takes a second to compile such a text. Our image contains it compiled (``julia/inside/system_image.jl``) and looks
it up by its hash; other images compile it at every start, and so does ours if the text differs. The boundary's text is
not part of the compiled text.
"""

from __future__ import annotations

import ast
import binascii
import hashlib
import io
import json
import re
import tokenize
import zlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gradebox.graders.documents.python_source import parse_python

_COMMENT = re.compile(r"^ *(?://(?: [^@\n].*)?$)?", re.MULTILINE)
_TYPE = re.compile(r"/\*\* @[^*]*\*/ ?")
_EMPTY_LINES = re.compile(r"^\n+", re.MULTILINE)
_NEEDLESS_BREAK = re.compile(r"[;,]?\n(?=[)}\]])|\n(?=[.?:&|])|(?<=[;{},(\[=>:?&|])\n")
# A line without a template in a template, and texts, patterns or spaces there that mean nothing.
_TEXT = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/(?![ /*])(?:[^/\\[\n]|\\.|\[(?:[^]\\\n]|\\.)*\])+/)"""
_PLAIN = rf"""(?:[^`/"'\n]|{_TEXT}| / )*"""
_TEMPLATE = r"`(?:[^`$\\\n]|\\.|\$(?!\{)|\$\{[^`{}\n]*\})*`"
_PLAIN_LINE = re.compile(rf"^{_PLAIN}(?:{_TEMPLATE}{_PLAIN})*$", re.MULTILINE)
_NEEDLESS_SPACE = re.compile(
    rf"({_TEXT}|{_TEMPLATE})|\b(const|undefined|true|false)\b|(?<![\w$])\((\w+)\)(?= =>)"
    r"| ?(=>|[=!]==|[-<>+]=|&&|\|\||[][(){}<>=*,;?:]|(?<= )[-+](?= [^-+])) ?"
)
_SHORTER = {"const": "let", "undefined": "void 0", "true": "!0", "false": "!1"}
_TYPES = {name: name for name in ("undefined", "true", "false")}
_FUTURE = "from __future__ import annotations\n"
_COMMENTED = (".js", ".mjs", ".cjs", ".ts")
_NOT_OF_PYTHON = ("about", "javascript", "julia")
_OF_PYTHON_ALONE = ("fields", "notes", "operator", "await", "turn", "result", "cancel", "closed", "mock")
_NOT_OF_JAVASCRIPT = ("about", "python", "julia", *_OF_PYTHON_ALONE)
_NOT_OF_JULIA = ("about", "python", "javascript")
_BOUNDARY = Path(__file__).parent / "inside" / "boundary.json"


@cache
def bundle(*files: Path) -> str:
    """Return the source text of some files, each after those that it imports."""
    texts: dict[Path, str] = {}
    for file in files:
        _add(file, texts)
    is_python = any(file.suffix == ".py" for file in texts)
    text = "\n".join(texts.values())
    if is_python:
        return _FUTURE + text
    if files[-1].suffix in _COMMENTED:
        text = _NEEDLESS_BREAK.sub("", _EMPTY_LINES.sub("", text))
    front = _boundary(files[-1].suffix, text)
    return front + (_compiled_before(text) if files[-1].suffix == ".jl" else text)


@cache
def compiled_elsewhere(text: str) -> str:
    """Return Python source that runs a program; a fork server lets a separate process compile it."""
    helper = bundle(Path(__file__).parent / "python" / "inside" / "compiling.py")
    return f"{helper}\nimport binascii\nimport zlib\nexec(compiled_elsewhere({_packed(text)}))\n"


@cache
def compressed(text: str) -> str:
    """Return compressed Python source that runs a program, since Linux limits an argument to 128 KiB."""
    start = "import sys\nsys.path[:1] == [''] and sys.path.pop(0)\nimport binascii\nimport zlib\n"
    return f'{start}exec(compile({_packed(text)}, "<string>", "exec", 0, True))\n'


def _packed(text: str) -> str:
    packed = binascii.b2a_base64(zlib.compress(text.encode(), 9), newline=False).decode()
    return f'zlib.decompress(binascii.a2b_base64("{packed}")).decode()'


def _compiled_before(text: str) -> str:
    """Return Julia source that starts a program compiled into the image, or compiles it if the image lacks it."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    programs = "isdefined(Main, :GradeboxPrograms) ? Main.GradeboxPrograms.PROGRAMS : Dict{String,Any}()"
    return (
        f'let start = get({programs}, "{digest}", nothing)\n'
        f'    start === nothing ? include_string(Main, "{quoted}", "gradebox") : start()\n'
        "end\n"
    )


def _boundary(suffix: str, text: str) -> str:
    """Return the line that defines `BOUNDARY` from boundary.json in a program that is not Python's."""
    if "BOUNDARY" not in text:
        return ""
    said = json.loads(_BOUNDARY.read_text("utf-8"))
    # A program is one argument, which Linux limits to 128 KiB.
    said = _without(_NOT_OF_JULIA if suffix == ".jl" else _NOT_OF_JAVASCRIPT, said)
    said_text = json.dumps(said, separators=(",", ":"))
    if suffix == ".jl":
        return f"const BOUNDARY = {json.dumps(said_text)};\n".replace("$", "\\$")
    # Nothing in it has to be escaped. The image of Bun has compiled a text that begins like this.
    return f"const BOUNDARY = `{said_text}`;\n"


def _add(file: Path, texts: dict[Path, str]) -> None:
    if file in texts:
        return
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        tree = parse_python(text)
        for module in _bundled_imports(tree):
            _add(_source_of(module), texts)
        text = _without_imports(text, tree)
        if file == _BOUNDARY.with_suffix(".py"):
            text = f"BOUNDARY = {_without(_NOT_OF_PYTHON, json.loads(_BOUNDARY.read_text('utf-8')))!r}\n"
    elif file.suffix in _COMMENTED:
        text = _COMMENT.sub("", _TYPE.sub("", text))
        # In TypeScript, values are also types.
        shorter = {**_SHORTER, **(_TYPES if file.suffix == ".ts" else {})}
        text = _PLAIN_LINE.sub(lambda line: _shortened(line[0], shorter), text)
    texts[file] = text


def _shortened(line: str, shorter: dict[str, str]) -> str:
    return _NEEDLESS_SPACE.sub(lambda found: found[1] or shorter.get(found[2]) or found[3] or found[4], line)


def _without(names: tuple[str, ...], said: Any) -> Any:
    """Return the content of boundary.json without some parts, such as those for other languages."""
    if not isinstance(said, dict):
        return said
    return {name: _without(names, rest) for name, rest in said.items() if name not in names}


def _bundled_imports(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and "inside" in node.module.split("."):
            yield node.module


def _source_of(module: str) -> Path:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"There is no source for the module {module}.", name=module)
    return Path(spec.origin)


def _without_imports(text: str, tree: ast.Module) -> str:
    """Return a source without top-level imports, comments, docstrings and annotations, and with less indentation."""
    lines = text.splitlines(keepends=True)
    for number, start, end in sorted(_annotations(tree, lines), reverse=True):
        lines[number] = lines[number][:start] + lines[number][end:]
    text = "".join(lines)
    left_out = [node for node in tree.body if isinstance(node, ast.ImportFrom) or _is_for_type_checker(node)]
    for node in (*left_out, *_docstrings(tree)):
        for number in range(node.lineno - 1, node.end_lineno or node.lineno):
            lines[number] = ""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        first, last = token.start[0], token.end[0]
        if token.type in (tokenize.COMMENT, tokenize.NL) and not token.line[: token.start[1]].strip():
            lines[first - 1] = ""
        elif token.type not in (tokenize.NEWLINE, tokenize.NL, tokenize.DEDENT, tokenize.ENDMARKER):
            inside.update(range(first, last))
    return "".join(line if number in inside else _less_indented(line) for number, line in enumerate(lines))


def _less_indented(line: str) -> str:
    rest = line.lstrip(" ")
    return " " * ((len(line) - len(rest)) // 4) + rest


def _annotations(tree: ast.Module, lines: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the positions of functions' annotations that fit on one line: index of the line, first and end column."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            kind, start = node.annotation, node.col_offset + len(node.arg)
            is_here = node.lineno == kind.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            kind = node.returns
            start = lines[kind.lineno - 1].rfind(" ->", 0, kind.col_offset)
            is_here = start >= 0
        else:
            continue
        if is_here and kind.lineno == kind.end_lineno and lines[kind.lineno - 1].isascii():
            yield kind.lineno - 1, start, kind.end_col_offset or start


def _docstrings(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the docstrings of a module, except those that are the only statement of a body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) > 1:
            said = (each for each in node.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            yield from (each for each in said if type(each.value.value) is str)  # type: ignore[attr-defined]


def _is_for_type_checker(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
