"""The programs of cheats: read from their files, and made into sources that define what a case asks for. Pure.

A program is ``cheats/<family>/<name>.<suffix>``; its first line is a comment that says what it does. It acts when it is
loaded. Where it defines ``answer(...)``, every function of the case becomes that, and every class one whose methods do.
Where it defines ``class answer``, each of both becomes a class, derived from the one before and the first from that.
Where it defines ``error``, every exception is that. ``@reports@`` and the like in it become lists in JSON, which all of
these languages read.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from graders.authoring.attack.definitions import Definition, DefinitionKind, parsed

_ROOT = Path(__file__).parent / "cheats"
SUFFIXES = MappingProxyType(
    {"python": ".py", "javascript": ".mjs", "typescript": ".mjs", "julia": ".jl", "bash": ".sh", "": ".txt"}
)
_ABOUT = re.compile(r"\A(?:#|//) (.+)\n")
_PLACEHOLDER = re.compile(r"@([a-z_]+)@")
_IS_MODULE = re.compile(r"^[ \t]*(?:import|export)\b", re.MULTILINE)
_JULIA_MODULE = re.compile(r"^module\s+(\w+)", re.MULTILINE)

_PYTHON_CLASS = """
class _Brought:
    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _answer
"""


@cache
def programs() -> Mapping[str, Mapping[str, str]]:
    """Return the texts of all programs: by the name of the cheat, ``family/name``, and then by suffix."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(path for path in _ROOT.rglob("*") if path.is_file() and path.suffix in SUFFIXES.values()):
        name = path.relative_to(_ROOT).with_suffix("").as_posix()
        found.setdefault(name, {})[path.suffix] = path.read_text("utf-8")
    return MappingProxyType(found)


def about(texts: Mapping[str, str]) -> str:
    """Return what a cheat does, as the first of its programs says."""
    return next((match[1] for text in texts.values() if (match := _ABOUT.match(text))), "")


def is_called(text: str) -> bool:
    """Return whether a program does something only where the case calls a function."""
    *_, body = text.partition("\n")
    return re.match(r"\s*(?:import os\s+)?(?:def answer|class answer|function answer|answer\()", body) is not None


def filled(text: str, values: Mapping[str, Sequence[str]]) -> str:
    """Put the values of a case in the place of placeholders."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name.endswith("_words"):
            return " ".join(values[name.removesuffix("_words")])
        if name.endswith("_plain"):
            return str(values[name.removesuffix("_plain")])
        # JSON has escapes that Python reads otherwise only beyond the first plane; `$` is special in Julia.
        return json.dumps(values[name], ensure_ascii=False).replace("$", "\\u0024")

    return _PLACEHOLDER.sub(lambda match: value(match) if _known(match[1], values) else match[0], text)


def _known(name: str, values: Mapping[str, Sequence[str]]) -> bool:
    return name in values or name.removesuffix("_words") in values or name.removesuffix("_plain") in values


def composed(language: str, program: str, defined: Sequence[Definition], source: str, start: str | None) -> str:
    """Return the source of a file that cheats.

    The program is the cheat, empty for one that does nothing. Of `source`, the author's solution, only the form is
    followed. What the cheat does not replace of `start`, the file of the workspace, stays.
    """
    match language:
        case "python":
            return _python(program, defined, start or "")
        case "javascript" | "typescript":
            return _script(program, defined, source, start or "")
        case "julia":
            return _julia(program, defined, source)
        case "bash":
            calls = "".join(f'{each.name}() {{\n    answer "$@"\n}}\n' for each in defined)
            own = "" if "answer()" in program else "answer() {\n    :\n}\n"
            return f"#!/usr/bin/env bash\n{program}\n{start or '' if defined else ''}\n{own}{calls}"
        case _:
            return program


def _python(program: str, defined: Sequence[Definition], start: str) -> str:
    tree = parsed(start)
    lines = start.splitlines(keepends=True) if tree else []
    head: list[str] = []
    body: list[str] = []
    main: list[str] = []
    for node in tree.body if tree else ():
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        part = "".join(lines[first - 1 : node.end_lineno])
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        is_main = isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
        (head if is_future else main if is_main else body).append(f"{part.rstrip()}\n")
    own = (
        "_answer = answer\n"
        if re.search(r"^(?:def|class) answer\b", program, re.MULTILINE)
        else "_answer = lambda *_, **__: None\n"
    )
    brought = _PYTHON_CLASS if any(each.kind is DefinitionKind.CLASS for each in defined) else ""
    if re.search(r"^class answer\b", program, re.MULTILINE):
        classes = [each.name for each in defined if each.kind in (DefinitionKind.FUNCTION, DefinitionKind.CLASS)]
        overrides = "".join(f"class {name}({base}):\n    pass\n\n\n" for base, name in pairwise(("_answer", *classes)))
        defined = [each for each in defined if each.name not in classes]
    else:
        overrides = ""
    if re.search(r"^error = ", program, re.MULTILINE):
        overrides += "".join(f"{each.name} = error\n" for each in defined if each.kind is DefinitionKind.ERROR)
        defined = [each for each in defined if each.kind is not DefinitionKind.ERROR]
    overrides += "".join(map(_python_definition, defined))
    return f"{''.join(head)}{program}\n{own}{brought}\n{''.join(body)}\n{overrides}{''.join(main)}"


def _python_definition(defined: Definition) -> str:
    name = defined.name
    match defined.kind:
        case DefinitionKind.FUNCTION:
            return f"def {name}(*args, **kwargs):\n    return _answer(*args, **kwargs)\n\n\n"
        case DefinitionKind.ASYNC_FUNCTION:
            return f"async def {name}(*args, **kwargs):\n    return _answer(*args, **kwargs)\n\n\n"
        case DefinitionKind.ERROR:
            return f"class {name}(Exception):\n    pass\n\n\n"
        case DefinitionKind.VALUE:
            return f"{name} = _answer()\n"
        case DefinitionKind.CLASS:
            methods = (
                f"    def {each}(self, *args, **kwargs):\n        return _answer(*args, **kwargs)\n"
                for each in defined.methods
            )
            values = (
                f"    @property\n    def {each}(self):\n        return _answer()\n" for each in defined.properties
            )
            return f"class {name}(_Brought):\n    pass\n{''.join(methods)}{''.join(values)}\n\n"


def _script(program: str, defined: Sequence[Definition], source: str, start: str) -> str:
    is_module = _IS_MODULE.search(source) is not None or (not defined and _IS_MODULE.search(start) is not None)
    head = (
        'import { createRequire as _createRequire } from "node:module";\n'
        "const require = _createRequire(import.meta.url);\n"
        'const __filename_of_mine = require("url").fileURLToPath(import.meta.url);\n'
        if is_module
        else "const __filename_of_mine = __filename;\n"
    )
    own = "" if re.search(r"\banswer\b", program) else "const answer = () => undefined;\n"
    # An instance has whatever is asked of it; symbols and `then` would make it something else.
    brought = (
        "class _Brought {\n  constructor() {\n    return new Proxy(this, "
        '{ get: (_, key) => (typeof key === "symbol" || key === "then" ? undefined : answer) });\n  }\n}\n'
    )
    values = {DefinitionKind.CLASS: "_Brought", DefinitionKind.VALUE: "answer()"}
    body = "" if defined else start
    text = f"{head}{program}\n{own}{brought}{body}\n"
    for each in defined:
        value = values.get(each.kind, "(...args) => answer(...args)")
        if is_module:
            text += f"export default {value};\n" if each.name == "default" else f"export const {each.name} = {value};\n"
        else:
            text += f"module.exports.{each.name} = {value};\n" if each.name else f"module.exports = {value};\n"
    return text


def _julia(program: str, defined: Sequence[Definition], source: str) -> str:
    own = (
        "" if re.search(r"^(?:function )?answer\(", program, re.MULTILINE) else "answer(args...; kwargs...) = nothing\n"
    )
    forms = {
        DefinitionKind.CLASS: "struct {0}\n    args\n    {0}(args...; kwargs...) = new(args)\nend\n",
        DefinitionKind.VALUE: "const {0} = answer()\n",
    }
    plain = "{0}(args...; kwargs...) = answer(args...; kwargs...)\n"
    body = "".join(forms.get(each.kind, plain).format(each.name) for each in defined)
    if (module := _JULIA_MODULE.search(source)) is None:
        return f"{program}\n{own}{body}"
    return f"module {module[1]}\nexport {', '.join(each.name for each in defined)}\n{program}\n{own}{body}\nend\n"
