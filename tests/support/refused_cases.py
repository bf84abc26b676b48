"""A table of cases that load in silence and cannot be graded as meant: files, and what must be said of which place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gradebox.graders.documents.diagnostics import Severity


class Refusal(NamedTuple):
    """The files of a case, and what must be said: `place` is file:line:column, `path` the path in the document."""

    name: str
    files: Mapping[str, str]
    place: str
    path: str
    says: str
    hint: str
    severity: Severity = Severity.ERROR


TASK = "input: Write slugify.\n"
RUN = "assertions:\n  - {{type: code-grader, command: {}}}\n"


def of_command(name: str, command: str, says: str, hint: str, files: Mapping[str, str] | None = None) -> Refusal:
    """Return the refusal of a command that names a file."""
    text = {"case.yaml": TASK + RUN.format(command), **(files or {})}
    return Refusal(name, text, "case.yaml:3:5", "assertions[0]", says, hint)


def doubtful(refusal: Refusal) -> Refusal:
    return refusal._replace(severity=Severity.WARNING)


def of_words(name: str, command: str, word: str) -> Refusal:
    """Return the refusal of a list with an operator of a shell."""
    says = f"has the word `{word}`, which the program gets as an argument"
    at, path = "case.yaml:3:34", "assertions[0].command"
    return Refusal(name, {"case.yaml": TASK + RUN.format(command)}, at, path, says, "as one text, or as [sh, -c, LINE]")


FILES = [
    of_command("no grading", "[python3, grading/j.py]", "`grading/j.py`, and the case has no directory `grading`", ""),
    of_command("no grading for pytest", "[pytest, -q, grading]", "the case has no directory `grading`", "Write it"),
    of_command(
        "hidden tests behind a runner",
        "[pytest, -q, grading/test_y.py::test_a]",
        "`grading/test_y.py`, and ",
        "Did you mean `grading/test_x.py`?",
        {"grading/test_x.py": ""},
    ),
    of_command("tests behind pytest", "[pytest, -q, tests/x.py]", "runs `tests/x.py`, and the case has no", "Write it"),
    of_command("tests behind uv run", "[uv, run, pytest, tests/x.py]", "runs `tests/x.py`, and the case", "Write it"),
    of_command("tests in a line", "pytest tests/x.py", "runs `tests/x.py`, and the case has no", "Write it"),
    of_command("tests behind bun", "[bun, test, tests/x.test.ts]", "runs `tests/x.test.ts`, and the case", "Write it"),
    of_command("tests behind node", "[node, --test, tests/x.mjs]", "runs `tests/x.mjs`, and the case", "Write it"),
    of_command("tests above the case", "[pytest, ../secret.py]", "`../secret.py`, which does not exist", "repository"),
    of_command(
        "a script that the reference lacks",
        "[python3, judge.py]",
        "runs `judge.py`, and the case has no such file",
        "Write it, or correct the path.",
        {"reference/slug.py": ""},
    ),
    doubtful(
        of_command("a script of nobody", "[python3, judge.py]", "only a submission can add", "`input` or `allow`")
    ),
    doubtful(
        Refusal(
            "tests without a task",
            {"case.yaml": RUN.format("[pytest, tests/x.py]")},
            "case.yaml:2:5",
            "assertions[0]",
            "which only a submission can add",
            "If submissions bring it, name it in `input` or `allow`.",
        )
    ),
    Refusal(
        "script of a judge",
        {"case.yaml": "judge: {provider: command, command: [python3, jugde.py]}\nassertions: [a]\n", "judge.py": ""},
        "case.yaml:1:37",
        "judge.command",
        "the command runs `jugde.py`, which does not exist",
        "judge.py?",
    ),
    Refusal(
        "script of a judge above it",
        {"a/case.yaml": "judge: {provider: command, command: ../judge.sh}\nassertions: [a]\n", "judge.sh": ""},
        "a/case.yaml:1:37",
        "judge.command",
        "the command runs `../judge.sh`, which does not exist",
        "It must lie in",
    ),
]

OPERATORS = [
    of_words("and", "[pytest, '&&', echo]", "&&"),
    of_words("or", "[pytest, -q, '||', 'true']", "||"),
    of_words("pipe", "[python3, a, '|', grep, b]", "|"),
    of_words("file", "[python3, a, '>', out.txt]", ">"),
    of_words("both streams", "[python3, a, '2>&1']", "2>&1"),
    doubtful(of_words("a pipe as an argument", "[python3, a, '|', b]", "|")),
    doubtful(of_words("a pipe as a value", "[cut, -d, '|', tee]", "|")),
]

SETUPS = [
    Refusal(
        f"setup: {command}",
        {"case.yaml": f"setup: {command}\n{more}assertions: [{{type: contains, value: a}}]\n"},
        "case.yaml:1:8",
        "setup",
        "needs the network, which `setup` does not have",
        "Write `limits: {network: setup}`, or name an image",
        severity,
    )
    for command, more, severity in [
        ("pip install requests", "", Severity.ERROR),
        ("[python3, -m, pip, install, -r, requirements.txt]", "", Severity.ERROR),
        ("cd app && uv pip install attrs && make", "", Severity.ERROR),
        ("pip install requests", "image: mine\n", Severity.WARNING),
        ("pip install -e .", "", Severity.WARNING),
        ("npm ci", "", Severity.WARNING),
    ]
]


def of_ranges(says: str, *ranges: tuple[int, int]) -> Refusal:
    written = ", ".join(f"{{score_range: [{first}, {last}], outcome: a}}" for first, last in ranges)
    text = f"rubrics:\n  - {{outcome: a, score_ranges: [{written}]}}\n"
    at, hint = "case.yaml:2:32", "begin one above the end of the one before, from 0 to 10"
    return Refusal(f"ranges {ranges}", {"case.yaml": text}, at, "rubrics[0].score_ranges", says, hint)


RANGES = [
    of_ranges("`score_ranges` overlap at 4", (0, 4), (4, 10)),
    of_ranges("`score_ranges` have a gap before 6", (0, 4), (6, 10)),
    of_ranges("`score_ranges` have a gap before 1", (1, 10)),
    of_ranges("`score_ranges` have a gap before 11", (0, 9)),
    of_ranges("`score_ranges` end too early at 3", (0, 2), (3, 1)),
]


def of_key(key: str, hint: str, *, value: str = "5") -> Refusal:
    """Return the refusal of a key of a code-grader."""
    text = f"assertions: [{{type: code-grader, command: [make], {key}: {value}}}]\n"
    says, path = f"unknown key `{key}`", f"assertions[0].{key}"
    return Refusal(f"{key} of a code-grader", {"case.yaml": text}, "case.yaml:1:51", path, says, hint)


def of_field(key: str, hint: str, inside: str = "") -> Refusal:
    """Return the refusal of a key of a case, or of one of its mappings."""
    check, column = "assertions: [{type: contains, value: a}]\n", len(inside) + 4 if inside else 1
    text = check + (f"{inside}: {{{key}: 5}}\n" if inside else f"{key}: 5\n")
    path = f"{inside}.{key}" if inside else key
    says = f"unknown key `{key}`"
    return Refusal(f"{key} of a case, {inside}", {"case.yaml": text}, f"case.yaml:2:{column}", path, says, hint)


KEYS = [
    of_key("expected_stdout", "Write `expect: {stdout: ...}`."),
    of_key("timeout", "Did you mean `timeout_seconds`?"),
    of_key("retries", "`execution: {trials: {count: 3}}` of a case"),
    of_key("strictness", "Known here: "),
    of_field("timeout", "Write `execution: {timeout_seconds: ...}`."),
    of_field("timeout", "Did you mean `command_timeout_seconds`?", "limits"),
    of_field("timeout", "Did you mean `timeout_seconds`?", "execution"),
    of_field("retries", "`execution: {trials: {count: 3}}` of a case"),
    of_field("pip", "Packages belong in the image"),
    of_field("requirements", "install them in `setup` with `network: setup`"),
    of_field("dockerfile", "`docker build -t NAME .`, and write `image: NAME`"),
    of_field("dockerfile", "`docker build -t NAME .`, and write `image: NAME`", "workspace"),
]

_ONE = "{name: a, type: contains, value: x}"
_FREE = "{type: code-grader, command: [a], tone: b}"
_CALL = "expected_output:\n  - role: assistant\n    tool_calls: [{function: {name: f, arguments: '{a: 1}'}}]\n"

OTHERS = [
    Refusal(
        "two checks of one name",
        {"case.yaml": f"assertions:\n  - {_ONE}\n  - {_ONE}\n"},
        "case.yaml:3:12",
        "assertions[1].name",
        "check 1 of this list is called `a`, too",
        "Give each check a name of its own.",
    ),
    Refusal(
        "two checks of one name in AgentV's file",
        {"evals/a.eval.yaml": f"tests: [{{id: b, input: x}}]\nassertions:\n  - {_ONE}\n  - {_ONE}\n"},
        "evals/a.eval.yaml:4:12",
        "assertions[1].name",
        "check 1 of this list is called `a`, too",
        "Give each check a name of its own.",
        Severity.WARNING,
    ),
    Refusal(
        "a key of nobody in AgentV's file",
        {"evals/a.eval.yaml": f"tests: [{{id: b, input: x, assertions: [{_FREE}]}}]\n"},
        "evals/a.eval.yaml:1:80",
        "tests[0].assertions[0].tone",
        "`tone` is not a field of a `code-grader`, so it is a part of its `config`",
        "Write it below `config:`.",
        Severity.WARNING,
    ),
    Refusal(
        "arguments that are not JSON",
        {"case.yaml": _CALL},
        "case.yaml:3:50",
        "expected_output[0].tool_calls[0].function.arguments",
        "`arguments` must be JSON text",
        "Write it like ",
    ),
    Refusal(
        "a suite that is its own cases",
        {"a.eval.yaml": "tests: ./a.eval.yaml\n"},
        "a.eval.yaml:1:8",
        "tests",
        "`a.eval.yaml` names itself as the file of its cases",
        "Name the file that holds them.",
    ),
    Refusal(
        "suites in a circle",
        {
            "a.eval.yaml": "tests:\n  - {include: b.eval.yml, type: suite}\n",
            "b.eval.yml": "tests:\n  - {include: a.eval.yaml, type: suite}\n",
        },
        "a.eval.yaml:2:15",
        "tests[0].include",
        "`b.eval.yml` includes this file in turn",
        "Remove one of the two.",
    ),
    Refusal(
        "a template in a circle",
        {"case.yaml": "assertions: [include: t]\n", ".agentv/templates/t.yaml": "assertions: [include: t]\n"},
        ".agentv/templates/t.yaml:1:1",
        "",
        "the template `t` includes itself",
        "Write the list.",
    ),
]

REFUSALS = [*FILES, *OPERATORS, *SETUPS, *RANGES, *KEYS, *OTHERS]
