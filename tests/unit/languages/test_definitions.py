"""Which names a source defines."""

from __future__ import annotations

import pytest

from gradebox.graders.authoring.attack.programs import definitions
from gradebox.graders.languages.definitions import Definition, DefinitionKind

F, V, C = DefinitionKind.FUNCTION, DefinitionKind.VALUE, DefinitionKind.CLASS


def kinds(language: str, text: str, start: str | None = None) -> dict[str, DefinitionKind]:
    return {each.name: each.kind for each in definitions(language, text, start)}


def test_python_is_parsed() -> None:
    text = (
        "import re\nLIMIT = 3\nadd = lambda a, b: a + b\nasync def load(): ...\nclass Missing(KeyError): ...\n"
        "class Gone(Missing): ...\n"
        "class Account:\n    def __init__(self): ...\n    def pay(self): ...\n"
        "    @property\n    def balance(self): ...\n"
    )
    assert kinds("python", text) == {
        "LIMIT": V,
        "add": F,
        "load": DefinitionKind.ASYNC_FUNCTION,
        "Missing": DefinitionKind.ERROR,
        "Gone": DefinitionKind.ERROR,
        "Account": C,
    }
    assert definitions("python", text)[-1] == Definition("Account", C, ("pay",), ("balance",))


def test_what_the_workspace_has_already_is_left_out() -> None:
    assert kinds("python", "def a(): return 1\ndef b(): return 2\n", "def a(): return 1\ndef b(): ...\n") == {"b": F}


@pytest.mark.parametrize("text", ["def (", "\0", "(" * 5000])
def test_python_that_cannot_be_read_defines_nothing(text: str) -> None:
    assert definitions("python", text) == ()


def test_exports_of_modules_are_found() -> None:
    text = (
        "export function a() {}\nexport async function b() {}\nexport const c = (x) => x;\nexport const d = [1];\n"
        "export class E {}\nexport default function main() {}\nconst f = 1, g = 2;\nexport { f, g as h };\n"
        "export type T = string;\nexport interface I {}\n"
    )
    assert kinds("typescript", text) == {"a": F, "b": F, "c": F, "d": V, "E": C, "default": F, "f": F, "h": F}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("module.exports = { a, b: c };", {"a", "b"}),
        ("exports.a = 1;\nmodule.exports.b = 2;", {"a", "b"}),
        ("module.exports = function () {};", {""}),
        ("module.exports = parse;", {""}),
    ],
)
def test_exports_of_older_modules_are_found(text: str, names: set[str]) -> None:
    assert set(kinds("javascript", text)) == names


def test_julia_and_bash_are_read_line_by_line() -> None:
    text = "const LIMIT = 3\nmutable struct Bank\nend\nadd(a, b) = a + b\nfunction pay!(x)\nend\ny = add(1, 2)\n"
    assert kinds("julia", text) == {"LIMIT": V, "Bank": C, "add": F, "pay!": F}
    assert kinds("bash", "slugify() {\n}\nfunction shout {\n}\necho x\n") == {"slugify": F, "shout": F}
    assert definitions("", "x") == ()
