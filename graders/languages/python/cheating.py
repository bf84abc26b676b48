"""Makes Python sources that cheat, by parsing Python. Pure."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from gradebox.graders.documents.python_source import parse_python
from gradebox.graders.languages.definitions import Definition, DefinitionKind

SUFFIX = ".py"
COMMENT = "#"
_IMPORTED_NAMES = re.compile(r"^\s*from\s+([A-Za-z_][\w.]*)\s+import\s+([\w ,]+)", re.MULTILINE)
_PYTEST = "[pytest]\naddopts = -p no:terminal -p forged\npython_files = none.py\n"

_PYTHON_CLASS = """
class _Brought:
    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _answer
"""


def definitions(text: str, start: str | None) -> Iterator[Definition]:
    """Yield the definitions in a source, without those that are the same in `start`."""
    tree, before = _parsed(text), _parsed(start or "")
    same = {ast.dump(node) for node in before.body} if before else set()
    errors = {
        name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
    }
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id in errors for base in node.bases
        ):
            # A class that is raised must be an error, unlike values, which are only compared.
            errors.add(node.name)
            if ast.dump(node) not in same:
                yield Definition(node.name, DefinitionKind.ERROR)
        elif ast.dump(node) not in same:
            yield from _of_statement(node)


def imported(path: str, texts: Iterable[str]) -> Iterator[Definition]:
    """Yield the names that texts import from a missing file."""
    module = path.removesuffix(SUFFIX).replace("/", ".")
    listed = [names for text in texts for name, names in _IMPORTED_NAMES.findall(text) if name == module]
    return (Definition(name.split()[0]) for names in listed for name in names.split(",") if name.strip())


def _of_statement(node: ast.stmt) -> Iterator[Definition]:
    match node:
        case ast.FunctionDef(name=name):
            yield Definition(name)
        case ast.AsyncFunctionDef(name=name):
            yield Definition(name, DefinitionKind.ASYNC_FUNCTION)
        case ast.ClassDef(name=name):
            methods = [
                each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("__")
            ]
            properties = {each.name for each in methods if any(_name(d) == "property" for d in each.decorator_list)}
            plain = tuple(each.name for each in methods if each.name not in properties)
            yield Definition(name, DefinitionKind.CLASS, plain, tuple(sorted(properties)))
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            is_function = isinstance(value, ast.Lambda)
            yield Definition(name, DefinitionKind.FUNCTION if is_function else DefinitionKind.VALUE)
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield Definition(name, DefinitionKind.VALUE)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def composed(program: str, defined: Sequence[Definition], _source: str, start: str) -> str:
    """Return the source of a file that cheats."""
    tree = _parsed(start)
    lines = start.splitlines(keepends=True) if tree else []
    head: list[str] = []
    body: list[str] = []
    main: list[str] = []
    for node in tree.body if tree else ():
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        part = "".join(lines[first - 1 : node.end_lineno])
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        is_main = isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
        (head if is_future else main if is_main else body).append(f"{part.rstrip()}\n")
    own = (
        "_answer = answer\n"
        if re.search(r"^(?:def|class) answer\b", program, re.MULTILINE)
        else "_answer = lambda *_, **__: None\n"
    )
    brought = _PYTHON_CLASS if any(each.kind is DefinitionKind.CLASS for each in defined) else ""
    if re.search(r"^class answer\b", program, re.MULTILINE):
        classes = [each.name for each in defined if each.kind in (DefinitionKind.FUNCTION, DefinitionKind.CLASS)]
        overrides = "".join(f"class {name}({base}):\n    pass\n\n\n" for base, name in pairwise(("_answer", *classes)))
        defined = [each for each in defined if each.name not in classes]
    else:
        overrides = ""
    if re.search(r"^error = ", program, re.MULTILINE):
        overrides += "".join(f"{each.name} = error\n" for each in defined if each.kind is DefinitionKind.ERROR)
        defined = [each for each in defined if each.kind is not DefinitionKind.ERROR]
    overrides += "".join(map(_definition, defined))
    return f"{''.join(head)}{program}\n{own}{brought}\n{''.join(body)}\n{overrides}{''.join(main)}"


def _definition(defined: Definition) -> str:
    name = defined.name
    match defined.kind:
        case DefinitionKind.FUNCTION:
            return f"def {name}(*args, **kwargs):\n    return _answer(*args, **kwargs)\n\n\n"
        case DefinitionKind.ASYNC_FUNCTION:
            return f"async def {name}(*args, **kwargs):\n    return _answer(*args, **kwargs)\n\n\n"
        case DefinitionKind.ERROR:
            return f"class {name}(Exception):\n    pass\n\n\n"
        case DefinitionKind.VALUE:
            return f"{name} = _answer()\n"
        case DefinitionKind.CLASS:
            methods = (
                f"    def {each}(self, *args, **kwargs):\n        return _answer(*args, **kwargs)\n"
                for each in defined.methods
            )
            values = (
                f"    @property\n    def {each}(self):\n        return _answer()\n" for each in defined.properties
            )
            return f"class {name}(_Brought):\n    pass\n{''.join(methods)}{''.join(values)}\n\n"


def control_files(forged: str, directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield files that Python and its test runners load before any test, beside tests and in the workspace."""
    for directory in directories:
        yield f"{directory}conftest.py", forged
    for name in ("sitecustomize", "usercustomize", "forged"):
        yield f"{name}.py", forged
    yield "forged.pth", "import forged\n"
    yield "pytest.ini", _PYTEST
