"""The bundler: one source text of what runs together inside a sandbox."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.graders.languages.bundle import bundle, compiled_elsewhere
from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.language import INSIDE, inside

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


def test_comments_and_docstrings_are_left_out_and_texts_are_kept(package: Path) -> None:
    (package / "main.py").write_text(
        '"""Main."""\n\nTEXT = """\n    # kept\n\n  too\n"""\n\n\n# A reason.\ndef f(x):\n    """Say."""\n'
        "    if x:\n        # Another.\n        return [\n            x,\n        ]\n    return TEXT\n\n\n"
        'class A:\n    """All that it has."""\n\n\nprint(repr(f(0)), f(1), A.__doc__)\n',
        "utf-8",
    )
    text = bundle(package / "main.py")
    assert "reason" not in text
    assert "Say" not in text
    ran = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "'\\n    # kept\\n\\n  too\\n' [1] All that it has.\n"


def test_a_program_is_the_same_when_it_was_compiled_elsewhere() -> None:
    text = compiled_elsewhere("import sys\nprint(__name__, sys.argv[1:], 'it\\'s')\n")
    for env in ({}, {"GRADEBOX_SERVES": "1"}):
        words = [sys.executable, "-I", "-c", text, "a"]
        ran = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
        assert ran.stdout == "__main__ ['a'] it's\n"


def test_other_files_are_joined_without_indentation_and_lines_that_are_comments(tmp_path: Path) -> None:
    for name in ("a.js", "b.js"):
        (tmp_path / name).write_text(
            f"// {name}\n  //\n  // @ts-ignore\nimport x from '{name}'; // said\n  /* kept */\n", "utf-8"
        )
    assert bundle(tmp_path / "b.js", tmp_path / "a.js") == (
        "// @ts-ignore\nimport x from 'b.js'; // said\n/* kept */\n"
        "// @ts-ignore\nimport x from 'a.js'; // said\n/* kept */\n"
    )


LONG = """
const first = [
  1,
  ...rest,
];
const pick = (word) => (word === undefined ? false : /[ =>/]+ (x) =>/.test(word));
async function go(count) {
  return `${count} => ${first.map((x) => x / 2)} undefined` + 'true => "' + (await pick(async (x) => true));
}
const nested = `a ${first ? ` : ${rest} : ` : ""}`;
"""
SHORT = (
    "let first=[1,...rest];let pick=word=>(word===void 0?!1:/[ =>/]+ (x) =>/.test(word));async function go(count)"
    "{return `${count} => ${first.map((x) => x / 2)} undefined`+'true => \"'+(await pick(async(x)=>!0))}"
    'const nested = `a ${first ? ` : ${rest} : ` : ""}`;'
)


def test_a_program_of_javascript_is_short_and_means_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(LONG, "utf-8")
    assert bundle(tmp_path / "a.js") == SHORT
    # In TypeScript, some of these words are types.
    (tmp_path / "a.ts").write_text("const a: true | undefined = undefined;\n", "utf-8")
    assert bundle(tmp_path / "a.ts") == "let a:true | undefined=undefined;"


def test_a_program_of_python_holds_the_boundary_itself(package: Path) -> None:
    main = "import json\nfrom gradebox.graders.languages.inside.boundary import BOUNDARY\nprint(json.dumps(BOUNDARY))\n"
    (package / "main.py").write_text(main, "utf-8")
    ran = subprocess.run(
        [sys.executable, "-I", "-c", bundle(package / "main.py")], capture_output=True, text=True, check=True
    )
    told = json.loads(ran.stdout)
    assert told["python"] == BOUNDARY["python"]
    assert told["values"] == {"python": BOUNDARY["values"]["python"]}
    assert "julia" not in told
    assert "to_grader" in BOUNDARY


def test_other_programs_that_name_the_boundary_have_it_in_front(tmp_path: Path) -> None:
    for suffix in ("js", "jl"):
        (tmp_path / f"a.{suffix}").write_text("print(BOUNDARY)\n", "utf-8")
    first, rest = bundle(tmp_path / "a.js").split("\n", 1)
    told = json.loads(first.removeprefix("const BOUNDARY = `").removesuffix("`;"))
    assert not {"\\", "${", "`"} & {first[at : at + size] for size in (1, 2) for at in range(18, len(first) - 2)}
    assert told.keys() == BOUNDARY.keys() - {"about", "python", "julia", "fields", "notes"}
    assert told["values"] == {"javascript": BOUNDARY["values"]["javascript"]}
    kept = {
        name: {kind: rule for kind, rule in BOUNDARY["to_grader"][name].items() if kind != "mock"}
        for name in ("call", "get", "has", "keys", "settle")
    }
    assert (told["to_grader"], rest) == (kept, "print(BOUNDARY)\n")
    # What Julia has compiled before does not depend on it.
    first = bundle(tmp_path / "a.jl").split("\n", 1)[0].replace("\\$", "$")
    told = json.loads(json.loads(first.removeprefix("const BOUNDARY = ").removesuffix(";")))
    assert told.keys() == BOUNDARY.keys() - {"about", "python", "javascript"}
    assert told["values"] == {"julia": BOUNDARY["values"]["julia"]}


def test_julia_interpolates_nothing_in_the_boundary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "boundary.json"
    changed.write_text('{"$": 1}', "utf-8")
    monkeypatch.setattr("gradebox.graders.languages.bundle._BOUNDARY", changed)
    (tmp_path / "b.jl").write_text("BOUNDARY\n", "utf-8")
    assert bundle(tmp_path / "b.jl").startswith(r'const BOUNDARY = "{\"\$\":1}";')


RUNNERS = INSIDE.parents[1] / "runners"
APART = (
    inside("python") / "apart" / "in_grader" / "items.py",
    *(RUNNERS / name / "inside" / f"{name}_apart.py" for name in ("pytest", "unittest")),
)


def _defined(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.Assign(targets) | ast.AnnAssign(target=targets):
            places = targets if isinstance(targets, list) else [targets]
            yield from (name.id for place in places for name in ast.walk(place) if isinstance(name, ast.Name))


@pytest.mark.parametrize("file", APART, ids=lambda file: file.stem)
def test_no_two_modules_of_a_program_define_the_same_name(file: Path) -> None:
    counts = Counter(name for statement in ast.parse(bundle(file)).body for name in _defined(statement))
    assert len(counts) > 100
    assert [name for name, count in counts.items() if count > 1] == []
