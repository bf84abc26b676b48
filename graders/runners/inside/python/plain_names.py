"""Finds what a file of the judge's plainly defines, in its syntax tree.

Plain is a function that no decorator but a mark changes, at the top of a file or of a class that nothing makes but
`class`, under a name that nothing else in the file binds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any


def plain_names() -> SimpleNamespace:
    import ast
    import types

    made = (ast.FunctionDef, ast.AsyncFunctionDef)
    # What lets a file bind names of its own that no statement shows.
    indirect = set("globals locals vars setattr exec eval modules import_module __dict__ __code__".split())

    def bound(body: list[Any]) -> tuple[dict[str, int], int]:
        """Return how often each name is bound in a scope, and the line of its last import of everything."""
        counts: dict[str, int] = {}
        star, waiting = 0, list(body)
        while waiting:
            node = waiting.pop()
            names = []
            if isinstance(node, (*made, ast.ClassDef)):
                names.append(node.name)
            elif isinstance(node, ast.alias):
                names.append((node.asname or node.name).partition(".")[0])
            elif isinstance(node, ast.Name):
                names += [] if isinstance(node.ctx, ast.Load) else [node.id]
            elif not isinstance(node, ast.Lambda):
                # Handlers of exceptions and patterns of `match` bind names that are not nodes.
                names += [name for name in (getattr(node, "name", None), getattr(node, "rest", None)) if name]
                waiting += ast.iter_child_nodes(node)
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                star = max(star, node.lineno)
            for name in names:
                counts[name] = counts.get(name, 0) + 1
        return counts, star

    def is_mark(decorator: Any) -> bool:
        """Whether a decorator is a mark of pytest's, which returns the function itself."""
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        return isinstance(named, ast.Attribute) and (
            getattr(named.value, "attr", None) == "mark" or getattr(named.value, "id", None) == "mark"
        )

    def is_patch(decorator: Any) -> bool:
        """Whether a decorator is unittest.mock's, which calls the function itself with something else patched."""
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        return "patch" in (getattr(named, "id", ""), getattr(named, "attr", "")) or (
            isinstance(named, ast.Attribute) and is_patch(named.value)
        )

    def is_simple_class(node: Any) -> bool:
        bases = {getattr(base, "attr", getattr(base, "id", None)) for base in node.bases}
        return bases <= {"object", "TestCase", "IsolatedAsyncioTestCase"}

    def plain_in(tree: Any) -> tuple[set[tuple[str, ...]], bool, set[tuple[str, ...]]]:
        """Return what a file plainly defines, if it binds other names, and what it defines less plainly.

        That are names, each with those of the classes around it. Less plain are functions that mocks are given to, and
        those of a class with a base of another kind: their code is called, by whatever they are called through.
        """
        found: set[tuple[str, ...]] = set()
        others: set[tuple[str, ...]] = set()
        waiting: list[tuple[tuple[str, ...], list[Any], bool]] = [((), tree.body, True)]
        nodes = list(ast.walk(tree))
        declared = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
        words = {getattr(node, field, None) for node in nodes for field in ("id", "attr")}
        words |= {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str}
        while waiting:
            place, body, is_plain = waiting.pop()
            counts, star = bound(body)
            for node in body:
                if (
                    not isinstance(node, (*made, ast.ClassDef))
                    or counts[node.name] != 1
                    or node.lineno < star
                    or node.name in declared
                    # Names of a class that begin like this are changed.
                    or (place and node.name.startswith("__") and not node.name.endswith("__"))
                    or not all(is_mark(each) or is_patch(each) for each in node.decorator_list)
                ):
                    continue
                if isinstance(node, made):
                    is_one = is_plain and all(map(is_mark, node.decorator_list))
                    (found if is_one else others).add((*place, node.name))
                elif not node.keywords:
                    is_one = is_plain and is_simple_class(node) and all(map(is_mark, node.decorator_list))
                    waiting.append(((*place, node.name), node.body, is_one))
        return found, not indirect.isdisjoint(words), others

    return types.SimpleNamespace(plain_in=plain_in, is_simple_class=is_simple_class)
