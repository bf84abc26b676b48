"""Runs one item, or many that share a process: `python3 -I -S -c SOURCE`.

graders/languages/item_protocol.py describes the protocol, guard.py the protection of tokens and the controls after each
item. Everything that makes decisions is a local variable of a function, set before the candidate's code is loaded. That
code may replace modules, builtins and sys.modules["__main__"], but cannot reach these variables there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.forking import fork_for_each
from gradebox.graders.languages.python.inside.guard import guard
from gradebox.graders.languages.python.inside.own_modules import own_modules
from gradebox.graders.languages.python.inside.reported_comparisons import reported_comparisons
from gradebox.graders.languages.python.inside.trusted_places import close_places, open_places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, SimpleNamespace
    from typing import Any


def read_parts() -> tuple[list[bytes], list[tuple[str, str]]]:
    """Return the tokens, beginning with the token of the process, and the parts without them."""
    import os

    data = b"".join(iter(lambda: os.read(0, 1 << 20), b""))
    position = 0
    parts = []
    while position < len(data):
        end = data.index(b"\n", position)
        name, length = data[position:end].split()
        position = end + 1 + int(length)
        parts.append((name.decode(), data[end + 1 : position].decode()))
        position += 1
    tokens = [source.encode() for name, source in parts if name in ("token", "next")]
    return tokens, [(name, "" if name == "next" else source) for name, source in parts if name != "token"]


def run(tools: SimpleNamespace, parts: list[tuple[str, str]]) -> Iterator[tuple[list[tuple[int, bytes]], int | None]]:
    """Yield the report lines to send, with the exit status when the process ends, otherwise None."""
    import ast
    import builtins
    import importlib.util
    import linecache
    import os
    import sys
    import traceback
    import types

    write, frame_of, written = os.write, sys._getframe, builtins.repr
    compile_source, execute, text_of = builtins.compile, builtins.exec, traceback.format_exception
    settrace, setprofile = sys.settrace, sys.setprofile
    flush, line, calm = tools.flush, tools.line, tools.calm
    workspace = os.getcwd()
    own = os.environ.pop("GRADEBOX_MODULES", "").split()

    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    namespace = module.__dict__

    def write_all(descriptor: int, data: bytes) -> None:
        while data:
            data = data[write(descriptor, data) :]

    def print_text(text: str) -> None:
        flush()
        write_all(2, text.encode("utf-8", "backslashreplace"))

    def print_error(error: BaseException, name: str) -> None:
        """Write an error's traceback to stderr, without the frames of this file."""
        if isinstance(error, SystemExit):
            print_text(f"{name}: the program exited before the end (exit status {error.code!r}).\n")
            return
        try:
            frames = error.__traceback__
            while frames and frames.tb_frame.f_code.co_filename == "<string>":
                frames = frames.tb_next
            text = "".join(text_of(type(error), error, frames))
            if frames and type(error) is AssertionError and not error.args:
                while frames.tb_next:
                    frames = frames.tb_next
                text += as_compared((frames.tb_frame.f_code.co_filename, frames.tb_lineno))
        except BaseException:
            text = f"{name}: an error that cannot be printed.\n"
        print_text(text)

    def as_compared(place: tuple[str, int]) -> str:
        """Return the sides of the comparison that failed at a place, if it was the last one and both are plain data."""
        if sides[:1] != [place] or not all(is_plain(side, 4) for side in sides[2:]):
            return ""
        left, right = (text if len(text) <= 300 else f"{text[:300]}..." for text in map(written, sides[2:]))
        return f"In the submission's process: {left} {sides[1]} {right}\n"

    def is_plain(value: Any, depth: int) -> bool:
        """Whether writing a value runs no code of the submission and is fast."""
        kind = type(value)
        if kind in (list, tuple, set, frozenset, dict):
            parts = [*value, *value.values()] if kind is dict and len(value) < 100 else value
            return depth > 0 and len(value) < 100 and all(is_plain(part, depth - 1) for part in parts)
        if kind in (str, bytes):
            return len(value) < 10_000
        return value is None or kind in (bool, float, complex) or (kind is int and value.bit_length() < 10_000)

    def compiled(name: str, source: str) -> CodeType:
        # With this entry, a traceback shows the line although it is in no file.
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        plain = compile_source(source, name, "exec", dont_inherit=True)
        tree = ast.parse(source, name)
        observed = compared.watch(tree, compared.asserted(tree))
        code = compared.sealed(compile_source(tree, name, "exec", dont_inherit=True)) if observed else plain
        codes.update(inside(code))
        return code

    def inside(code: CodeType) -> Iterator[CodeType]:
        """Yield a code object and all code objects nested in it."""
        waiting = [code]
        while waiting:
            held = waiting.pop()
            yield held
            waiting += [part for part in held.co_consts if type(part) is type(code)]

    forged: list[str] = []
    sides: list[Any] = []
    codes: set[CodeType] = set()
    compared = reported_comparisons()
    tools.trust(lambda code: code in codes, lambda word: any(word in source for _, source in parts))

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("gradebox.equal", "gradebox.in"):
            try:
                frame, word = frame_of(1), "==" if event == "gradebox.equal" else "in"
                sides[:] = [(frame.f_code.co_filename, frame.f_lineno), word, *arguments]
                what = tools.always_equal(*arguments, inside=event == "gradebox.in")
            except Exception:
                return
            if what:
                forged.append(what)

    def controls() -> str:
        """Return a clause about something that passes after an item but must fail, "" if there is nothing."""
        if forged:
            return f"an assertion compared two values of which {forged.pop()}"
        for name in tools.passing_assertions():
            return f"{name} accepts what is wrong"
        for name in tools.replaced_builtins():
            return f"builtins.{name} was replaced"
        return ""

    def run_part(code: CodeType) -> None:
        settrace(None)
        setprofile(None)
        execute(code, namespace)

    def prepared(group: list[tuple[str, str]]) -> tuple[list[tuple[str, CodeType]], BaseException | None, str]:
        """Return the code objects of parts; or the first error in compiling one, and that part's name."""
        name = group[0][0] if group else ""
        codes = []
        try:
            for title, source in group:
                name = title
                codes.append((title, compiled(title, source)))
        except BaseException as error:
            return [], error, name
        return codes, None, ""

    def run_group(codes: list[tuple[str, CodeType]], error: BaseException | None, name: str) -> bool:
        """Run all parts; return whether there was no error. A syntax error in any part stops all of them."""
        try:
            if error is not None:
                raise error
            for title, code in codes:
                name = title
                run_part(code)
        except BaseException as raised:
            print_error(raised, name)
            return False
        return True

    def modules_of(tree: Any) -> Iterator[str]:
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
                yield statement.module
            elif isinstance(statement, ast.Import):
                yield from (alias.name for alias in statement.names)

    def is_missing(name: str) -> bool:
        """Whether a module, or a package that contains it, cannot be found at all."""
        words = name.split(".")
        for count in range(1, len(words) + 1):
            try:
                if importlib.util.find_spec(".".join(words[:count])) is None:
                    return True
            except ModuleNotFoundError as error:
                return error.name == ".".join(words[:count])
            except Exception:
                # The module exists; importing it will show what is wrong with it.
                return False
        return False

    def run_import(name_or_line: str) -> tuple[list[tuple[int, bytes]], int] | None:
        is_line = name_or_line.split(maxsplit=1)[0] in ("import", "from")
        source = name_or_line if is_line else f"import {name_or_line}"
        try:
            names = [*modules_of(ast.parse(source))]
        except SyntaxError:
            names = []
        for name in names:
            # A required import always means the image's module, not the case's.
            top = name.partition(".")[0]
            own[:] = [word for word in own if word.lstrip("!") != top]
            if is_missing(name):
                print_text(f"missing import: {name}\n")
                return [(0, line("missing", name))], 90
        return None if run_group(*prepared([("<import>", source)])) else ([], 1)

    def labelled(group: list[tuple[str, str]], number: int | None) -> Iterator[tuple[str, str]]:
        """Return parts with the names that tracebacks show: <setup>, <setup 2>, <item>; <setup of item 3>, <item 3>."""
        seen: dict[str, int] = {}
        for name, source in group:
            seen[name] = seen.get(name, 0) + 1
            nth = f" {seen[name]}" if seen[name] > 1 else ""
            where = "" if number is None else f" {number}" if name == "item" else f" of item {number}"
            yield f"<{name}{nth}{where}>", source

    tools.hide()
    sys.addaudithook(hear)
    groups: list[list[tuple[str, str]]] = [[]]
    for name, source in parts:
        if name == "import":
            ended = run_import(source)
            if ended:
                calm()
                yield ended
        elif name in ("next", "end"):
            groups.append([])
        elif name != "shared":
            groups[-1].append((name, source))
    open_places()
    sys.path.insert(0, workspace)
    from_image, sys.argv = own_modules(own), [""]

    last = len(groups) - 1
    is_shared = [0 < number < last for number in range(len(groups))]
    # Compile everything before the candidate's code is loaded, which could change how sources are compiled.
    ready = [prepared([*labelled(group, number if is_shared[number] else None)]) for number, group in enumerate(groups)]
    for number, shared in enumerate(is_shared):
        passed = run_group(*ready[number])
        what = passed and controls()
        forged.clear()
        undo = calm()
        if what:
            print_text(f"{what}\n")
            yield [(number if shared else 0, line("control", what))], None if shared else 1
        elif not (passed or shared):
            yield [(0, line("image", what)) for what in from_image], 1
        elif passed and shared:
            yield [(number, b"")], None
        undo()
    calm()
    yield [*((0, line("image", what)) for what in from_image), (0, b"")], 0


def begin(tools: SimpleNamespace) -> tuple[Any, Iterator[tuple[list[tuple[int, bytes]], int | None]]]:
    tokens, parts = read_parts()
    return tools.hold(tokens), run(tools, parts)


if __name__ == "__main__":
    close_places()
    fork_for_each("ast", "fcntl", "importlib.util", "linecache", "re", "resource", "traceback", "typing")
    # Only the operands of this statement know the tokens.
    any(map(*begin(guard())))
