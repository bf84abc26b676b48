"""Runs one item, or many that share a process, while the submission runs in another process: `python3 -I -S -c SOURCE`.

graders/languages/item_protocol.py describes the protocol. No code of the submission is in this process, so tokens need
not be hidden.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

from gradebox.graders.languages.python.inside.apart.first import INSTALLED
from gradebox.graders.languages.python.inside.apart.in_grader.answers import LOADING
from gradebox.graders.languages.python.inside.apart.in_grader.carried_patches import carry_patches
from gradebox.graders.languages.python.inside.apart.in_grader.limits import limit_met
from gradebox.graders.languages.python.inside.apart.in_grader.modules import Modules
from gradebox.graders.languages.python.inside.apart.in_grader.process import Candidate
from gradebox.graders.languages.python.inside.apart.server import Answering, begin_forked
from gradebox.graders.languages.python.inside.forking import fork_for_each

_TREE_ONLY = 0x400


def read_parts() -> Iterator[tuple[str, str]]:
    """Yield the parts from stdin."""
    data = b"".join(iter(lambda: os.read(0, 1 << 20), b""))
    position = 0
    while position < len(data):
        end = data.index(b"\n", position)
        name, length = data[position:end].split()
        position = end + 1 + int(length)
        yield name.decode(), data[end + 1 : position].decode()
        position += 1


_BLOCKS = "body handlers orelse finalbody cases".split()
_WRITTEN = dict(zip("Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn".split(), "== != < <= > >= is is_not in not_in".split()))


def compiled(name: str, source: str) -> CodeType:
    """Compile a part, so that its asserts keep the values that they compare."""
    import _ast

    def kept(word: str, side: Any) -> Any:
        place = {name: getattr(side, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
        keep = _ast.Name("@keep", _ast.Load(), **place)
        return _ast.Call(keep, [_ast.Constant(word, **place), side], [], **place)

    tree: Any = compile(source, name, "exec", _TREE_ONLY, dont_inherit=True) if "assert" in source else source
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for field in _BLOCKS:
            waiting += getattr(node, field, ())
        if type(node) is _ast.Assert and node.msg is None:
            test: Any = node.test
            if type(test) is _ast.Compare and len(test.ops) == 1:
                word = _WRITTEN.get(type(test.ops[0]).__name__, "and")
                test.left, test.comparators[0] = kept("", test.left), kept(word, test.comparators[0])
            else:
                node.test = kept("", test)
    code: CodeType = compile(tree, name, "exec", dont_inherit=True)
    return code


class Items:
    """Runs the parts of a program."""

    def __init__(self, candidate: Candidate, report: int) -> None:
        self.candidate = candidate
        self.report = report
        self.main = type(sys)("__main__")
        self.sides: dict[str, Any] = {}
        self.main.__dict__.update({"__builtins__": __builtins__, "@keep": self.keep})
        sys.modules["__main__"] = self.main

    def keep(self, word: str, value: Any) -> Any:
        """Keep a side of a comparison: the left one under "", the right one under the operator."""
        if not word:
            self.sides.clear()
        self.sides[word] = value
        return value

    def run_group(self, group: list[tuple[str, str]], number: int | None, *, is_setup: bool) -> bool:
        """Run all parts; return whether there was no error."""
        seen: dict[str, int] = {}
        ready, title = [], ""
        test, part = "" if is_setup else "\n".join(source for _, source in group), LOADING if is_setup else ""
        try:
            for name, source in group:
                seen[name] = seen.get(name, 0) + 1
                nth = f" {seen[name]}" if seen[name] > 1 else ""
                where = "" if number is None else f" {number}" if name == "item" else f" of item {number}"
                title = f"<{name}{nth}{where}>"
                ready.append((title, source, compiled(title, source)))
            for name, _, code in ready:
                title = name
                exec(code, self.main.__dict__)
            failure = self.candidate.failure(test, part, passed=True)
        except BaseException as error:
            self.candidate.failure(test, part)
            failure = error
        if failure is not None:
            self.print_error(failure, title, {name: source.splitlines() for name, source, _ in ready})
        return failure is None

    def print_error(self, error: BaseException, title: str, sources: dict[str, list[str]]) -> None:
        """Write an error to stderr: the lines of the parts, the values of an assert, the submission's frames."""
        if isinstance(error, SystemExit):
            self.print_text(f"{title}: the program exited before the end (exit status {error.code!r}).\n")
            return
        lines = ["Traceback (most recent call last):"]
        trace = error.__traceback__
        while trace is not None:
            name, number = trace.tb_frame.f_code.co_filename, trace.tb_lineno
            if name in sources:
                lines.append(f'  File "{name}", line {number}, in {trace.tb_frame.f_code.co_name}')
                lines += [f"    {line.strip()}" for line in sources[name][number - 1 : number]]
            trace = trace.tb_next
        lines += [str(vars(error).get("_gradebox_traceback", "")), limit_met(self.candidate, error)]
        try:
            text = str(error)
            if type(error) is AssertionError and not text and self.sides:
                text = " ".join(f"{word.replace('_', ' ')} {_shortened(side)}" for word, side in self.sides.items())
            elif isinstance(error, SyntaxError) and error.text:
                lines.append(f'  File "{error.filename}", line {error.lineno}\n    {error.text.strip()}')
        except BaseException:
            text = "an error that cannot be printed"
        lines.append(type(error).__qualname__ + (f": {text.strip()}" if text else ""))
        self.print_text("\n".join(filter(None, lines)) + "\n")

    def print_text(self, text: str) -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(2, data) :]

    def run_import(self, line: str) -> int:
        """Run an import of the case; return the exit status if it fails."""
        source = line if line.split(maxsplit=1)[0] in ("import", "from") else f"import {line}"
        try:
            exec(compile(source, "<import>", "exec", dont_inherit=True), self.main.__dict__)
        except ModuleNotFoundError as error:
            self.print_text(f"missing import: {error.name}\n")
            self.say(0, f" missing {error.name}")
            return 90
        except BaseException as error:
            self.print_error(error, "<import>", {"<import>": [source]})
            return 1
        return 0

    def say(self, number: int, text: str = "") -> None:
        os.write(self.report, (self.tokens[number] + text + "\n").encode())

    def run(self, parts: list[tuple[str, str]], finder: Modules) -> int:
        """Run all parts; return the exit status."""
        self.tokens = [source for name, source in parts if name in ("token", "next")]
        groups: list[list[tuple[str, str]]] = [[]]
        for name, source in parts:
            if name == "import" and (status := self.run_import(source)):
                return status
            if name in ("next", "end"):
                groups.append([])
            elif name not in ("token", "shared", "import"):
                groups[-1].append((name, source))
        finder.install()
        carry_patches(self.candidate, finder)
        self.candidate.lending.watch_stat()
        last = len(groups) - 1
        for number, group in enumerate(groups):
            shared = 0 < number < last
            passed = self.run_group(group, number if shared else None, is_setup=0 == number < last)
            if shared and passed:
                self.say(number)
            elif not (passed or shared):
                return 1
        self.say(0)
        return 0


def _shortened(value: Any) -> str:
    try:
        text = repr(value)
    except BaseException as error:
        text = f"a {type(value).__name__} of which repr() raises {type(error).__name__}"
    return text if len(text) <= 1000 else f"{text[:990]}... ({len(text)} characters)"


def run_items(candidate: Candidate) -> int:
    """Run the items on stdin."""
    report = os.dup(3)
    os.close(3)
    parts = [*read_parts()]
    workspace = os.getcwd()
    sys.argv, sys.path[:] = [""], INSTALLED
    items = Items(candidate, report)
    status = items.run(parts, Modules(candidate, workspace, [workspace]))
    for line in candidate.boundary_lines():
        items.say(0, line)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return status


if __name__ == "__main__":
    # Made before the fork, so that it is not made for every item.
    sides = Candidate(sys._getframe().f_code), Answering()
    if fork_for_each(
        "_ast", "_hashlib", "binascii", "fcntl", "importlib.machinery", "json", "opcode", "types", "typing"
    ):
        begin_forked(sides[1])
    os._exit(run_items(sides[0]))
