"""What an item of bash is around its parts: the program that the item runner of bash puts together. Pure.

The program is one compound command. It is parsed before any of it runs, so no alias of the candidate's changes it, and
its tokens are in no variable while it runs. What decides is done by keywords and assignments, for which no function of
the candidate's can stand in. The runner reads each part for mistakes first: this is the text between them.

An error is what ``set -e`` takes for one, but only at the top level of a part: inside functions and sourced files a
status other than 0 is the candidate's to use. Every part begins with a trap of its own, whatever the candidate trapped.

After an item, what it can have relied on must still fail: ``[``, ``test``, ``false`` and ``exit`` if it names them, and
the trap. No token is in sight of whatever stands in for them; it is added where it is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# The pipe to what passes tokens on.
_SEND = '>| "/proc/$$/fd/9"'
# What happens at an error, and to the control that makes one. Where the candidate's shell ends at an error, it does so
# after this, unless an option forbids it; it is for the next item again.
_TRAP = (
    "trap '__gradebox_status=$? __gradebox_line=$((LINENO - __gradebox_above)); "
    "if [[ $__gradebox_state == trying ]]; then __gradebox_state=tried; elif [[ ${#BASH_SOURCE[@]} -eq 0 ]]; then "
    '__gradebox_state=failed; printf "%s, line %d: status %d: %s\\n" "$__gradebox_part" "$__gradebox_line" '
    '"$__gradebox_status" "$BASH_COMMAND" >&2; __gradebox_flags=$-; set +e; break 99; fi\' ERR'
)
# What a command calls leaves no trap of its own to those after it, which find the status as it was.
_AGAIN = f'__gradebox_status=$?; {_TRAP}; if ((__gradebox_status)); then (exit "$__gradebox_status") && :; fi; '
# But where the judge sets such a trap itself, or asks for what no shell can put back.
_KEEPS = re.compile(r"PIPESTATUS|trap.*\s(?:ERR|err)[^A-Za-z0-9_]", re.DOTALL)
_OPEN = "for __gradebox_group in 1; do __gradebox_state=running\n"
_NEXT = f"if [[ ${{__gradebox_flags-}} == *e* ]]; then set -e; fi; __gradebox_flags=\n{_OPEN}"
# What is set up for all must have worked; what is done for one item need not.
_IF_SET_UP = "if [[ $__gradebox_state == passed ]]; then\n"
# The empty line is for a part that ends with a backslash.
_AFTER = """
if [[ $? -ne 0 ]]; then __gradebox_state=failed
printf '%s: its last command ended with an error.\\n' "$__gradebox_part" >&2; break; fi
"""
# The runner puts a number for each WORD, which is nobody's to expect. The candidate's own shell may end at an
# error; none of these is one.
_CONTROLS = {
    "exit": ("(exit 3)", "exit 3"),
    "[": ("[ WORD = xWORD ]", "[ 1 = 2 ]"),
    "test": ("test WORD = xWORD", "test 1 = 2"),
    "false": ("false", "false"),
}


def composed(parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return the parts of a program (`item_protocol`) as the runner gets them: tokens, imports, then the program.

    It is a sequence of ``text`` and, by their names, ``whole`` parts and those whose ``lines`` get a trap each, which
    is what they run ``again``.
    """
    parts = tuple(parts)
    yield from (("token", content) for name, content in parts if name in ("token", "next"))
    number, where, token = 0, "", ""
    named = set_up = ""
    text = f"{{ set --\n__gradebox_flags=\n{_OPEN}"
    for name, content in parts:
        if name == "import":
            yield f"{_kind(name, content)} {name}", content
        elif name in ("next", "end"):
            text += _close(token, number, named) + ("" if number else _IF_SET_UP) + _NEXT
            number, token = number + 1, content
            where = f" of item {number}" if token else ""
        elif name in ("setup", "item", "teardown"):
            label = f"item{where.removeprefix(' of item')}" if name == "item" else name + where
            yield "text", f"{text}{_TRAP}\n__gradebox_part='{label}' __gradebox_above=$LINENO"
            splits = "\n" in content and not _KEEPS.search(f"{set_up}{content}\n")
            if splits:
                yield "again", _AGAIN
            yield f"{_kind('lines' if splits else 'whole', content)} {label}", content
            named += f"{content}\n"
            set_up += f"{content}\n" if name == "setup" else ""
            text = _AFTER
    text += _close(parts[0][1], 0, named) + ("fi\n" if number else "")
    yield "text", f"{text}if [[ $__gradebox_state != passed ]]; then printf 'through\\n' {_SEND}; fi; trap - EXIT; }}"


def _kind(kind: str, content: str) -> str:
    """Return the name of a part, with a question mark if another shell has to read it for mistakes.

    It may close the group in which the runner reads it, or not end with its end. Some versions of bash end at a
    substitution that is not closed.
    """
    ends = re.search(r"(?:^|[\s;&|(){}])\}", content) or "<<" in content.replace("<<<", "") or content.endswith("\\")
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"|\\.", "", content)
    closed = all(text.count("(") == text.count(")") and text.count("`") % 2 == 0 for text in (content, unquoted))
    return kind if closed and not ends else f"{kind}?"


def _close(token: str, number: int, named: str) -> str:
    """Return the end of a group: an item's own `break` and `continue` end it too, with the state still "running"."""
    controls = "".join(
        f"if {control}; then __gradebox_control='{shown}'; fi\n"
        for used, (control, shown) in _CONTROLS.items()
        if used in named
    )
    tried = f"""if [[ $__gradebox_state == running ]]; then
__gradebox_flags=$-; set +e; __gradebox_control=
{controls}__gradebox_state=trying; {_TRAP}; ((0))
if [[ $__gradebox_state == trying ]]; then __gradebox_control='trap ... ERR'; fi; __gradebox_state=running
if [[ $__gradebox_control ]]; then __gradebox_state=bent
printf 'control %d %s\\n' {number} "$__gradebox_control" {_SEND}; fi
if [[ $__gradebox_flags == *e* ]]; then set -e; fi
fi
"""
    sends = f"printf '%s\\n' {token} {_SEND};"
    return f"""{tried if token else ""}if [[ $__gradebox_state == running ]]; then __gradebox_state=passed
{sends if token else ""} fi; done
if [[ $__gradebox_state == running ]]; then __gradebox_state=failed
printf '%s: it left the program early.\\n' "$__gradebox_part" >&2; fi
"""
