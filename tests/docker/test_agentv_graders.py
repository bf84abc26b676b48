"""Graders as they are written for AgentV, on a real engine: TypeScript on its SDK, and Python behind uv."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders import Grader, load_cases
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

ANSWER = "The capital of France is Paris."
TRANSCRIPT = {
    "messages": [
        {"role": "user", "content": "Which city?"},
        {
            "role": "assistant",
            "content": ANSWER,
            "tool_calls": [{"id": "c1", "tool": "web_search", "input": {"max_hits": 3}, "status": "error"}],
        },
    ],
    "token_usage": {"input": 70, "output": 30},
}

SUITE = """
tests:
- id: typescript
  criteria: Names the city.
  note: Be kind.
  metadata: {risk_level: high}
  input:
  - role: user
    content: [{type: text, value: "Which city?"}, {type: file, value: notes/rules.md}]
  expected_output: Paris
  assertions:
  - {name: text, type: code-grader, command: [bun, run, "{{workspace_path}}/text.ts"], config: {max_calls: 4}}
  - {name: messages, type: code-grader, command: [npx, --yes, tsx, messages.ts]}
  - {name: assertion, type: code-grader, command: bun run assertion.ts}
  - {name: files, type: code-grader, command: [bun, run, files.ts]}
  - {name: old, type: code_judge, script: [bun, run, old.ts]}
  - {name: above, type: code-grader, command: [bun, run, ../scripts/above.ts]}
  - {type: min-words, minimum: 12}
  - {name: model, type: code-grader, command: [bun, run, text.ts], target: {max_calls: 2}}
  - {name: broken, type: code_judge, script: [bun, run, broken.ts]}
- id: python
  input: Which city?
  expected_output: [{role: assistant, content: {city: Paris}}]
  assertions:
  - {name: old, type: code_judge, script: [uv, run, old.py]}
  - {name: module, type: code-grader, command: [uv, run, --quiet, -m, json.tool, --help]}
  - {name: project, type: code-grader, command: [uv, run, python, ../project/scripts/check.py]}
"""

TEXT = """
import { createTargetClient, defineCodeGrader, z, type CodeGraderInput } from '@agentv/sdk';
const Config = z.object({ maxCalls: z.number() });
export default defineCodeGrader((input: CodeGraderInput) => {
  const { maxCalls } = Config.parse(input.config);
  const call = input.messages[1].toolCalls[0];
  const checks: [string, unknown, unknown][] = [
    ['output', input.output, 'ANSWER'],
    ['criteria', input.criteria, 'Names the city.'],
    ['note', input.note, 'Be kind.'],
    ['expectedOutput', input.expectedOutput[0].content, 'Paris'],
    ['metadata', [input.metadata.risk_level, input.metadata.riskLevel], ['high', 'high']],
    ['config', [maxCalls, input.config.max_calls], [4, 4]],
    ['call', [call.tool, call.input.maxHits, call.id], ['web_search', 3, 'c1']],
    ['trace', [input.trace.eventCount, input.trace.errorCount, input.trace.toolCalls.web_search], [1, 1, 1]],
    ['events', input.trace.events.map((event) => event.type), ['message', 'message', 'tool_call']],
    ['tokens', input.tokenUsage.output, 30],
    ['files', input.inputFiles, ['/workspace/.inputs/notes/rules.md']],
    ['file', input.input[0].content[1].text, 'Be brief.\\n'],
    ['target', createTargetClient() === undefined, true],
  ];
  return {
    score: 0.9,
    assertions: checks.map(([text, found, wanted]) => ({
      text, passed: JSON.stringify(found) === JSON.stringify(wanted), evidence: JSON.stringify(found),
    })),
  };
});
""".replace("ANSWER", ANSWER)

MESSAGES = """
import { defineCodeGrader } from '@agentv/eval';
import { readFileSync } from 'node:fs';
const textOf = (messages: { role: string; content?: unknown }[]) => String(messages.at(-1)?.content);
export default defineCodeGrader(async ({ output, inputFiles }) => {
  const calls = (output ?? []).flatMap((message) => message.toolCalls ?? []);
  const hits = [textOf(output ?? []).includes('Paris') && 'text', calls.length === 1 && 'calls'];
  hits.push(readFileSync(inputFiles[0], 'utf8') === 'Be brief.\\n' && 'file');
  return { score: hits.filter(Boolean).length / 4, hits, misses: ['one'], reasoning: 'most' };
});
"""

ASSERTION = """
import { defineAssertion } from '@agentv/sdk';
export default defineAssertion(({ output }) => ({ pass: output.includes('London'), reason: 'no London' }));
"""

FILES = """
import { defineWorkspaceGrader } from '@agentv/sdk';
export default defineWorkspaceGrader(async ({ workspace }) => [
  workspace.file('a.txt').contains('one'),
  await workspace.file('a.txt').notMatches(/two/),
  await workspace.file('b.txt').exists(),
  await workspace.file('../etc/passwd').contains('root'),
]);
"""

OLD = """
import { defineCodeJudge } from '@agentv/eval';
export default defineCodeJudge(({ candidateAnswer, referenceAnswer, question, traceSummary }) => ({
  score: candidateAnswer.includes(referenceAnswer) && question.startsWith('Which city?') ? 0.75 : 0,
  details: { tools: traceSummary.toolNames },
}));
"""

BROKEN = """
import { defineCodeGrader } from '@agentv/sdk';
export default defineCodeGrader(({ trace }) => ({ score: trace.missing.part }));
"""

OLD_PYTHON = """
import json, sys
told = json.load(sys.stdin)
assert told["candidateAnswer"] == told["candidate_answer"] == told["output"]
assert told["expected_messages"][0]["content"] == {"city": "Paris"}
print(json.dumps({"score": 0.5, "hits": ["a"], "misses": [told["question"]]}))
"""


PROJECT = """
import json, sys
from own_sdk import grade
print(json.dumps(grade(json.load(sys.stdin))))
"""

OWN_SDK = """
def grade(told):
    return {"score": 0.25 if told["output"].endswith("Paris.") and "candidateAnswer" not in told else 0}
"""

ABOVE = """
import { defineAssertion } from '@agentv/sdk';
import { half } from './beside.js';
export default defineAssertion(() => ({ score: half, reason: 'half' }));
"""


MIN_WORDS = """
import { defineAssertion } from '@agentv/sdk';
export default defineAssertion(({ output, config }) => {
  const score = output.split(' ').length / config.minimum;
  return { pass: score >= 1, score, reason: 'counted' };
});
"""


@pytest.fixture(scope="module")
def verdicts(engine: DockerEngine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """The verdicts of both cases, by their ids."""
    root = tmp_path_factory.mktemp("agentv") / "evals"
    files = {
        "dataset.eval.yaml": SUITE,
        "notes/rules.md": "Be brief.\n",
        "workspace/a.txt": "one\n",
        "text.ts": TEXT,
        "messages.ts": MESSAGES,
        "assertion.ts": ASSERTION,
        "files.ts": FILES,
        "old.ts": OLD,
        "broken.ts": BROKEN,
        "old.py": OLD_PYTHON,
        "transcript.json": json.dumps(TRANSCRIPT),
        "../scripts/above.ts": ABOVE,
        "../.agentv/assertions/min-words.ts": MIN_WORDS,
        "../scripts/beside.ts": "export const half = 0.5;\n",
        "../project/pyproject.toml": "[project]\nname = 'own'\n",
        "../project/scripts/check.py": PROJECT,
        "../project/src/own_sdk/__init__.py": OWN_SDK,
    }
    files["dataset.eval.yaml"] = f"workspace: ./workspace\n{SUITE}"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    submission = read_submission(root / "transcript.json")
    with Grader(engine=engine) as grader:
        return {case.id: grader.grade(case, submission).verdict for case in load_cases(root / "dataset.eval.yaml")}


@pytest.mark.parametrize(
    ("check", "score"), [("text", 0.9), ("messages", 0.75), ("assertion", 0.0), ("files", 0.5), ("old", 0.75)]
)
def test_a_grader_in_typescript_scores(verdicts: dict[str, Verdict], check: str, score: float | None) -> None:
    found = {result.name: result for result in verdicts["typescript"].checks}[check]
    printed = [step.outcome.stdout.content().decode() for step in found.steps]
    assert found.score == pytest.approx(score), (found, printed)
    assert '"passed": false' not in "".join(printed) or check in ("files", "assertion"), printed


def test_a_handler_that_raises_is_no_score(verdicts: dict[str, Verdict]) -> None:
    found = {result.name: result for result in verdicts["typescript"].checks}["broken"]
    assert (found.status, found.score) == (Status.ERROR, None)


@pytest.mark.parametrize(("check", "score"), [("old", 0.5), ("module", 1.0), ("project", 0.25)])
def test_a_grader_in_python_scores(verdicts: dict[str, Verdict], check: str, score: float) -> None:
    found = {result.name: result for result in verdicts["python"].checks}[check]
    assert found.score == pytest.approx(score), [step.outcome.stderr.content() for step in found.steps]


HIJACKED = """
workspace: ./workspace
tests:
- id: hijacked
  input: Do it.
  assertions:
  - {name: sdk, type: code-grader, command: [bun, run, sdk.ts]}
  - {name: plain, type: code-grader, command: [bun, run, plain.ts]}
  - {name: zod, type: code-grader, command: [bun, run, zod.ts]}
"""
ZOD = """
import z, { ZodError } from 'zod';
console.log(JSON.stringify({ score: z.string() && ZodError ? 0.5 : 1 }));
"""
FORGED = """
export const defineCodeGrader = () => console.log('{"score": 1}');
export const defineAssertion = defineCodeGrader;
"""


def test_a_submission_cannot_bring_the_module_of_a_grader_or_a_script_of_its_name(
    engine: DockerEngine, tmp_path: Path
) -> None:
    scripts = dict.fromkeys(("sdk.ts", "plain.ts"), "echo forged")
    files = {
        "evals/EVAL.yaml": HIJACKED,
        "evals/workspace/a.txt": "",
        "evals/sdk.ts": ASSERTION.replace("output.includes('London')", "false"),
        "evals/plain.ts": "process.exit(1)\n",
        "evals/zod.ts": ZOD,
        "work/node_modules/zod/index.js": "export const ZodError = 0; export default { string: () => 0 };\n",
        "work/package.json": json.dumps({"scripts": scripts}),
        "work/tsconfig.json": '{"compilerOptions": {"paths": {"@agentv/sdk": ["./forged.ts"]}}}',
        "work/forged.ts": FORGED,
        "work/node_modules/@agentv/sdk/package.json": '{"main": "index.js", "type": "module"}',
        "work/node_modules/@agentv/sdk/index.js": FORGED,
        "work/.repository/evals/sdk.ts": "console.log('forged')\n",
        "work/.repository/evals/node_modules/@agentv/sdk/index.js": FORGED,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graded = Grader(engine=engine).grade(tmp_path / "evals", tmp_path / "work")
    scores = {check.name: check.score for check in graded.verdict.checks}
    assert scores == {"sdk": 0.0, "plain": 0.0, "zod": 0.5}
    assert b"forged" not in b"".join(step.outcome.stdout.content() for step in graded.verdict.checks[1].steps)


@pytest.mark.parametrize(
    ("source", "status", "tampering"),
    [
        ("def half(x): return x / 2", Status.PASSED, False),
        ("def half(x): return x", Status.FAILED, False),
        ("import os\nos._exit(0)", Status.FAILED, True),
    ],
)
def test_pytest_behind_uv_is_watched(
    engine: DockerEngine, tmp_path: Path, source: str, status: Status, *, tampering: bool
) -> None:
    files = {
        "case/case.yaml": "assertions: [{type: code-grader, command: [uv, run, pytest, tests/test_halves.py]}]\n",
        "case/workspace/pyproject.toml": "[project]\nname = 'halves'\n",
        "case/workspace/tests/test_halves.py": "from halves import half\n\ndef test_half(): assert half(2) == 1\n",
        "work/src/halves/__init__.py": source + "\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    verdict = Grader(engine=engine).grade(tmp_path / "case", tmp_path / "work").verdict
    assert (verdict.status, bool(verdict.tampering)) == (status, tampering), verdict.checks


@pytest.mark.parametrize(("printed", "status"), [("tr a-z A-Z", Status.PASSED), ("exit 3", Status.ERROR)])
def test_a_preprocessor_makes_the_text_of_a_file(
    engine: DockerEngine, tmp_path: Path, printed: str, status: Status
) -> None:
    files = {
        "EVAL.yaml": """
preprocessors: [{type: sheet, command: [bash, scripts/text.sh]}]
tests:
- id: a
  input: [{role: user, content: [{type: file, value: a.sheet}, {type: file, value: b.txt}]}]
  assertions: [{type: code-grader, command: [python3, check.py]}]
""",
        "a.sheet": 'one "two"\n',
        "b.txt": "three\n",
        "scripts/text.sh": f'grep -q \'"original_path": "a.sheet"\'; cat .inputs/a.sheet | {printed}\n',
        "check.py": """
import json, sys
blocks = json.load(sys.stdin)["input"][0]["content"]
assert [block["text"] for block in blocks] == ['ONE "TWO"', "three\\n"], blocks
""",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (case,) = load_cases(tmp_path / "EVAL.yaml")
    verdict = Grader(engine=engine).grade(case).verdict
    said = [step.outcome.stderr.content() for step in verdict.checks[0].steps]
    assert verdict.status is status, (verdict.checks, said)


def test_a_prompt_is_printed_as_text(engine: DockerEngine, tmp_path: Path) -> None:
    template = "import { definePromptTemplate } from '@agentv/sdk';\n"
    template += "export default definePromptTemplate((told) => `Judge: ${told.question} ${told.config.rubric}`);\n"
    expect = 'expect: {stdout: "Judge: Which city? Be kind.\\n"}'
    check = f"{{type: code-grader, command: [bun, run, prompt.ts], config: {{rubric: Be kind.}}, {expect}}}"
    (tmp_path / "prompt.ts").write_text(template)
    (tmp_path / "case.yaml").write_text(f"input: Which city?\nassertions: [{check}]\n")
    verdict = Grader(engine=engine).grade(tmp_path).verdict
    assert verdict.status is Status.PASSED, [step.outcome for step in verdict.checks[0].steps]


LAUNCHED = """
workspace: {template: ./workspace, hooks: {before_each: {command: [sh, ../scripts/prepare.sh]}}}
tests:
- id: launched
  input: Which city?
  expected_output: Paris
  assertions:
  - {name: above, type: code-grader, command: [bun, run, ../graders/g.ts]}
  - {name: line, type: code-grader, command: bun run ../graders/g.ts}
  - {name: npx, type: code-grader, command: [npx, tsx, scripts/g.ts]}
  - {name: bunx, type: code-grader, command: [timeout, 60s, bunx, --bun, tsx, scripts/g.ts]}
  - {name: shell, type: code-grader, command: [sh, -c, nice -n 5 bun scripts/g.ts]}
  - {name: hook, type: code-grader, command: [grep, -q, '"test_id": "launched"', prepared.json]}
"""
EXPECTED = """
const told = JSON.parse(await Bun.stdin.text());
console.log(JSON.stringify({ score: told.expected_output[0].content === told.output ? 0.5 : 0 }));
"""


def test_graders_behind_launchers_and_hooks_read_their_stdin(engine: DockerEngine, tmp_path: Path) -> None:
    files = {
        "evals/EVAL.yaml": LAUNCHED,
        "evals/workspace/a.txt": "",
        "evals/scripts/g.ts": EXPECTED,
        "graders/g.ts": EXPECTED,
        "scripts/prepare.sh": "cat > prepared.json\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "answer.md").write_text("Paris")
    (case,) = load_cases(tmp_path / "evals")
    verdict = Grader(engine=engine).grade(case, read_submission(tmp_path / "answer.md")).verdict
    scores = {check.name: check.score for check in verdict.checks}
    said = [(step.name, step.outcome.stderr.content()) for check in verdict.checks for step in check.steps]
    assert scores == dict.fromkeys(("above", "line", "npx", "bunx", "shell"), 0.5) | {"hook": 1.0}, said


def test_a_hook_that_lacks_a_program_names_it(engine: DockerEngine, tmp_path: Path) -> None:
    hook = "hooks: {before_each: {command: [sh, prepare.sh]}}\n"
    (tmp_path / "EVAL.yaml").write_text(
        f"{hook}tests: [{{id: a, input: x, assertions: [{{type: contains, value: x}}]}}]\n"
    )
    (tmp_path / "prepare.sh").write_text("set -e\ngit init\n")
    (case,) = load_cases(tmp_path / "EVAL.yaml")
    verdict = Grader(engine=engine).grade(case).verdict
    assert verdict.status is Status.ERROR
    assert "git: not found" in verdict.reasons[0], verdict.reasons
