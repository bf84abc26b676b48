"""Makes Julia sources that cheat, by reading sources line by line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradebox.graders.languages.definitions import Definition, DefinitionKind

SUFFIX = ".jl"
COMMENT = "#"

_DEFINITION = re.compile(
    r"^(?:(?:mutable\s+)?(?P<struct>struct)\s+|(?P<const>const)\s+|function\s+|(?=[\w!]+\([^\n]*\)(?:::\S+)?\s*=[^=]))"
    r"(?P<name>[A-Za-z_]\w*!?)",
    re.MULTILINE,
)
_MODULE = re.compile(r"^module\s+(\w+)", re.MULTILINE)
_KINDS = {"struct": DefinitionKind.CLASS, "const": DefinitionKind.VALUE}


def definitions(text: str, _start: str | None) -> Iterator[Definition]:
    """Yield the functions, types and constants of a source."""
    for match in _DEFINITION.finditer(text):
        yield Definition(match["name"], _KINDS.get(match["struct"] or match["const"], DefinitionKind.FUNCTION))


def composed(program: str, defined: Sequence[Definition], source: str, _start: str) -> str:
    """Return the source of a file that cheats, in a module if the solution has one."""
    own = (
        "" if re.search(r"^(?:function )?answer\(", program, re.MULTILINE) else "answer(args...; kwargs...) = nothing\n"
    )
    forms = {
        DefinitionKind.CLASS: "struct {0}\n    args\n    {0}(args...; kwargs...) = new(args)\nend\n",
        DefinitionKind.VALUE: "const {0} = answer()\n",
    }
    plain = "{0}(args...; kwargs...) = answer(args...; kwargs...)\n"
    body = "".join(forms.get(each.kind, plain).format(each.name) for each in defined)
    if (module := _MODULE.search(source)) is None:
        return f"{program}\n{own}{body}"
    return f"module {module[1]}\nexport {', '.join(each.name for each in defined)}\n{program}\n{own}{body}\nend\n"


def control_files(_forged: str, _directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield nothing: Julia loads no file of the workspace before a test."""
    yield from ()
