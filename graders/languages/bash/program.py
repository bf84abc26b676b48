"""Writes the text around the parts of a bash program, which bash's item runner puts together. Pure.

The program is one compound command. Bash parses it before running any of it, so no alias of the candidate can change
it, and its tokens are in no variable while it runs. Keywords and assignments make the decisions, since no function of
the candidate can replace those. The runner checks the syntax of each part first.

An error is what ``set -e`` treats as one, but only at the top level of a part: functions and sourced files of the
candidate may use other statuses than 0. Every part begins with our own trap, whatever trap the candidate set.

After an item, the commands on which it may have relied must still fail: ``[``, ``test``, ``false`` and ``exit`` if it
names them, and the trap. Replacements of them see no token: the process that forwards the report adds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# The pipe to the process that forwards tokens.
_SEND = '>| "/proc/$$/fd/9"'
# Handles an error, or notes that the control's error arrived. `set +e` keeps the candidate's shell from ending here;
# the next item gets its `set -e` back.
_TRAP = (
    "trap '__gradebox_status=$? __gradebox_line=$((LINENO - __gradebox_above)); "
    "if [[ $__gradebox_state == trying ]]; then __gradebox_state=tried; elif [[ ${#BASH_SOURCE[@]} -eq 0 ]]; then "
    '__gradebox_state=failed; printf "%s, line %d: status %d: %s\\n" "$__gradebox_part" "$__gradebox_line" '
    '"$__gradebox_status" "$BASH_COMMAND" >&2; __gradebox_flags=$-; set +e; break 99; fi\' ERR'
)
# Between the commands of a part: restores our trap if a command replaced it, and restores the status.
_AGAIN = f'__gradebox_status=$?; {_TRAP}; if ((__gradebox_status)); then (exit "$__gradebox_status") && :; fi; '
# Parts that set such a trap themselves or use PIPESTATUS, which cannot be restored, are not split.
_KEEPS = re.compile(r"PIPESTATUS|trap.*\s(?:ERR|err)[^A-Za-z0-9_]", re.DOTALL)
_OPEN = "for __gradebox_group in 1; do __gradebox_state=running\n"
_NEXT = f"if [[ ${{__gradebox_flags-}} == *e* ]]; then set -e; fi; __gradebox_flags=\n{_OPEN}"
# The common setup must have passed before any item runs; a failed item does not stop the others.
_IF_SET_UP = "if [[ $__gradebox_state == passed ]]; then\n"
# The empty line is for a part that ends with a backslash.
_AFTER = """
if [[ $? -ne 0 ]]; then __gradebox_state=failed
printf '%s: its last command ended with an error.\\n' "$__gradebox_part" >&2; break; fi
"""
# By command: a control that must fail, and how it is shown. The runner replaces WORD by a number that nobody can
# predict. As conditions, they do not end a shell with `set -e`.
_CONTROLS = {
    "exit": ("(exit 3)", "exit 3"),
    "[": ("[ WORD = xWORD ]", "[ 1 = 2 ]"),
    "test": ("test WORD = xWORD", "test 1 = 2"),
    "false": ("false", "false"),
}


def composed(parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return the parts of a program (`item_protocol`) as the runner gets them: tokens, imports, then the program.

    The program is a sequence of ``text`` (our own source) and sources of the item. A ``whole`` source is kept as it is;
    between the ``lines`` of others, the runner inserts the preceding ``again``, which restores the trap.
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
    """Return the name of a part, with a question mark if a separate shell must check its syntax.

    Such a part may close the group in which the runner checks it, or continue past its end. Some versions of bash exit
    at an unclosed substitution.
    """
    ends = re.search(r"(?:^|[\s;&|(){}])\}", content) or "<<" in content.replace("<<<", "") or content.endswith("\\")
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"|\\.", "", content)
    closed = all(text.count("(") == text.count(")") and text.count("`") % 2 == 0 for text in (content, unquoted))
    return kind if closed and not ends else f"{kind}?"


def _close(token: str, number: int, named: str) -> str:
    """Return the end of a group. An item's own `break` or `continue` also ends it, but the state stays "running"."""
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
