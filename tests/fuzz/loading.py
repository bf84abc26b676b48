"""Fuzzed here: files of cases, definitions, answers, transcripts, targets. Loading says what is wrong, never raises."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from fuzzing import Finding, Target

from gradebox.graders.cases import Loaded, load
from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.checks.registry import known_types
from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.documents.entries import Entry, derived, spellings
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.formats.agentv import recorded_run
from gradebox.graders.model.case import Case, Place
from gradebox.graders.submissions.answer import AnswerRefused, files_of_answer
from gradebox.graders.submissions.answers_jsonl import read_answers
from gradebox.graders.submissions.transcript_fields import TranscriptError
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.graders.targets.targets_file import read_targets
from gradebox.sandbox.archive import check_path

# The first byte of an input says which of these it is in.
NAMES = ("case.yaml", "EVAL.yaml", "x.yaml", "x.json", "x.jsonl")
PUNCTUATION = (
    *("[", "]", "{", "}", ": ", "- ", "? ", ", ", "&a ", "*a", "<<: *a", "!!str ", "|\n", ">-\n", '"', "'", "#"),
    *("\n", "\n  ", "---\n", "...\n", "%YAML 1.1\n", "\ufeff", "\u2028", "\\u0000", "\\ud800", "\t", "\r", "\0"),
    *("${{ A }}", "${{ B:- }}", "${{", "no", "010", "~", "null", "1e999", "-1", "0", ".nan", "12:30", "2024-01-01"),
    *("1_0", "0x1f", "9" * 400, "../x", "a" * 200),
)
MODELS = (CaseEntry, *derived(Entry)) if known_types() else ()
KEYS = dict.fromkeys(key for model in MODELS for key in (*model.known_keys(), *spellings(model)))
WORDS = tuple(word.encode() for word in (*known_types(), *KEYS, *PUNCTUATION))
CASES = (
    (0, "id: a\ninput: x\nlimits: {memory: 1g}\nassertions:\n- {type: code-grader, command: [a], required: 0.5}\n"),
    (
        1,
        (
            "name: s\nworkspace: {docker: {image: x}}\nexecution: {targets: [{name: t, hooks: {before_all: x}}]}\n"
            "tests:\n- id: a\n  execution: {evaluators: [{type: script, script: a}]}\n"
        ),
    ),
    (
        2,
        (
            "language: python\nexamples:\n- x\n- {name: a, code: y}\nunit_tests_setup: [z]\nsetup: [[a, b], c]\n"
            "teardown: &t x\ncriteria: *t\n"
        ),
    ),
    (
        0,
        (
            "input:\n- role: user\n  content: [{type: text, value: x}]\n"
            "expected_output: [{role: assistant, tool_calls: []}]\n"
            "rubrics: [x, {id: r, outcome: y, score_ranges: {0: a, 10: b}}, {check: gate}]\nassertions:\n- words\n"
            "- {type: composite, name: gate, aggregator: {type: threshold, threshold: 0.5},"
            " assert: [{type: contains, value: x}]}\n"
            "- {type: not-regex, value: '(x){2,3}', flags: i}\n"
            "- {type: is-json, schema: {type: object, properties: {a: {}}}}\n"
            "- {type: field-accuracy, fields: [{path: a, match: date, formats: DD}]}\n"
            "- {type: tool-trajectory, minimums: {a: 1}, expected: [{tool: a, args: any}]}\n- {type: cost, budget: 1}\n"
        ),
    ),
    (3, '[{"id": "a", "input": "x", "assertions": [{"type": "contains", "value": "\\u00e9"}]}, {"id": "b"}]'),
    (4, '{"id": "a", "input": "x", "assertions": ["words"]}\n{"id": "b", "depends_on": ["a"], "rubrics": ["x"]}\n'),
)
DEFINITION = """\
[code_generation]
name = "add"
contributor = "c"
criteria = ["parsed", "executed"]
prompt = "p"
version = "1.0"
imports = ["Dates"]
examples = ["add(1)", '''add("$x")''']
unit_tests = [\"\"\"
@test add(1) == 2
\"\"\"]
reference_solution = "add(x) = x + 1"
"""
ANSWERS = (
    (
        '{"case": "a", "answer": "```python\\nx\\n```", "name": "m"}\n{"id": "b", "messages": [{"role": "assistant", '
        '"content": "x"}], "token_usage": {"input": 1, "output": 2}, "cost_usd": 0.1, "duration_ms": 5}\n'
    ),
    '{"case": "a", "output": "x", "target": "t"}\n\n{"case": "b", "path": "answers.jsonl", "transcript": "x.json"}\n',
)
TRANSCRIPTS = (
    (
        '{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", '
        '"content": [{"type": "text", "text": "y"}], "tool_calls": [{"id": "1", "type": "function", '
        '"function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]}], '
        '"token_usage": {"prompt_tokens": 3, "completion_tokens": 4}, "cost_usd": 1, "duration_ms": 2}'
    ),
    '[{"_type": "usermessage", "content": "x"}, {"_type": "aimessage", "content": "y", "tokens": [1, 2]}]',
    (
        '{"role": "tool", "tool_call_id": "1", "content": "z"}\n{"tool_calls": [{"tool": "t", '
        '"input": {}, "duration_ms": 4}], "role": "assistant"}\n{"usage": {"input_tokens": 1}}\n'
    ),
)
MARKDOWN = (
    "So:\n\n```python src/a.py\nx\n```\n~~~js {path=b.js}\ny\n~~~\n- ```py\n  z\n  ```\n",
    '````python\n```\n````\n``` python title="a b.py"\n1\n```\n',
)
TARGETS_FILE = (
    "targets:\n- {name: a, provider: mock, output: x}\n- name: b\n  provider: cli\n  command: [agent, '{prompt}']\n"
    "  env: {A: '${{ A }}'}\n  network: bridge\n- {name: c, provider: replay, path: x}\n"
)


@cache
def directory(name: str) -> Path:
    """Return a directory of this process for a target's files."""
    return Path(tempfile.mkdtemp(prefix=f"{name}-"))


def cases(data: bytes) -> object:
    """Load a file of cases."""
    name = NAMES[data[0] % len(NAMES)] if data else NAMES[0]
    inside = directory("cases") / name.replace(".", "-")
    inside.mkdir(exist_ok=True)
    (inside / name).write_bytes(data[1:])
    return checked(load(inside / name, environ={"A": "1"}))


def definition(data: bytes) -> object:
    """Load a ``definition.toml``."""
    inside = directory("definition") / "add"
    inside.mkdir(exist_ok=True)
    (inside / "definition.toml").write_bytes(data)
    return checked(load(inside / "definition.toml", environ={}))


def checked(loaded: Loaded) -> object:
    """Return what a load came to, once it is sure that it is a result."""
    if not (loaded.cases or loaded.errors):
        raise Finding("Neither a case nor an error.")
    for found in loaded.diagnostics:
        str(found).encode("utf-8", "surrogateescape")
        if "pydantic" in str(found) or not found.message or "Traceback" in found.message:
            raise Finding(f"A message that is none: {found}")
    for case in loaded.cases:
        if not case.checks or len({spec.name for spec in case.checks}) != len(case.checks):
            raise Finding("A case without checks, or with two of one name.")
    first = loaded.errors[0].message if loaded.errors else ""
    return len(loaded.cases), len(loaded.errors), first.partition("`")[0]


def answers(data: bytes) -> object:
    """Read a file of answers twice, as grading does."""
    place = Place(Path("/case/case.yaml"))
    known = [Case(id=name, place=place, directory=Path("/case"), checks=()) for name in ("a", "b")]
    file = directory("answers") / "answers.jsonl"
    file.write_bytes(data)
    read = read_answers(file, known)
    count = 0
    try:
        for _case, submission in read.pairs():
            count += 1
            str(submission.problem)
    except SubmissionRefused:
        raise Finding("A file that nobody changed was refused when it was read again.") from None
    if count != read.count:
        raise Finding(f"{read.count} gradings were counted, and {count} came.")
    first = next(iter(read.findings), None)
    return read.count, len(read.refused), first.message.partition("`")[0] if first else ""


def transcript(data: bytes) -> object:
    """Parse a transcript."""
    try:
        read = parse_transcript(data)
    except TranscriptError as refused:
        return str(refused)
    return len(read.messages), len(read.tool_calls), read.total_tokens is None, read.cost_usd is None


def markdown(data: bytes) -> object:
    """Take the files out of an answer."""
    try:
        files = files_of_answer(data.decode("utf-8", "replace"), "python", "solution.py")
    except AnswerRefused as refused:
        return str(refused)[:40]
    for path in files:
        if check_path(path):
            raise Finding(f"The path {path!r} was let through.")
    return len(files)


def target_definitions(data: bytes) -> object:
    """Read a ``targets.yaml``."""
    file = directory("targets") / "targets.yaml"
    file.write_bytes(data)
    findings = Findings()
    read = read_targets(file, findings, {"A": "1"})
    if (read is None) is not findings.failed:
        raise Finding("Neither targets nor an error.")
    first = next(iter(findings), None)
    return read is None, findings.errors, first.message.partition("`")[0] if first else ""


RECORDED = (
    """{"test_id": "a", "target": "t", "answer_path": "x/outputs/answer.md", "cost_usd": 1}
{"evalId": "a", "candidateAnswer": "x", "dataset": "s"}
{"test_id": "b", "execution_status": "execution_error"}
""",
    """{"test_id": "a", "output": [{"role": "assistant", "content": "x", "toolCalls": [{"tool": "t"}]}]}
{"test_id": "b", "artifact_dir": "x", "token_usage": {"input": 1}, "output": "y", "trace": {"costUsd": 1}}
""",
    """{"test_id": "a", "message_index": 0, "role": "user", "content": "x", "transcript_cost_usd": 1}
{"test_id": "a", "message_index": 1, "role": "assistant", "content": "y"}
""",
)


def recorded(data: bytes) -> object:
    """Read a recorded run of AgentV twice, as grading does."""
    place = directory("recorded")
    (place / "x" / "outputs").mkdir(parents=True, exist_ok=True)
    (place / "x" / "outputs" / "answer.md").write_text("Fixed.")
    (place / "x" / "outputs" / "transcript.jsonl").write_bytes(data)
    (place / "index.jsonl").write_bytes(data)
    known = [Case(name, Place(place), place, ()) for name in ("a", "b")]
    runs = recorded_run(place, known, ())
    if runs is None:
        raise Finding("A directory with an index is not a recorded run.")
    found = [submission for _, submission in runs.pairs()]
    if len(found) != runs.count:
        raise Finding(f"{runs.count} answers came to {len(found)}.")
    return [(bool(one.fault), one.output is None, one.transcript is None) for one in found[:6]]


TARGETS = (
    Target("recorded", [text.encode() for text in RECORDED], (*WORDS, b'"test_id": "a"', b'"../x"'), recorded),
    Target("cases", [bytes([kind]) + text.encode() for kind, text in CASES], WORDS, cases),
    Target(
        "definitions", [DEFINITION.encode()], (*WORDS, b'"""', b"'''", b"[[", b"]]", b"\\u00e9", b"\xff"), definition
    ),
    Target("answers", [text.encode() for text in ANSWERS], (*WORDS, b'"case": "a"', b'"answer": "x"'), answers),
    Target("transcripts", [text.encode() for text in TRANSCRIPTS], WORDS, transcript),
    Target(
        "markdown", [text.encode() for text in MARKDOWN], (b"```", b"~~~", b"\n", b"path=", b"..", b"/", b"{"), markdown
    ),
    Target("targets", [TARGETS_FILE.encode()], WORDS, target_definitions),
)
