"""Observes which tests of the judge's files really ran.

A test runner can be made in many ways to leave a test out, or to say that it passed: by hooks, options, marks, plugins,
patches, other modules in the place of its own. So a test itself reports that it begins, and that an error leaves it: by
audit events (reported_comparisons.py), which the code that is compiled from its file raises, and which count only if
they come from that code. This is done with tests whose name begins with `test` and whose code a runner calls, with a
mock or through a base of their class at most (definitions.py). No other code is changed.
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
    # By the identity of a code: whether its last run came to its end.
    states: dict[int, bool] = {}
    codes: dict[tuple[str, tuple[str, ...]], list[CodeType]] = {}
    texts: dict[str, str] = {}
    marks: dict[tuple[str, tuple[str, ...]], tuple[list[tuple[str, bool]], bool]] = {}
    known: dict[str, CodeType] = {}
    called: set[str] = set()
    # What gives marks to tests that they do not stand beside.
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
        """Have the tests of a file report themselves, and take note of the marks beside each."""
        waiting: list[tuple[tuple[str, ...], Any, list[Any], bool]] = [((), tree, [], not marks_plainly(tree))]
        tests = plain[0] | plain[2]
        called.update(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        while waiting:
            place, scope, said, is_open = waiting.pop()
            said = said + [node.value for node in scope.body if is_marking(node)]
            for node in scope.body:
                names = (*place, getattr(node, "name", None) or "")
                if isinstance(node, ast.ClassDef):
                    # What is said of a class is said of those that inherit from it, too.
                    is_other = is_open or not files.is_simple_class(node)
                    waiting.append((names, node, said + node.decorator_list, is_other))
                elif names in tests and names[-1].startswith("test"):
                    # Each value of a fixture may have marks of its own.
                    given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                    node.body = observed_body(node.body)
                    beside = [*map(described, said + node.decorator_list)]
                    marks[real(path), names] = beside, is_open or len(given) > bool(place)

    def marks_plainly(tree: Any) -> bool:
        """Whether a file marks all of its tests, or of a class, by nothing but plain assignments."""
        nodes = list(ast.walk(tree))
        bodies = [node.body for node in nodes if isinstance(node, (ast.Module, ast.ClassDef))]
        plainly = sum(is_marking(node) for body in bodies for node in body)
        words = [getattr(node, field, None) for node in nodes for field in ("id", "attr", "name", "asname")]
        return words.count("pytestmark") == plainly and "*" not in words

    def is_marking(node: Any) -> bool:
        return isinstance(node, ast.Assign) and "pytestmark" in [getattr(each, "id", "") for each in node.targets]

    def described(node: Any) -> tuple[str, bool]:
        """Return what a mark says, and whether all of it stands there."""
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
        """Take note of the code that a file of tests has been given."""
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
        """Return the code of a file that tells of itself, None if there cannot be one."""
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
        """Have whatever is loaded from the judge's files from now on report itself."""

        def watched(self: Any, name: str) -> Any:
            path: Any = getattr(self, "path", None)
            # A large one is not a helper of tests, and would take its time.
            is_helper = type(path) is str and files.is_loaded(path) and os.stat(path).st_size < 1 << 18
            return (is_helper and compiled(path)) or get_code(self, name)

        loader.get_code = watched

    def state(path: str, names: tuple[str, ...]) -> bool | None:
        """Return whether the last run of a test came to its end; None if it did not run, or nobody would know."""
        found = [states.get(id(code)) for code in codes.get((real(path), names), ())]
        return True if True in found else False if False in found else None

    def forget(path: str, names: tuple[str, ...]) -> None:
        for code in codes.get((real(path), names), ()):
            states.pop(id(code), None)

    def is_observed(path: str, names: tuple[str, ...]) -> bool:
        return (real(path), names) in codes

    def tests_in(path: str, is_class: Callable[[Any, int], bool]) -> Iterator[tuple[str, ...]]:
        """Yield the names of the tests that a file plainly defines and that a runner must find in it.

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
        """Return the names of the tests that report themselves, and that a runner need not find in a file."""
        return [names for place, names in codes if place == real(path)]

    def may_be_left(path: str, names: tuple[str, ...], word: str) -> bool:
        """Whether a file may mean that a test is left out, or fails: it says so beside it, or leaves that open."""
        said, is_open = marks.get((real(path), names), ([], False))
        if any(word in text for text, _ in said):
            return True
        is_open = is_open or not all(whole for _, whole in said) or is_heard(path, *marking)
        return is_open and is_heard(path, *(("xfail", "expectedfailure") if word == "xfail" else (word,)))

    def is_heard(path: str, *words: str) -> bool:
        """Whether one of these words stands in a file of tests, or in one that it may have it from."""
        text = texts.get(real(path), "")
        for other in list(texts):
            name = os.path.basename(other)[: -len(".py")].lower()
            is_test = name != "conftest" and (name.startswith("test") or name.endswith("test"))
            if (other == real(path) or not is_test or name in text.lower()) and says(other, *words):
                return True
        return False

    def is_said(*words: str) -> bool:
        """Whether one of these words stands in any of the files."""
        return any(says(path, *words) for path in list(texts))

    def is_called(name: str) -> bool:
        """Whether a file calls the test of another class, which may then have to fail."""
        return name in called

    def says(path: str, *words: str) -> bool:
        """Whether one of these words stands in a file of tests, however it is written."""
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
