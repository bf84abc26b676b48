"""Observes which tests of the judge's files really ran.

Hooks, options, marks, plugins, patches or replaced modules can make a test runner omit a test or report it as passed.
So each test itself reports when it begins and when an error leaves it. It does so by audit events
(reported_comparisons.py), which count only if they come from the code compiled from its file. This covers tests whose
name begins with `test` and whose code a runner calls directly, with a mock, or through a base of their class
(definitions.py). No other code is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.reported_comparisons import reported_comparisons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, SimpleNamespace
    from typing import Any


def witness(tools: SimpleNamespace, files: SimpleNamespace) -> SimpleNamespace:
    import ast
    import importlib.machinery
    import os
    import sys
    import types

    frame_of, real, compile_tree, compared = sys._getframe, os.path.realpath, compile, reported_comparisons()
    # Whether the last run of a code object raised nothing, by the code object's id.
    states: dict[int, bool] = {}
    codes: dict[tuple[str, tuple[str, ...]], list[CodeType]] = {}
    texts: dict[str, str] = {}
    marks: dict[tuple[str, tuple[str, ...]], tuple[list[tuple[str, bool]], bool]] = {}
    known: dict[str, CodeType] = {}
    called: set[str] = set()
    # Names of pytest that add marks to tests from elsewhere in a file.
    marking = ["add_marker", "applymarker", "pytest_generate_tests", "autouse", "usefixtures"]
    loader: Any = importlib.machinery.SourceFileLoader
    get_code = loader.get_code

    def hear(event: str, arguments: Any) -> None:
        if event == "gradebox.began":
            states[id(frame_of(1).f_code)] = True
        elif event == "gradebox.raised":
            states[id(frame_of(1).f_code)] = False

    sys.addaudithook(hear)

    def plant(tree: Any, plain: Any, path: str) -> None:
        """Make the tests of a file report their runs, and record the marks beside each test."""
        waiting: list[tuple[tuple[str, ...], Any, list[Any], bool]] = [((), tree, [], not marks_plainly(tree))]
        tests = plain[0] | plain[2]
        called.update(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        while waiting:
            place, scope, said, is_open = waiting.pop()
            said = said + [node.value for node in scope.body if is_marking(node)]
            for node in scope.body:
                names = (*place, getattr(node, "name", None) or "")
                if isinstance(node, ast.ClassDef):
                    # Marks of a class also apply to classes that inherit from it.
                    is_other = is_open or not files.is_simple_class(node)
                    waiting.append((names, node, said + node.decorator_list, is_other))
                elif names in tests and names[-1].startswith("test"):
                    # Tests with fixtures stay open, since each value of a fixture may have marks of its own.
                    given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                    node.body = observed_body(node.body)
                    beside = [*map(described, said + node.decorator_list)]
                    marks[real(path), names] = beside, is_open or len(given) > bool(place)

    def marks_plainly(tree: Any) -> bool:
        """Whether a file marks whole modules and classes only by plain assignments to `pytestmark`."""
        nodes = list(ast.walk(tree))
        bodies = [node.body for node in nodes if isinstance(node, (ast.Module, ast.ClassDef))]
        plainly = sum(is_marking(node) for body in bodies for node in body)
        words = [getattr(node, field, None) for node in nodes for field in ("id", "attr", "name", "asname")]
        return words.count("pytestmark") == plainly and "*" not in words

    def is_marking(node: Any) -> bool:
        return isinstance(node, ast.Assign) and "pytestmark" in [getattr(each, "id", "") for each in node.targets]

    def described(node: Any) -> tuple[str, bool]:
        """Return the text of a mark, and whether it refers to nothing defined elsewhere."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return ast.unparse(node).lower(), names <= {"pytest", "mark", "mock"}

    def is_docstring(node: Any) -> bool:
        return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)

    def observed_body(body: list[Any]) -> list[Any]:
        start = 1 if is_docstring(body[0]) else 0
        rest = body[start:] or [ast.copy_location(ast.Pass(), body[0])]
        began, raised = (ast.Expr(compared.event_call("gradebox." + word)) for word in ("began", "raised"))
        handler = ast.ExceptHandler(None, None, [raised, ast.Raise()])
        guarded = ast.Try(rest, [handler], [], [])
        return [*body[:start], *(compared.placed(new, rest[0]) for new in (began, guarded))]

    def loaded(path: str, source: bytes, code: CodeType, plain: Any) -> None:
        """Record the compiled code of a file of tests."""
        path = real(path)
        texts[path] = source.decode("utf-8", "replace")
        for names in plain[0] | plain[2]:
            found: CodeType | None = code
            for name in names:
                held = found.co_consts if found is not None else ()
                parts = [part for part in held if type(part) is type(code) and part.co_name == name]
                found = parts[0] if len(parts) == 1 else None
            if found is not None:
                codes.setdefault((path, names), []).append(found)

    def compiled(path: str) -> CodeType | None:
        """Return the code of a file with tests that report their runs, None if it cannot be compiled."""
        path = real(path)
        if path not in known:
            try:
                source = files.source_of(path)
                tree = files.parsed(source, path)
                plain = files.plain_in(tree)
                compared.watch(tree, compared.asserted(tree))
                plant(tree, plain, path)
                known[path] = compared.sealed(compile_tree(tree, path, "exec", 0, True))
            except Exception:
                return None
            files.loaded(path, known[path], plain, is_test=False)
            loaded(path, source, known[path], plain)
        return known[path]

    def observe_imports() -> None:
        """Make tests in all judge's files that are loaded from now on report their runs."""

        def watched(self: Any, name: str) -> Any:
            path: Any = getattr(self, "path", None)
            # A large file is no helper of tests, and would take long to compile.
            is_helper = type(path) is str and files.is_loaded(path) and os.stat(path).st_size < 1 << 18
            return (is_helper and compiled(path)) or get_code(self, name)

        loader.get_code = watched

    def state(path: str, names: tuple[str, ...]) -> bool | None:
        """Return whether the last run of a test raised nothing; None if it did not run or is not observed."""
        found = [states.get(id(code)) for code in codes.get((real(path), names), ())]
        return True if True in found else False if False in found else None

    def forget(path: str, names: tuple[str, ...]) -> None:
        for code in codes.get((real(path), names), ()):
            states.pop(id(code), None)

    def is_observed(path: str, names: tuple[str, ...]) -> bool:
        return (real(path), names) in codes

    def tests_in(path: str, is_class: Callable[[Any, int], bool]) -> Iterator[tuple[str, ...]]:
        """Yield the names of the tests that a file plainly defines, so that a runner must find them.

        is_class: whether a class holds tests, by its definition and the number of classes around it.
        """
        try:
            source = files.source_of(path)
            tree = files.parsed(source, path)
            plain, loose, _ = files.plain_in(tree)
        except Exception:
            return
        texts.setdefault(real(path), source.decode("utf-8", "replace"))
        if loose or says(path, "__test__", "load_tests"):
            return
        waiting: list[tuple[tuple[str, ...], list[Any]]] = [((), tree.body)]
        while waiting:
            place, body = waiting.pop()
            for node in body:
                names = (*place, getattr(node, "name", None) or "")
                if isinstance(node, ast.ClassDef):
                    made = {getattr(part, "name", None) for part in node.body}
                    if is_class(node, len(place)) and made.isdisjoint(("__init__", "__new__")):
                        waiting.append((names, node.body))
                elif names in plain and names[-1].startswith("test"):
                    yield names

    def others_in(path: str) -> list[tuple[str, ...]]:
        """Return the names of all observed tests of a file, including those that a runner need not find."""
        return [names for place, names in codes if place == real(path)]

    def may_be_left(path: str, names: tuple[str, ...], word: str) -> bool:
        """Whether a file may intend that a test is skipped or fails: by a mark beside it, or by one from elsewhere."""
        said, is_open = marks.get((real(path), names), ([], False))
        if any(word in text for text, _ in said):
            return True
        is_open = is_open or not all(whole for _, whole in said) or is_heard(path, *marking)
        return is_open and is_heard(path, *(("xfail", "expectedfailure") if word == "xfail" else (word,)))

    def is_heard(path: str, *words: str) -> bool:
        """Whether one of these words occurs in a file of tests, or in a file from which it may get marks."""
        text = texts.get(real(path), "")
        for other in list(texts):
            name = os.path.basename(other)[: -len(".py")].lower()
            is_test = name != "conftest" and (name.startswith("test") or name.endswith("test"))
            if (other == real(path) or not is_test or name in text.lower()) and says(other, *words):
                return True
        return False

    def is_said(*words: str) -> bool:
        """Whether one of these words occurs in any of the files."""
        return any(says(path, *words) for path in list(texts))

    def is_called(name: str) -> bool:
        """Whether any file uses an attribute of this name: it may call the test itself and expect a failure."""
        return name in called

    def says(path: str, *words: str) -> bool:
        """Whether one of these words occurs in a file of tests, in upper or lower case."""
        text = texts.get(real(path), "").lower()
        return any(word in text for word in words)

    return types.SimpleNamespace(
        plant=plant,
        loaded=loaded,
        compiled=compiled,
        observe_imports=observe_imports,
        state=state,
        forget=forget,
        is_observed=is_observed,
        tests_in=tests_in,
        others_in=others_in,
        may_be_left=may_be_left,
        says=says,
        is_said=is_said,
        is_called=is_called,
    )
