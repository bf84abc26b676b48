"""Reports the comparisons in the judge's assertions.

A comparison raises an audit event with both sides: `gradebox.equal`, or `gradebox.in` for `in`. Code in the same
process can replace any global, including `sys.audit`. So the compiled code has the function itself as a constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, SimpleNamespace
    from typing import Any


def reported_comparisons() -> SimpleNamespace:
    import ast
    import sys
    import types

    audit, word = sys.audit, "@gradebox.audit"
    # Expressions that cannot be moved into the comprehension that evaluates both sides first.
    bound = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Starred)
    names, methods = ("@left", "@right"), set()
    for kind in "Equal Equals AlmostEqual In ListEqual TupleEqual SequenceEqual SetEqual DictEqual CountEqual".split():
        methods.add("assert" + kind)

    def event_call(event: str, *values: Any) -> Any:
        """Return the call that raises an event."""
        # Calling a plain constant would cause a warning of the compiler.
        function = ast.IfExp(ast.Constant(1), ast.Constant(word), ast.Constant(1))
        return ast.Call(function, [ast.Constant(event), *values], [])

    def placed(new: Any, old: Any) -> Any:
        for part in ast.walk(new):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, old)
        return new

    def sealed(code: CodeType) -> CodeType:
        """Return a code object in which the calls made by `event_call` call the real `sys.audit`."""
        kind = type(code)
        constants = tuple(
            sealed(part) if type(part) is kind else audit if part == word else part for part in code.co_consts
        )
        return code.replace(co_consts=constants)

    def where(node: Any) -> tuple[int, ...]:
        return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset

    def truths(node: Any) -> Iterator[Any]:
        """Yield the comparisons in an expression whose result is only used as a truth value."""
        if isinstance(node, ast.Compare):
            if isinstance(node.ops[0], (ast.Eq, ast.In)):
                yield node
            return
        parts = []
        if isinstance(node, ast.BoolOp):
            parts = node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            parts = [node.operand]
        elif isinstance(node, ast.IfExp):
            parts = [node.test, node.body, node.orelse]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("all", "any"):
            parts = [each.elt for each in node.args if isinstance(each, (ast.GeneratorExp, ast.ListComp))]
            parts += [elt for each in node.args if isinstance(each, (ast.List, ast.Tuple)) for elt in each.elts]
        for part in parts:
            yield from truths(part)

    def is_method(node: Any) -> bool:
        return getattr(node.func, "attr", "") in methods and len(node.args) > 1

    def is_watched(node: Any) -> bool:
        """Whether a comparison can be reported, and is not one in which pytest looks up a variable by its name."""
        called = getattr(node.comparators[0], "func", None)
        is_asked = getattr(called, "attr", "") == "locals" and getattr(
            getattr(called, "value", None), "id", ""
        ).startswith("@")
        # In a chain, a later operand is evaluated only if the earlier comparisons are true, so it must be constant.
        is_whole = all(isinstance(part, ast.Constant) for part in node.comparators[1:])
        return isinstance(node.ops[0], (ast.Eq, ast.In)) and is_whole and not is_asked

    def asserted(tree: Any) -> set[tuple[int, ...]]:
        """Return the positions of the comparisons on which a file's assertions depend."""
        found = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert):
                places = {where(part) for part in truths(node.test)}
                # Older versions of pytest give all parts of an assertion the position of the whole.
                found |= places | ({where(node)} if places else set())
            elif isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "attr", "")
                if name in ("assertTrue", "assertFalse"):
                    found.update(map(where, truths(node.args[0])))
                elif is_method(node):
                    found.add(where(node))
        return found

    def observed(left: Any, right: Any, is_in: bool, result: Any, node: Any) -> Any:
        """Return an expression that evaluates two sides, reports them, and gives the value that `result` makes."""
        if any(isinstance(part, bound) for side in (left, right) for part in ast.walk(side)):
            return None
        values = [ast.Name(name, ast.Load()) for name in names]
        pair = ast.Tuple(
            [event_call("gradebox.in" if is_in else "gradebox.equal", *values), result(*values)], ast.Load()
        )
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        sides = ast.Tuple([ast.Tuple([left, right], ast.Load())], ast.Load())
        made = ast.ListComp(ast.Subscript(pair, ast.Constant(1), ast.Load()), [ast.comprehension(target, sides, [], 0)])
        return placed(ast.Subscript(made, ast.Constant(0), ast.Load()), node)

    def truth(node: Any, left: Any, right: Any) -> Any:
        return ast.UnaryOp(
            ast.Not(), ast.UnaryOp(ast.Not(), ast.Compare(left, node.ops, [right, *node.comparators[1:]]))
        )

    class Watch(ast.NodeTransformer):
        def __init__(self, places: set[tuple[int, ...]]) -> None:
            self.places, self.found = places, 0

        def visit_Compare(self, node: Any) -> Any:
            self.generic_visit(node)
            if where(node) not in self.places or not is_watched(node):
                return node
            is_in = isinstance(node.ops[0], ast.In)
            new = observed(node.left, node.comparators[0], is_in, lambda *sides: truth(node, *sides), node)
            if new is None:
                return node
            self.found += 1
            # A traceback marks the failed part of an assertion only if that part is a comparison.
            return placed(ast.Compare(new, [ast.Is()], [ast.Constant(True)]), node)

        def visit_Call(self, node: Any) -> Any:
            self.generic_visit(node)
            if where(node) in self.places and is_method(node):
                is_in = node.func.attr == "assertIn"
                new = observed(node.args[0], node.args[1], is_in, lambda *sides: ast.Tuple([*sides], ast.Load()), node)
                if new is not None:
                    self.found += 1
                    node.args[:2] = [placed(ast.Starred(new, ast.Load()), node)]
            return node

    def watch(tree: Any, places: set[tuple[int, ...]]) -> int:
        """Make the comparisons at these positions of a file report themselves; return their number."""
        changed = Watch(places)
        if places:
            changed.visit(tree)
        return changed.found

    return types.SimpleNamespace(event_call=event_call, placed=placed, sealed=sealed, asserted=asserted, watch=watch)
