"""Makes JavaScript and TypeScript sources that cheat, by reading sources line by line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradebox.graders.languages.definitions import Definition, DefinitionKind

SUFFIX = ".mjs"
COMMENT = "//"
_VITEST = 'export default { test: { setupFiles: ["./forged.mjs"], globalSetup: ["./forged.mjs"] } };\n'

_EXPORT = re.compile(
    r"^[ \t]*export\s+(?P<default>default\s+)?(?:abstract\s+)?"
    r"(?:(?P<function>(?:async\s+)?function\b\s*\*?)|(?P<class>class\b)|(?P<value>const|let|var)\b)?\s*(?P<name>[\w$]+)?"
    r"(?P<arrow>[^=\n]*=\s*(?:async\s*)?(?:function\b|\([^)\n]*\)[^=\n]*=>|[\w$]+\s*=>))?",
    re.MULTILINE,
)
_LIST = re.compile(r"(?:^[ \t]*export\s*|\bmodule\.exports\s*=\s*)\{([^}]*)\}", re.MULTILINE)
_ASSIGNED = re.compile(r"\b(?:module\.)?exports\.([\w$]+)\s*=(?!=)")
_WHOLE = re.compile(r"\bmodule\.exports\s*=\s*(?:async\s+)?(?:function|class|\(|[\w$])")
_IS_MODULE = re.compile(r"^[ \t]*(?:import|export)\b", re.MULTILINE)


def definitions(text: str, _start: str | None) -> Iterator[Definition]:
    """Yield the exports of a source."""
    for match in _EXPORT.finditer(text):
        name = "default" if match["default"] else match["name"]
        if name and (match["default"] or match["function"] or match["class"] or match["value"]):
            is_value = match["value"] and not match["arrow"]
            kind = DefinitionKind.CLASS if match["class"] else DefinitionKind.FUNCTION
            yield Definition(name, DefinitionKind.VALUE if is_value else kind)
    for listed in _LIST.finditer(text):
        for part in listed[1].split(","):
            words = re.split(r"\s+as\s+|\s*:\s*", part.strip())
            if re.fullmatch(r"[\w$]+", words[-1 if " as " in part else 0]):
                yield Definition(words[-1 if " as " in part else 0])
    for match in _ASSIGNED.finditer(text):
        yield Definition(match[1])
    if not _ASSIGNED.search(text) and _WHOLE.search(text):
        yield Definition("")


def composed(program: str, defined: Sequence[Definition], source: str, start: str) -> str:
    """Return the source of a file that cheats, in the module system of the solution."""
    is_module = _IS_MODULE.search(source) is not None or (not defined and _IS_MODULE.search(start) is not None)
    head = (
        'import { createRequire as _createRequire } from "node:module";\n'
        "const require = _createRequire(import.meta.url);\n"
        'const __filename_of_mine = require("url").fileURLToPath(import.meta.url);\n'
        if is_module
        else "const __filename_of_mine = __filename;\n"
    )
    own = "" if re.search(r"\banswer\b", program) else "const answer = () => undefined;\n"
    # An instance has every requested attribute, except symbols and `then`, which would change its nature.
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


def control_files(forged: str, _directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield files that its test runners load before any test."""
    yield "forged.mjs", forged
    yield "vitest.config.mjs", _VITEST
