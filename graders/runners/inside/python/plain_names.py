"""Finds the plain definitions of a judge's file in its syntax tree.

A plain definition is a function with no decorators except marks, at the top level of a file or of a class without
metaclass, whose name nothing else in the file binds.
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
    # Names with which a file can bind names although no statement shows it.
    indirect = set("globals locals vars setattr exec eval modules import_module __dict__ __code__".split())

    def bound(body: list[Any]) -> tuple[dict[str, int], int]:
        """Return how often each name is bound in a scope, and the line of its last `import *`."""
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
                # Exception handlers and patterns of `match` bind names that are no nodes.
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
        """Whether a decorator is unittest.mock's `patch`, which calls the function itself."""
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        return "patch" in (getattr(named, "id", ""), getattr(named, "attr", "")) or (
            isinstance(named, ast.Attribute) and is_patch(named.value)
        )

    def is_simple_class(node: Any) -> bool:
        bases = {getattr(base, "attr", getattr(base, "id", None)) for base in node.bases}
        return bases <= {"object", "TestCase", "IsolatedAsyncioTestCase"}

    def plain_in(tree: Any) -> tuple[set[tuple[str, ...]], bool, set[tuple[str, ...]]]:
        """Return the plain definitions of a file, whether it may bind names indirectly, and less plain definitions.

        Definitions are names, each with those of the classes around it. Less plain are functions with `patch`, and
        those of a class with an unknown base: their code is called in the end, but perhaps through other code.
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
                    # Python mangles such names in a class.
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
