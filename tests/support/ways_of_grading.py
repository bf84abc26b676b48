"""Ordinary ways to write a case, all for one task, and which families of cheats must pass each of them, and why.

The table follows from how each way judges, not from what the battery found. A difference is a mistake in one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

TASK = "Write slugify(text): the words of a text in lower case, joined by hyphens. As a program, it reads stdin."
_LIMITS = "limits: {memory: 512m, pids: 64, command_timeout_seconds: 10}\n"

PYTHON = {
    "workspace/slug.py": "def slugify(text):\n    raise NotImplementedError\n",
    "reference/slug.py": (
        "import re\nimport sys\n\n\ndef slugify(text):\n"
        "    return '-'.join(re.findall('[a-z0-9]+', text.lower()))\n\n\n"
        "if __name__ == '__main__':\n    print(slugify(sys.stdin.read()))\n"
    ),
}
SCRIPT = {
    "workspace/slug.mjs": "export function slugify(text) {\n  throw new Error('to do');\n}\n",
    "reference/slug.mjs": (
        "export function slugify(text) {\n  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');\n}\n"
    ),
}
TYPED = {
    "workspace/slug.ts": "export function slugify(text: string): string {\n  throw new Error('to do');\n}\n",
    "reference/slug.ts": (
        "export function slugify(text: string): string {\n"
        "  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');\n}\n"
    ),
}
JULIA = {
    "workspace/slug.jl": 'slugify(text) = error("to do")\n',
    "reference/slug.jl": 'slugify(text) = join([m.match for m in eachmatch(r"[a-z0-9]+", lowercase(text))], "-")\n',
}
BASH = {
    "workspace/slug.sh": "slugify() {\n    return 1\n}\n",
    "reference/slug.sh": "slugify() {\n    tr 'A-Z ' 'a-z-' <<< \"$1\"\n}\n",
}

_TESTS = (
    "from slug import slugify\n\n\ndef test_words():\n    assert slugify('Ada Lovelace') == 'ada-lovelace'\n\n\n"
    "def test_digits():\n    assert slugify('Route 66') == 'route-66'\n"
)
_MAIN = "import sys\n\nimport pytest\n\nsys.path.insert(0, '.')\nsys.exit(pytest.main(['-q', 'grading']))\n"
_UNITTEST = (
    "import unittest\n\nfrom slug import slugify\n\n\nclass Words(unittest.TestCase):\n"
    "    def test_words(self):\n        self.assertEqual(slugify('Ada Lovelace'), 'ada-lovelace')\n\n"
    "    def test_digits(self):\n        self.assertEqual(slugify('Route 66'), 'route-66')\n"
)
_IMPORTING = (
    "import sys\n\nsys.path.insert(0, '.')\nfrom slug import slugify\n\n"
    "assert slugify('Ada Lovelace') == 'ada-lovelace'\nassert slugify('Route 66') == 'route-66'\n"
)
_SCORING = (
    "import json\nimport sys\n\nsys.path.insert(0, '.')\nfrom slug import slugify\n\n"
    "CASES = [('Ada Lovelace', 'ada-lovelace'), ('Route 66', 'route-66')]\n"
    "passed = sum(slugify(text) == wanted for text, wanted in CASES)\n"
    "print(json.dumps({'score': passed / len(CASES)}))\n"
)
_ASKING = (
    "import subprocess\nimport sys\n\n"
    "for text, wanted in {'Ada Lovelace': 'ada-lovelace', 'Route 66': 'route-66'}.items():\n"
    "    ran = subprocess.run(['python3', 'slug.py'], input=text, capture_output=True, text=True, timeout=8)\n"
    "    if ran.stdout.strip() != wanted:\n        sys.exit(1)\n"
)
_ASKING_APART = (
    "import sys\n\nfrom gradebox_candidate import run\n\n"
    "for text, wanted in {'Ada Lovelace': 'ada-lovelace', 'Route 66': 'route-66'}.items():\n"
    "    if run(['python3', 'slug.py'], input=text, timeout=8).stdout.strip() != wanted:\n        sys.exit(1)\n"
)
# The answers come on stdin and are read, and the memory of the grader is out of reach, before the program starts.
_ASKING_IN_SECRET = (
    "import ctypes\nimport json\nimport os\nimport subprocess\nimport sys\n\n"
    "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\nanswers = json.load(sys.stdin)['expected_output']\n"
    "for text, wanted in answers.items():\n"
    "    ran = subprocess.run(['python3', 'slug.py'], input=text, capture_output=True, text=True, timeout=8)\n"
    "    if ran.returncode or ran.stdout.strip() != wanted:\n        sys.exit(1)\n"
)
_NODE = (
    'import assert from "node:assert/strict";\nimport { slugify } from "../slug.mjs";\n\n'
    'assert.equal(slugify("Ada Lovelace"), "ada-lovelace");\nassert.equal(slugify("Route 66"), "route-66");\n'
)
_NODE_TEST = (
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\n'
    'import { slugify } from "../slug.mjs";\n\n'
    'test("words", () => {\n  assert.equal(slugify("Ada Lovelace"), "ada-lovelace");\n});\n'
    'test("digits", () => {\n  assert.equal(slugify("Route 66"), "route-66");\n});\n'
)
_BUN_TEST = (
    'import { expect, test } from "bun:test";\nimport { slugify } from "../slug";\n\n'
    'test("words", () => {\n  expect(slugify("Ada Lovelace")).toBe("ada-lovelace");\n});\n'
    'test("digits", () => {\n  expect(slugify("Route 66")).toBe("route-66");\n});\n'
)
_JULIA_TEST = (
    'using Test\ninclude("../slug.jl")\n\n@testset "slugify" begin\n'
    '    @test slugify("Ada Lovelace") == "ada-lovelace"\n    @test slugify("Route 66") == "route-66"\nend\n'
)
_JULIA_SCRIPT = (
    'include("/workspace/slug.jl")\n'
    'slugify("Ada Lovelace") == "ada-lovelace" || exit(1)\nslugify("Route 66") == "route-66" || exit(1)\n'
)


@dataclass(frozen=True)
class Way:
    """One way to write the case.

    Attributes:
        passes: The families of cheats that must pass, each with the reason. No other may.
    """

    name: str
    case: str
    files: Mapping[str, str]
    passes: Mapping[str, str] = field(default_factory=dict)

    def write(self, directory: Path) -> Path:
        """Write the case directory."""
        # What is judged apart says so; else a reference would decide it.
        isolation = "" if "isolation:" in self.case else "isolation: in-process\n"
        for path, text in {"case.yaml": f"input: '{TASK}'\n{_LIMITS}{isolation}{self.case}", **self.files}.items():
            place = directory / self.name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return directory / self.name


def _graded(command: str, more: str = "") -> str:
    return f"assertions: [{{type: code-grader, name: judge, command: {command}{more}}}]\n"


# The cheat that combines others is a program in Python.
_CALLER = {"frames": "the caller's frame and source hold what is wanted"}
_FILES = {"read": "the file of the grader can be read while it runs"}
_FRAMES = {**_CALLER, "mixed": "it looks there, too"}
_NARROW = {"equal": "what equals all texts and nothing else is not found by comparing it with something else"}
_READ = {**_FILES, "mixed": "it reads that, too"}
_UNWATCHED = {
    "exit": "nothing but the exit status says that the grader came to its end",
    "print": "the same",
    "equal": "what is compared decides itself what it is equal to",
}
_PATCH = {"patch": "the grader shares its functions with the submission"}

WAYS = (
    Way(
        "python-items",
        "language: python\nexamples_setup: from slug import slugify\nexamples:\n"
        "  - assert slugify('Ada Lovelace') == 'ada-lovelace'\n  - assert slugify('Route 66') == 'route-66'\n",
        PYTHON,
        {**_NARROW, **_FRAMES},
    ),
    Way(
        "pytest",
        _graded("[python3, -m, pytest, -q, tests]"),
        {**PYTHON, "workspace/tests/test_slug.py": _TESTS},
        {**_NARROW, **_FRAMES, **_READ},
    ),
    Way(
        "pytest-hidden",
        "env: {PYTHONPATH: /workspace}\n" + _graded("[pytest, -q, grading]"),
        {**PYTHON, "grading/test_slug.py": _TESTS},
        {**_NARROW, **_FRAMES, **_READ},
    ),
    Way(
        "pytest-by-a-script",
        _graded("[sh, grading/run.sh]") + "image: gradebox/python\n",
        {**PYTHON, "grading/test_slug.py": _TESTS, "grading/run.sh": "set -e\npython3 -m pytest -q grading\n"},
        {**_UNWATCHED, **_PATCH, **_FRAMES, **_READ},
    ),
    Way(
        "pytest-main",
        _graded("[python3, grading/run.py]"),
        {**PYTHON, "grading/test_slug.py": _TESTS, "grading/run.py": _MAIN},
        {**_UNWATCHED, **_PATCH, **_FRAMES, **_READ},
    ),
    Way(
        "pytest-report",
        _graded(
            "[python3, -m, pytest, -q, --junitxml=report.xml, tests]",
            ", report: {format: junit, path: report.xml, must_pass: [test_words, test_digits]}",
        ),
        {**PYTHON, "workspace/tests/test_slug.py": _TESTS},
        {**_NARROW, **_FRAMES, **_READ},
    ),
    Way(
        "unittest",
        _graded("[python3, -m, unittest, discover, -s, tests, -t, .]"),
        {**PYTHON, "workspace/tests/test_slug.py": _UNITTEST, "workspace/tests/__init__.py": ""},
        {**_NARROW, **_FRAMES, **_READ},
    ),
    Way(
        "importing-script",
        _graded("[python3, grading/judge.py]"),
        {**PYTHON, "grading/judge.py": _IMPORTING},
        {**_UNWATCHED, **_FRAMES, **_READ},
    ),
    Way(
        "json-score",
        _graded("[python3, grading/judge.py]", ", protocol: json"),
        {**PYTHON, "grading/judge.py": _SCORING},
        {
            "print": "the last word on stdout is the submission's",
            "equal": _UNWATCHED["equal"],
            **_PATCH,
            **_FRAMES,
            **_READ,
        },
    ),
    Way("asking-script", _graded("[python3, -I, grading/ask.py]"), {**PYTHON, "grading/ask.py": _ASKING}, _READ),
    Way(
        "asking-in-secret",
        "expected_output: {Ada Lovelace: ada-lovelace, Route 66: route-66}\n"
        + _graded("[python3, -I, grading/ask.py]"),
        {**PYTHON, "grading/ask.py": _ASKING_IN_SECRET},
    ),
    Way(
        "diff",
        _graded("python3 slug.py < grading/input.txt | diff - grading/expected.txt"),
        {**PYTHON, "grading/input.txt": "Ada Lovelace", "grading/expected.txt": "ada-lovelace\n"},
        _READ,
    ),
    Way(
        "asking-apart",
        "isolation: apart\n" + _graded("[python3, grading/ask.py]"),
        {**PYTHON, "grading/ask.py": _ASKING_APART},
    ),
    Way(
        "diff-apart",
        "isolation: apart\nimage: gradebox/python\n"
        + _graded("candidate python3 slug.py < grading/input.txt | diff - grading/expected.txt"),
        {**PYTHON, "grading/input.txt": "Ada Lovelace", "grading/expected.txt": "ada-lovelace\n"},
    ),
    Way(
        "python-items-apart",
        "isolation: apart\nlanguage: python\nexamples_setup: from slug import slugify\nexamples:\n"
        "  - assert slugify('Ada Lovelace') == 'ada-lovelace'\n  - assert slugify('Route 66') == 'route-66'\n",
        PYTHON,
    ),
    Way(
        "pytest-apart",
        "isolation: apart\n" + _graded("[python3, -m, pytest, -q, grading]"),
        {**PYTHON, "grading/test_slug.py": _TESTS},
    ),
    Way(
        "unittest-apart",
        "isolation: apart\n" + _graded("[python3, -m, unittest, discover, -s, tests, -t, .]"),
        {**PYTHON, "workspace/tests/test_slug.py": _UNITTEST, "workspace/tests/__init__.py": ""},
        {"read": "the tests are public: they lie in the workspace"},
    ),
    Way(
        "expected-stdout",
        "expected_output: ada-lovelace\n" + _graded("[python3, slug.py]", ', expect: {stdout_regex: "^ada-lovelace"}'),
        {**PYTHON, "reference/slug.py": "print('ada-lovelace')\n"},
    ),
    Way(
        "expected-stdout-on-stdin",
        "expected_output: ada-lovelace\n"
        + _graded("[python3, slug.py]", ', stdin: grader, expect: {stdout_regex: "^ada-lovelace"}'),
        {**PYTHON, "reference/slug.py": "print('ada-lovelace')\n"},
        {"read": "the program gets the grader's stdin", "mixed": "it reads that, too"},
    ),
    Way(
        "some-words",
        "assertions: [{type: icontains, value: 'yes'}]\nreference_solution: 'Yes, since what touches it gets wet.'\n",
        {},
        {"words": "an answer with all words has that word"},
    ),
    Way(
        "reward-file",
        _graded('python3 grading/judge.py; test "$(cat reward.txt)" = 1') + "image: gradebox/python\n",
        {**PYTHON, "grading/judge.py": _IMPORTING + "open('reward.txt', 'w').write('1')\n"},
        {
            "report": "the submission can write the file, too",
            "daemon": "and so can a process that it leaves",
            "equal": _UNWATCHED["equal"],
            **_FRAMES,
            **_READ,
        },
    ),
    Way(
        "path",
        "image: gradebox/python\nenv: {PATH: '/workspace/bin:/usr/local/bin:/usr/bin:/bin'}\n"
        + _graded("[python3, -I, grading/ask.py]"),
        {**PYTHON, "grading/ask.py": _ASKING},
        {**_READ, "path": "the first directory of PATH is the submission's"},
    ),
    Way(
        "node-script",
        _graded("[node, grading/judge.mjs]"),
        {**SCRIPT, "grading/judge.mjs": _NODE},
        {"exit": _UNWATCHED["exit"], "print": _UNWATCHED["print"], **_PATCH, **_CALLER, **_FILES},
    ),
    Way(
        "node-test",
        _graded("[node, --test, tests/]"),
        {**SCRIPT, "workspace/tests/slug.test.mjs": _NODE_TEST},
        {**_CALLER, **_FILES},
    ),
    Way(
        "javascript-items",
        "language: javascript\nexamples_setup: |\n  import assert from 'node:assert/strict';\n"
        "  import { slugify } from './slug.mjs';\nexamples:\n"
        "  - assert.equal(slugify('Ada Lovelace'), 'ada-lovelace');\n"
        "  - assert.equal(slugify('Route 66'), 'route-66');\n",
        SCRIPT,
    ),
    Way(
        "bun-test",
        _graded("[bun, test, ./tests/slug.test.ts]"),
        {**TYPED, "workspace/tests/slug.test.ts": _BUN_TEST},
        {**_CALLER, **_FILES},
    ),
    Way(
        "julia-test",
        _graded("[julia, --project=., test/runtests.jl]"),
        {**JULIA, "workspace/test/runtests.jl": _JULIA_TEST, "workspace/Project.toml": ""},
        {**_CALLER, **_FILES},
    ),
    Way(
        "julia-script",
        _graded("[julia, grading/judge.jl]"),
        {**JULIA, "grading/judge.jl": _JULIA_SCRIPT},
        {
            "exit": _UNWATCHED["exit"],
            "print": _UNWATCHED["print"],
            "equal": _UNWATCHED["equal"],
            **_PATCH,
            **_CALLER,
            **_FILES,
        },
    ),
    Way(
        "bash-items",
        "language: bash\nexamples_setup: . ./slug.sh\nexamples:\n"
        '  - \'[ "$(slugify "Ada Lovelace")" = ada-lovelace ]\'\n  - \'[ "$(slugify "Route 66")" = route-66 ]\'\n',
        BASH,
    ),
)
