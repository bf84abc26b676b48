# How pytest loads files of tests, and what is seen of them there. guard.py, definitions.py and witness.py go before this.
#
# pytest rewrites asserts. The files are read and compiled here in its stead, those that are known before candidate's code
# is loaded, so that nothing which that does to reading, rewriting or byte code makes other tests of them. Comparisons
# with `==` in rewritten asserts are looked at by an audit hook, which that code reaches without a name of its own.


def load_pytest():
    """Import pytest with all that it is made of."""
    import importlib

    import pytest
    from _pytest import config
    from _pytest.assertion import rewrite

    for name in getattr(config, "default_plugins", ()):
        importlib.import_module("_pytest." + name)
    return pytest, config, rewrite


def listen(rewrite, tools, files, seen, note):
    """Have files of tests loaded, and comparisons looked at, as above.

    Returns what reads a file of tests before it is asked for; None if this pytest does not load files as others do.
    """
    import ast
    import os
    import sys

    stat, compile_tree, original = os.stat, compile, rewrite.rewrite_asserts

    def hear(event, arguments):
        if event == "gradebox.equal":
            try:
                forged = tools.always_equal(*arguments)
            except Exception:
                return
            if forged:
                note("control", "an assertion compared two values of which " + forged)

    class Compared(ast.NodeTransformer):
        def visit_Assign(self, node):
            value, target = node.value, node.targets[0]
            if not (
                isinstance(target, ast.Name)
                and target.id.startswith("@py_assert")
                and isinstance(value, ast.Compare)
                and len(value.ops) == 1
                and isinstance(value.ops[0], ast.Eq)
            ):
                return node
            sides = [value.left, value.comparators[0]]
            if not all(isinstance(side, (ast.Name, ast.Constant)) for side in sides):
                return node
            heard = ast.parse("__import__('sys').audit('gradebox.equal')").body[0]
            heard.value.func.value.func = ast.Attribute(ast.Name("@py_builtins", ast.Load()), "__import__", ast.Load())
            heard.value.args += [ast.Name(s.id, ast.Load()) if isinstance(s, ast.Name) else s for s in sides]
            for part in ast.walk(heard):
                ast.copy_location(part, node)
            return [node, heard]

    def rewrite_asserts(tree, *arguments, **options):
        original(tree, *arguments, **options)
        Compared().visit(tree)

    rewrite.rewrite_asserts = rewrite_asserts
    sys.addaudithook(hear)
    known = {}
    rewrite_test = getattr(rewrite, "_rewrite_test", None)
    wanted = getattr(rewrite_test, "__code__", hear.__code__).co_varnames[:2]
    if not hasattr(rewrite, "_read_pyc") or wanted != ("fn", "config"):
        return None

    def prepare(path, config):
        found, source = stat(path), files.source_of(path)
        tree = files.parsed(source, path)
        plain = files.plain_in(tree)
        rewrite_asserts(tree, source, path, config)
        is_test = files.is_judges(path) and "-packages/" not in path
        if is_test:
            seen.plant(tree, plain[0])
        code = compile_tree(tree, path, "exec", 0, True)
        files.loaded(path, code, plain)
        if is_test:
            seen.loaded(path, source, code, plain[0])
        known[path] = found, code

    def _rewrite_test(fn, config):
        path = str(fn)
        if path not in known:
            try:
                prepare(path, config)
            except (OSError, SyntaxError, ValueError):
                return rewrite_test(fn, config)
        return known[path]

    rewrite._rewrite_test, rewrite._read_pyc = _rewrite_test, lambda *arguments: None
    return prepare
