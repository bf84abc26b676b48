"""Code of authors in JavaScript and Python, on a real engine: in their images, with the files beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.usefixtures("engine"), pytest.mark.timeout(300)]

CASE = """\
input: Name the capital of France.
workspace: workspace
assertions:
- {name: expression, type: LANGUAGE, value: EXPRESSION}
- {name: file, type: LANGUAGE, value: "file://judges/judge.SUFFIX", vars: {wanted: Paris}}
- {name: score, type: LANGUAGE, value: SCORE, threshold: 0.5, required: true}
- {name: opposite, type: not-LANGUAGE, value: RAISES}
"""
LANGUAGES = {
    "python": {
        "EXPRESSION": "len(output) > 3",
        "SCORE": "{'score': 0.5, 'reason': 'half'}",
        "RAISES": "int(output)",
        "SUFFIX": "py",
        "judge": (
            "from beside import WORD\n"
            "def get_assert(output, context): return WORD in output and context['vars']['wanted'] in output\n"
        ),
        "beside": "WORD = 'Par'",
    },
    "javascript": {
        "EXPRESSION": "output.length > 3",
        "SCORE": "({score: 0.5, reason: 'half'})",
        "RAISES": "JSON.parse(output)",
        "SUFFIX": "ts",
        "judge": (
            "import { word } from './beside';\n"
            "export default (output: string, context: any) => (word + 'is') === context.vars.wanted &&\n"
            "  output.includes(context.vars.wanted);\n"
        ),
        "beside": "export const word = 'Par';",
    },
}


def grade(root: Path, answer: str, *options: str) -> dict[str, Any]:
    submission = root / "answer.md"
    submission.write_text(answer)
    ran = subprocess.run(
        [Path(sys.executable).with_name("grade"), "--case", root / "case", "-s", submission, "--json", *options],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(ran.stdout)
    assert found["verdict"] == ("passed" if ran.returncode == 0 else "failed"), ran.stdout + ran.stderr
    return {check["name"]: (check["verdict"], check["score"]) for check in found["checks"]}


@pytest.fixture(params=LANGUAGES)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    words = LANGUAGES[request.param]
    judges, workspace = tmp_path / "case" / "judges", tmp_path / "case" / "workspace"
    judges.mkdir(parents=True)
    workspace.mkdir()
    for name in ("judge", "beside"):
        (judges / f"{name}.{words['SUFFIX']}").write_text(words[name])
    text = CASE.replace("LANGUAGE", request.param).replace("SUFFIX", words["SUFFIX"])
    for name in ("EXPRESSION", "SCORE", "RAISES"):
        text = text.replace(name, json.dumps(words[name]))
    (tmp_path / "case" / "case.yaml").write_text(text)
    return tmp_path


@pytest.mark.parametrize("isolation", ["auto", "apart"])
def test_code_judges_an_answer_in_the_image_of_its_language(root: Path, isolation: str) -> None:
    assert grade(root, "It is Paris.", "--isolation", isolation) == {
        "expression": ("passed", 1.0),
        "file": ("passed", 1.0),
        "score": ("passed", 0.5),
        # Code that raises passes neither the check nor its opposite.
        "opposite": ("failed", 0.0),
    }
    assert grade(root, "It", "--isolation", isolation)["file"] == ("failed", 0.0)


def test_checks_in_both_languages_are_judged_in_one_image(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    listed = "[{type: python, value: len(output) > 3}, {type: javascript, value: output.length > 3}]"
    (tmp_path / "case" / "case.yaml").write_text(f"input: Name it.\nassertions: {listed}\n")
    assert grade(tmp_path, "Paris") == {"python": ("passed", 1.0), "javascript": ("passed", 1.0)}
