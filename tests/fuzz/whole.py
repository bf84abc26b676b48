"""Fuzzed here: a whole grading, from what is handed in and printed to every report of it. The commands are scripted.

An input is a submission and, after each record separator, what one command does: its exit status, and what it prints on
its streams. ``@token@`` stands for the token that it was told, so that a candidate which has found it is among them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import cycle

from fake_engine import FakeEnd, FakeEngine, FakeRun
from fuzzing import Finding, Target
from loading import directory

from gradebox.graders.cases import load
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status
from gradebox.graders.reports.report_formats import formats, load_format
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import Store
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import check_path
from gradebox.sandbox.protocol.frames import Cause

RECORD, FIELD, FILE, TOKEN = b"\x1e", b"\x1f", b"\x1d", b"@token@"
CASE = """
image: image
language: python
input: [{role: user, content: do it}]
expected_output: it
note: a note
protect: [tests]
setup: [make]
teardown: [sweep]
examples: [f(1), {name: b, code: f(2), weight: 2}]
unit_tests: [assert f(1)]
rubrics:
- {id: r, outcome: y, command: [rate], score_ranges: {0: a, 5: b, 10: c}}
- {id: s, outcome: z, check: composite, required: true}
assertions:
- {name: exits, type: code-grader, command: [judge], control: [judge, wrong], expect: {stdout_regex: "^a+b"}}
- {name: json, type: code-grader, command: [judge], protocol: json, weight: 3}
- name: junit
  type: code-grader
  command: [judge]
  report: {format: junit, path: r.xml, must_pass: [a], must_exist: [b]}
- {name: ctrf, type: code-grader, command: [judge], report: {format: ctrf, path: r.json}}
- {name: tap, type: code-grader, command: [judge], report: {format: tap, path: r.tap}}
- {name: pytest, type: code-grader, command: [python3, -m, pytest, tests]}
- {name: unittest, type: code-grader, command: [python3, -m, unittest]}
- {name: node, type: code-grader, command: [node, --test]}
- {name: bun, type: code-grader, command: [bun, test]}
- {name: vitest, type: code-grader, command: [npx, vitest, run]}
- {name: jest, type: code-grader, command: [npx, jest], negate: true}
- {name: julia, type: code-grader, command: [julia, test/runtests.jl]}
- {name: text, type: regex, value: "(a|b)+c"}
- {name: schema, type: is-json, schema: {type: object, properties: {a: {type: integer}}, required: [a]}}
- {name: equals, type: not-equals, file: src/a.py, value: x}
- {name: exists, type: file-exists, path: "src/*.py"}
- {name: holds, type: file-contains, path: "**/*.py", value: f}
- {name: changes, type: file-changes, path: "src/**"}
- name: fields
  type: field-accuracy
  fields: [{path: a, match: date, formats: [YYYY-MM-DD]}, {path: b.0, match: numeric_tolerance, tolerance: 1}]
- {name: tools, type: tool-trajectory, mode: in_order, expected: [{tool: t, args: {a: 1}}]}
- {name: metrics, type: execution-metrics, max_tool_calls: 2, max_cost_usd: 1}
- name: composite
  type: composite
  aggregator: {type: threshold, threshold: 0.5}
  assertions:
  - {type: contains, value: x}
  - {name: member, type: code-grader, command: [judge], negate: true}
"""
WORKSPACE = {"src/a.py": "def f(x): return x\n", "tests/test_a.py": "def test(): pass\n", "package.json": "{}\n"}

# The first byte of an input says which of these it is handed in as.
FORMS = ("directory", "answer.md", "fix.diff", "conversation__x.json")
SUBMISSIONS = (
    b"\0"
    + FILE.join(
        [b"src/a.py", b"def f(x): return 1\n", b"pyproject.toml", b"[tool.pytest.ini_options]\n", b"conftest.py", b"x"]
    ),
    b"\1```python src/a.py\ndef f(x): return 2\n```\n",
    b"\2--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-def f(x): return x\n+def f(x): return 3\n",
    (
        b'\3[{"_type": "usermessage", "content": "x"}, '
        b'{"_type": "aimessage", "content": "{\\"a\\": \\"2024-01-01\\", \\"b\\": [1]}"}]'
    ),
)
ENDS = (
    (b"\0", b"", b"", b""),
    (b"\0", b"aab x\n", b"\x1b[31mred\x1b[0m", TOKEN + b"\n"),
    (b"\1", b"", b"Traceback", TOKEN + b" missing x\n"),
    (b"\0", b'{"score": 0.5, "assertions": [{"text": "a", "passed": true}], "reasoning": "r"}', b"", b""),
    (b"\0", b'{"pass": true, "reason": "x", "checks": [], "hits": ["a"], "misses": []}', b"", TOKEN + b" done 3\n"),
    (b"\0", b"8", b"", b'<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>'),
    (b"\1", b"", b"", b"TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n"),
    (b"\x89", b"\xff" * 20, b"\0", b""),
)  # fmt: skip
WORDS = (
    *(RECORD, FIELD, FILE, TOKEN, TOKEN + b"\n", b"\0", b"\1", b"\2", b"\3", b"\x89", b"src/a.py", b"r.xml", b"../x"),
    *(
        b'{"score": 1}',
        b'"score": NaN',
        b'"assertions": [',
        b'"details": {"a": ',
        b"[" * 150,
        b"]]>",
        b"<script>",
        b"\x1b[",
    ),
    *(
        b"::error::",
        b"\x1b]8;;x\x07",
        b"\xe2\x80\xae",
        b"\xed\xa0\x80",
        b"ok 1\n",
        b"<testcase>",
        b"```",
        b"\n",
        b"1e999",
    ),
    *(
        b" done ",
        b" passed ",
        b" missing ",
        b" failed ",
        b"9" * 400,
        b"diff --git a/x b/y\n",
        b"tests/test_a.py",
        b"| ",
    ),
)


@cache
def case() -> Case:
    """Return the case that everything is graded by."""
    place = directory("whole") / "case"
    for name, text in {"case.yaml": CASE, **{f"workspace/{name}": text for name, text in WORKSPACE.items()}}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    loaded = load(place)
    if loaded.errors:
        raise Finding(str(loaded.errors[0]))
    (only,) = loaded.cases
    return only


def submission(data: bytes) -> Submission | None:
    """Return what is handed in, None where nobody could hand it in."""
    form = FORMS[data[0] % len(FORMS)] if data else FORMS[0]
    place = directory("whole") / form
    if form != FORMS[0]:
        place.write_bytes(data[1:])
    else:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        pieces = iter(data[1:].split(FILE))
        for name, content in zip(pieces, pieces, strict=False):
            path = name.decode("utf-8", "replace")
            if check_path(path) or path.count("/") > 20:
                continue
            # A name may be too long, or one file lie below another.
            with suppress(OSError):
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_bytes(content)
    try:
        found = read_submission(place)
    except SubmissionRefused:
        return None
    return None if found.unreadable else found


def acts(records: list[bytes]) -> Iterator[FakeEnd]:
    """Return what commands do, one after the other, for ever; the token is still to be filled in."""
    for record in cycle(records or [b""]):
        how, *streams = record.split(FIELD)
        code = how[0] if how else 0
        cause = {0x80: Cause.DEADLINE, 0x81: Cause.OUTPUT}.get(code, Cause.ENDED)
        out, err, report = (*streams, b"", b"", b"")[:3]
        yield FakeEnd(-(code & 15) if code > 0x81 else code, out, err, report, cause, lost=code == 0x7F)


def whole(data: bytes) -> object:
    """Grade, keep and report."""
    head, *records = data.split(RECORD)
    handed = submission(head)
    if handed is None:
        return "nothing"
    doing = acts(records)

    def act(run: FakeRun) -> FakeEnd:
        does = next(doing)
        token = next((line for line in run.stdin.split(b"\n") if len(line) >= 16 and line.isalnum()), b"")
        streams = [stream.replace(TOKEN, token) for stream in (does.stdout, does.stderr, does.report)]
        for name in ("r.xml", "r.json", "r.tap"):
            run.files[name] = streams[2]
        return FakeEnd(does.exit_code, *streams, does.cause, lost=does.lost)

    engine = FakeEngine(act)
    graded = grade(engine, case(), handed, Settings(lambda case: "image"), number=1)
    if engine.open_containers:
        raise Finding("A sandbox was left.")
    if graded.verdict.status is Status.PASSED and graded.verdict.score is None:
        raise Finding("It passed without a score.")
    runs = directory("whole") / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    store = Store.create(runs, {"cases": []})
    store.add(graded)
    store.close()
    saved = read_run(store.directory)
    for form in map(load_format, formats()):
        for piece in form(saved):
            piece.encode()
    return [(check.status, check.reason[:30]) for check in graded.verdict.checks if check.score]


TARGETS = (
    Target(
        "gradings",
        [
            head + b"".join(RECORD + FIELD.join(end) for end in ENDS[at:] + ENDS[:at])
            for head in SUBMISSIONS
            for at in (0, 1, 4)
        ],
        WORDS,
        whole,
        case,
    ),
)
