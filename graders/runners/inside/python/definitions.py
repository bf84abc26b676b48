"""Compares the definitions in the judge's files with the code that runs.

Candidate's code that a test imports can reach the importing module, give its functions other code, or replace them. So
every plain definition of such a file (plain_names.py) must have the code that was compiled from the file. Only files
that the candidate does not own are checked.

Honest code wraps tests, patches helpers for a while, and builds functions from text. So code compiled from a file that
the candidate does not own may replace a helper, and code of a plugin may replace a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.runners.inside.python.plain_names import plain_names

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from types import CodeType, SimpleNamespace
    from typing import Any


def definitions(tools: SimpleNamespace) -> SimpleNamespace:
    import ast
    import builtins
    import functools
    import importlib.machinery
    import os
    import sys
    import types

    compile_source: Any = builtins.compile
    open_file, read, close, stat, uid = os.open, os.read, os.close, os.stat, os.geteuid()
    code_type, function_type, method_type, partial = (
        types.CodeType,
        types.FunctionType,
        types.MethodType,
        functools.partial,
    )
    module_type, source_loader, modules = types.ModuleType, importlib.machinery.SourceFileLoader, sys.modules
    simple = (int, float, complex, bool, str, bytes, type(None), type(...))
    compared = (
        "co_name co_argcount co_posonlyargcount co_kwonlyargcount co_flags co_code co_names co_varnames co_freevars "
        "co_cellvars co_consts"
    ).split()
    library = os.path.dirname(os.__file__)
    names_in = plain_names()
    plain_in = names_in.plain_in

    rewritten: dict[str, list[CodeType]] = {}
    plain: dict[str, Any] = {}
    trees: dict[str, CodeType | None] = {}
    ours: dict[str, bool] = {}
    texts: dict[str, bytes] = {}
    spoken: set[str] = set()
    tests: set[str] = set()

    def is_judges(path: str) -> bool:
        """Whether a file exists and the candidate does not own it."""
        if path not in ours:
            try:
                ours[path] = stat(path).st_uid != uid
            except (OSError, ValueError):
                ours[path] = False
        return ours[path]

    def is_owned(path: str) -> bool:
        try:
            return stat(path).st_uid == uid
        except (OSError, ValueError):
            return False

    def source_of(path: str) -> bytes:
        descriptor = open_file(path, os.O_RDONLY)
        try:
            return b"".join(iter(lambda: read(descriptor, 1 << 20), b""))
        finally:
            close(descriptor)

    def parsed(source: bytes, path: str) -> ast.Module:
        tree: ast.Module = compile_source(source, path, "exec", ast.PyCF_ONLY_AST, True)
        return tree

    def inside(code: CodeType) -> Iterator[CodeType]:
        """Yield a code object and all code objects nested in it."""
        waiting = [code]
        while waiting:
            held = waiting.pop()
            yield held
            waiting += [part for part in held.co_consts if type(part) is code_type]

    def at(code: CodeType, names: tuple[str, ...]) -> CodeType | None:
        """Return the code object nested in a module's under these names, None if it is missing or ambiguous."""
        for name in names:
            found = [part for part in code.co_consts if type(part) is code_type and part.co_name == name]
            if len(found) != 1:
                return None
            code = found[0]
        return code

    def same(one: Any, other: Any) -> bool:
        """Whether two constants, code objects included, are equal; this runs no code of the candidate."""
        if one is other:
            return True
        if type(one) is not type(other):
            return False
        if type(one) is code_type:
            return all(same(getattr(one, name, None), getattr(other, name, None)) for name in compared)
        if type(one) is tuple:
            return len(one) == len(other) and all(map(same, one, other))
        if type(one) is frozenset:
            return len(one) == len(other) and all(any(same(part, wanted) for wanted in other) for part in one)
        if type(one) in (float, complex):
            return repr(one) == repr(other)
        return type(one) in simple and one == other

    def tree_of(path: str) -> CodeType | None:
        """Return the code of a file compiled without changes, None if it does not compile."""
        if path not in trees:
            try:
                trees[path] = compile_source(source_of(path), path, "exec", 0, True)
            except Exception:
                trees[path] = None
        return trees[path]

    def codes_of(path: str) -> Iterator[CodeType]:
        """Yield the code objects of a file: as pytest has rewritten it, and unchanged."""
        yield from rewritten.get(path, ())
        plain_code = tree_of(path)
        if plain_code is not None:
            yield plain_code

    def is_from(code: CodeType, path: str) -> bool:
        """Whether a code object was compiled from a file."""
        for whole in codes_of(path):
            for part in inside(whole):
                if part is code or (part.co_name == code.co_name and same(part, code)):
                    return True
        return False

    def function_of(thing: Any) -> Any:
        """Return the function behind methods and partials, None if there is none."""
        for _ in range(20):
            if type(thing) is method_type:
                thing = thing.__func__
            elif type(thing) is partial:
                thing = thing.func
            else:
                break
        return thing if type(thing) is function_type else None

    def loaded(path: str, code: CodeType, names: Any = None, is_test: bool = True) -> None:
        """Record the code that a file was compiled to here, and what `plain_in` found in the file."""
        if is_judges(path):
            rewritten.setdefault(path, []).append(code)
            if is_test:
                tests.add(path)
            if names is not None:
                plain[path] = names

    def is_loaded(path: str) -> bool:
        """Whether a file is the judge's and not installed: installed packages may patch each other."""
        return "-packages/" not in path and not path.startswith(library) and is_judges(path)

    def file_of(module: Any) -> str:
        """Return the judge's file from which a module was loaded in a known way, "" for any other module."""
        if type(module) is not module_type:
            return ""
        path = module.__dict__.get("__file__")
        if type(path) is not str or not is_loaded(path):
            return ""
        spec = module.__dict__.get("__spec__")
        return path if path in rewritten or type(getattr(spec, "loader", None)) is source_loader else ""

    def plain_of(path: str) -> Any:
        if path not in plain:
            try:
                plain[path] = plain_in(parsed(source_of(path), path))
            except Exception:
                plain[path] = set(), False, set()
        return plain[path]

    def stands(function: Any, module: Any, path: str, names: tuple[str, ...], test: Any) -> bool:
        """Whether a function is the one that a file defines under these names, or may replace it."""
        code, known = function.__code__, False
        for whole in codes_of(path):
            known, wanted = True, at(whole, names)
            if wanted is None or same(wanted, code):
                return True
        if not known:
            return True
        loose = plain_of(path)[1]
        if function.__globals__ is not module.__dict__:
            return is_judges(code.co_filename) and is_from(code, code.co_filename)
        if is_from(code, path):
            return loose or not (test or function.__qualname__ == ".".join(names))
        return loose and not is_owned(code.co_filename)

    def altered(module: Any, strict: bool = False, swapped: bool = False) -> Iterator[str]:
        """Yield a sentence for each definition of a module that differs from its file.

        strict: whether a value that is no function counts, for times when no test can have patched it.
        swapped: whether only changed code of the module's own functions counts, while a test may have patched it.
        """
        path = file_of(module)
        if not path:
            return
        for names in plain_of(path)[0]:
            namespace, found = module.__dict__, module
            for name in names:
                found = namespace.get(name, stat)
                namespace = type.__getattribute__(found, "__dict__") if issubclass(type(found), type) else {}
            function = found if type(found) is function_type else None
            if function is None:
                wrong = strict
            elif swapped and function.__qualname__ != ".".join(names):
                wrong = False
            else:
                wrong = not stands(function, module, path, names, False)
            if wrong:
                yield "{} in {} is not what the file defines".format(".".join(names), path)

    def exchanged(thing: Any, module: Any, names: tuple[str, ...]) -> str:
        """Return what is wrong with the object called for a test that a file plainly defines, "" if nothing is."""
        path = file_of(module)
        if not path or names not in plain_of(path)[0]:
            return ""
        function = function_of(thing)
        wrong = bool(tools.origin(type(thing))) if function is None else not stands(function, module, path, names, True)
        return "the test {} in {} is not what the file defines".format(".".join(names), path) if wrong else ""

    def is_judges_code(code: CodeType) -> bool:
        """Whether a code object was really compiled from a judge's file, and does not just carry the file's name."""
        return is_loaded(code.co_filename) and is_from(code, code.co_filename)

    def says(word: str) -> bool:
        """Whether a word occurs in one of the loaded judge's files."""
        if word not in spoken:
            for path in filter(None, map(file_of, list(modules.values()))):
                if path not in texts:
                    texts[path] = source_of(path)
                if word.encode() in texts[path]:
                    spoken.add(word)
        return word in spoken

    def judges_modules() -> list[Any]:
        """Return the modules that were loaded from the judge's test files."""
        return [module for module in list(modules.values()) if file_of(module) in tests]

    return types.SimpleNamespace(
        loaded=loaded,
        altered=altered,
        exchanged=exchanged,
        judges_modules=judges_modules,
        source_of=source_of,
        parsed=parsed,
        plain_in=plain_in,
        is_simple_class=names_in.is_simple_class,
        is_judges=is_judges,
        is_loaded=is_loaded,
        is_judges_code=is_judges_code,
        says=says,
    )
