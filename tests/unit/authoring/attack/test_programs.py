"""The programs of the cheats, and the sources that they become."""

from __future__ import annotations

import ast
import json

import pytest

from gradebox.graders import languages
from gradebox.graders.authoring.attack.programs import about, composed, filled, is_called, programs, suffix
from gradebox.graders.languages.definitions import Definition, DefinitionKind

NAMES = (
    Definition("f"),
    Definition("later", DefinitionKind.ASYNC_FUNCTION),
    Definition("Bad", DefinitionKind.ERROR),
    Definition("LIMIT", DefinitionKind.VALUE),
    Definition("Account", DefinitionKind.CLASS, ("pay",), ("balance",)),
)
VALUES = {
    "reports": ("a.xml",),
    "scripts": ("grading/a.py",),
    "imports": ("json",),
    "brought": ("a.py", "b.py"),
    "expected": ("grading/expected.txt",),
    "defined": ("f", "g"),
    "mocked": ("add",),
    "uncalled": ("add",),
    "words": 'the "task" $x',
    "stealing": ["x = 1\n"] * 6,
}
PYTHON = [(name, texts[".py"]) for name, texts in programs().items() if ".py" in texts]


def defined(source: str) -> dict[str, object]:
    names: dict[str, object] = {"__name__": "brought"}
    exec(source, names)
    return names


def test_every_program_says_what_it_does() -> None:
    said = {name: about(texts) for name, texts in programs().items()}
    assert {name for name, text in said.items() if not text.endswith(".")} == set()


@pytest.mark.parametrize(("name", "text"), PYTHON, ids=[name for name, _ in PYTHON])
def test_a_program_of_python_fits_any_file(name: str, text: str) -> None:
    ast.parse(composed("python", filled(text, VALUES), NAMES, "", "from __future__ import annotations\nx = 1\n"))


def test_functions_and_classes_become_the_answer() -> None:
    found = defined(composed("python", "def answer(*args, **kwargs):\n    return 7\n", NAMES, "", "def f(): ...\n"))
    account = found["Account"](1, name="x")  # type: ignore[operator]
    assert (found["f"](1, 2), found["LIMIT"]) == (7, 7)  # type: ignore[operator]
    assert (account.pay(3), account.balance, account.anything()) == (7, 7, 7)
    assert issubclass(found["Bad"], Exception)  # type: ignore[arg-type]


def test_exceptions_become_the_error() -> None:
    found = defined(composed("python", "error = AssertionError\n", NAMES, "", ""))
    assert found["Bad"] is AssertionError


def test_functions_and_classes_become_classes_of_one_family() -> None:
    names = (Definition("Basket", DefinitionKind.CLASS, ("total",)), Definition("mean"))
    found = defined(composed("python", programs()["equal/class"][".py"], names, "", "def mean(): ...\n"))
    basket, mean = found["Basket"], found["mean"]
    assert isinstance(basket, type)
    assert isinstance(mean, type)
    for value in (basket(2).total(), mean([1, 2])):
        assert isinstance(value, basket)
        assert isinstance(value, mean)
        assert abs(value - 1.5) < 1e-9 < value
        assert "jam" in value
        assert round(value - 1.5, 7) == 0


def test_what_the_workspace_has_stays_and_its_main_part_comes_last() -> None:
    start = "from __future__ import annotations\n@len\ndef g(): ...\nif __name__ == '__main__':\n    f()\n"
    text = composed("python", "import os\n", NAMES[:1], "", start.replace("@len\n", ""))
    lines = [line for line in text.splitlines() if line and line[0] != " "]
    assert lines[0] == "from __future__ import annotations"
    assert lines.index("import os") < lines.index("def g(): ...") < lines.index("def f(*args, **kwargs):")
    assert lines[-1] == "if __name__ == '__main__':"


def test_a_workspace_that_cannot_be_read_is_replaced() -> None:
    assert "def (" not in composed("python", "", (), "", "def (")


def test_a_script_exports_in_the_way_of_the_solution() -> None:
    names = (Definition("a"), Definition("default"), Definition("C", DefinitionKind.CLASS))
    text = composed("javascript", "", names, "export default 1;", None)
    assert "export const a = (...args) => answer(...args);" in text
    assert "export default (...args)" in text
    assert "export const C = _Brought;" in text
    older = composed("javascript", "", (Definition("a"), Definition("")), "module.exports = {}", None)
    assert "module.exports.a = " in older
    assert "module.exports = (" in older
    assert "import " not in older


def test_a_module_of_julia_stays_a_module() -> None:
    text = composed("julia", "", (Definition("f"), Definition("S", DefinitionKind.CLASS)), "module Bank\nend", None)
    assert text.startswith("module Bank\nexport f, S\n")
    assert "f(args...; kwargs...) = answer(args...; kwargs...)" in text


def test_placeholders_become_lists_and_words() -> None:
    assert filled("x = @reports@", VALUES) == 'x = ["a.xml"]'
    assert filled("for p in @reports_words@", VALUES) == "for p in a.xml"
    assert filled("@words_plain@ @other@", VALUES) == 'the "task" $x @other@'
    assert json.loads(filled("@words@", VALUES)) == VALUES["words"]
    assert "$" not in filled("@words@", VALUES)


def test_a_program_that_only_answers_is_told_apart() -> None:
    assert is_called(programs()["exit/in-call"][".py"])
    assert is_called(programs()["exit/in-call"][".mjs"])
    assert not is_called(programs()["exit/at-load"][".py"])
    assert not is_called(programs()["exit/by-signal"][".py"])


def test_no_suffix_is_unknown() -> None:
    known = {suffix(name) for name in ("", *languages.names())}
    assert {end for texts in programs().values() for end in texts} <= known
