"""A case with a marker in every place that a candidate must not see, and programs that print all that they can read."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fake_engine import FakeEnd, FakeRun
from grading_bench import write

# Each is written as `<Mxx>` in the case, so that none is a part of another.
MARKER = re.compile(r"MARK\d\d[A-Z]{4}")
# Letters that no encoding changes: they are found in HTML, XML, JSON and names of files alike.
_CASE = """
image: image
language: python
answer_file: solution.py
criteria: what to do
note: <01>
metadata: {key: <02>}
setup: [[prepare, <04>]]
teardown: [[clean, <05>]]
judge: {provider: command, name: words, image: image, command: [judge, <06>]}
assertions:
  - name: sums
    type: io
    run: [solve]
    tests:
      - {name: sample, visibility: visible, stdin: "seen input", stdout: "seen output"}
      - {name: <07>, stdin: <08>, stdout: <09>, args: [<10>], files: {<11>: <12>}}
  - name: <13>
    type: io
    visibility: hidden
    description: <14>
    env: {OF_THE_CHECK: <15>}
    run: [solve, <16>]
    checker: [python3, check-<17>.py]
    groups: [{name: <18>, points: 3, tests: [<19>]}]
    tests: [{name: <19>, stdin: <20>, stdout: <21>}]
  - {name: <22>, type: code-grader, visibility: hidden, command: [look, grading/<23>.py], env: {K: <24>}}
  - {name: tests, type: code-grader, command: [look, <25>], env: {OF_IT: <03>}}
  - {name: together, type: code-grader, visibility: visible, isolation: in-process, command: [look, <26>]}
  - {name: seen-grader, type: code-grader, visibility: visible, isolation: apart, command: [look, seen-word]}
  - name: items
    type: unit-tests
    setup: "load('<27>')"
    teardown: "drop('<28>')"
    items:
      - {name: <29>, code: "assert f('<30>') == '<31>'"}
      - {name: seen-item, visibility: visible, code: "assert f('seen source')"}
  - {name: <32>, type: contains, visibility: hidden, value: <33>}
  - {name: word, type: contains, value: <34>}
  - name: both
    type: composite
    visibility: visible
    assertions: [{name: <35>, type: contains, value: <36>}]
  - {name: <37>, type: contains, visibility: after, value: <38>}
  - {name: <39>, type: llm-grader, visibility: hidden, prompt: "is it <40>?"}
  - {name: opinion, type: llm-grader, prompt: "is it <41>?"}
  - {name: <42>, type: file-exists, visibility: hidden, path: <43>}
"""
COUNT = 44


def marker(number: int) -> str:
    letters = "".join(chr(ord("A") + (number * step) % 26) for step in (3, 5, 7, 11))
    return f"MARK{number:02d}{letters}"


def write_hidden_case(root: Path) -> None:
    """Write the case `hidden` and the submission `anna.md` into a directory."""
    text = re.sub(r"<(\d\d)>", lambda found: marker(int(found[1])), _CASE)
    files = {
        "hidden/case.yaml": text,
        f"hidden/check-{marker(17)}.py": marker(44),
        f"hidden/grading/{marker(23)}.py": f"def test(): assert solve() == {marker(44)!r}",
        "anna.md": "So:\n```python\nprint('work')\n```\n",
    }
    write(root, files)


def tells_everything(run: FakeRun) -> FakeEnd:
    """End as a program that fails and prints all that it can read: its input, its environment, every file."""
    everything = repr((run.argv, run.stdin, run.env, run.files)).encode()
    if run.argv[0] == "judge":
        return FakeEnd(stdout=json.dumps({"score": 0.2, "reasoning": everything.decode()}).encode())
    if run.argv[0] == "prepare":
        return FakeEnd(stdout=everything, stderr=everything)
    return FakeEnd(exit_code=1, stdout=everything, stderr=everything)
