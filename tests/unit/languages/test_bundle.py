"""The bundler: one source text of what runs together inside a sandbox."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graders.languages.bundle import bundle, compiled_elsewhere

PACKAGE = {
    "inside/__init__.py": "",
    "inside/low.py": (
        '"""Low."""\n\nfrom __future__ import annotations\n\n\ndef low(x: int) -> int:\n    return x + 1\n'
    ),
    "inside/middle.py": (
        "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\n"
        "from bundled.inside.low import low\n\nif TYPE_CHECKING:\n    import ast\n\n\n"
        "def middle(node: ast.AST | None) -> int:\n    return low(1)\n"
    ),
    "inside/main.py": (
        "from bundled.inside.low import low\nfrom bundled.inside.middle import middle\n\n"
        'if __name__ == "__main__":\n    print(low(0), middle(None))\n'
    ),
    "__init__.py": "",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path, text in PACKAGE.items():
        place = tmp_path / "bundled" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "bundled" / "inside"


def test_a_module_comes_after_those_that_it_imports_each_once(package: Path) -> None:
    text = bundle(package / "main.py")
    assert text.startswith("from __future__ import annotations\n")
    assert [text.count(name) for name in ("def low", "def middle", "import ")] == [1, 1, 1]
    assert text.index("def low") < text.index("def middle") < text.index("print(")
    ran = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "1 2\n"


def test_a_program_is_the_same_when_it_was_compiled_elsewhere() -> None:
    text = compiled_elsewhere("import sys\nprint(__name__, sys.argv[1:], 'it\\'s')\n")
    for env in ({}, {"GRADEBOX_SERVES": "1"}):
        words = [sys.executable, "-I", "-c", text, "a"]
        ran = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
        assert ran.stdout == "__main__ ['a'] it's\n"


def test_other_files_are_joined_as_they_are(tmp_path: Path) -> None:
    for name in ("a.js", "b.js"):
        (tmp_path / name).write_text(f"// {name}\nimport x from 'y';\n", "utf-8")
    assert (
        bundle(tmp_path / "b.js", tmp_path / "a.js") == "// b.js\nimport x from 'y';\n\n// a.js\nimport x from 'y';\n"
    )
