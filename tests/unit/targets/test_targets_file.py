"""targets.yaml: what it may say, and what is said of its mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.targets.agent import AgentLimits, CliTarget
from gradebox.graders.targets.mock import MockTarget
from gradebox.graders.targets.replay import ReplayTarget
from gradebox.graders.targets.target import Target
from gradebox.graders.targets.targets_file import read_targets, resolve
from gradebox.sandbox.limits import MIB, Network

WHOLE = """\
targets:
  - name: agent
    provider: cli
    command: [agent, --file, "{prompt_file}", "--model=${{ MODEL }}"]
    image: agents/agent:1
    network: bridge
    env: {LEVEL: high}
    env_allow: [API_KEY]
    timeout_seconds: 5m
    output_file: ./answer.md
    transcript_file: log/transcript.jsonl
    limits: {memory: 2g, cpus: 2, pids: 100, disk: 512m}
  - name: small
    provider: cli
    command: agent < {prompt_file}
  - {name: before, provider: replay, path: "recorded/{case_id}"}
  - {name: fixed, provider: mock, output: "42"}
"""

Read = Callable[..., tuple[dict[str, Target] | None, list[str]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_text(text: str, **environ: str) -> tuple[dict[str, Target] | None, list[str]]:
        file = tmp_path / "targets.yaml"
        file.write_text(text)
        findings = Findings()
        targets = read_targets(file, findings, environ)
        return targets, [str(found).removeprefix(f"{file}:") for found in findings]

    return read_text


def test_everything_that_can_be_said(read: Read, tmp_path: Path) -> None:
    targets, said = read(WHOLE, MODEL="m1")
    assert said == []
    assert targets is not None
    assert list(targets) == ["agent", "small", "before", "fixed"]
    file = tmp_path / "targets.yaml"
    assert targets["agent"] == CliTarget(
        name="agent",
        place=Place(file, 2, 5),
        command=CommandSpec(("agent", "--file", "{prompt_file}", "--model=m1")),
        image="agents/agent:1",
        network=Network.BRIDGE,
        env={"LEVEL": "high"},
        env_allow=("API_KEY",),
        timeout_seconds=300.0,
        output_file="answer.md",
        transcript_file="log/transcript.jsonl",
        limits=AgentLimits(memory=2048 * MIB, cpus=2, pids=100, disk=512 * MIB),
    )
    small = targets["small"]
    assert isinstance(small, CliTarget)
    assert (small.command.argv, small.network, small.env) == (("sh", "-c", "agent < {prompt_file}"), Network.NONE, {})
    before = targets["before"]
    assert isinstance(before, ReplayTarget)
    assert (before.path, before.place) == ("recorded/{case_id}", Place(file, 16, 5))
    assert targets["fixed"] == MockTarget(name="fixed", place=Place(file, 17, 5), output="42")


def test_a_mere_list_is_a_file_of_targets_too(read: Read) -> None:
    targets, said = read("- {name: a, provider: mock, output: x}\n")
    assert said == []
    assert targets is not None
    assert list(targets) == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("12\n", "1:1: error: a file of targets holds a list of them. Write `- name: ...` for each."),
        ("[]\n", "1:1: error: there are no targets in this file. Write one."),
        ("targets: []\n", "1:10: error: there are no targets in this file (at targets). Write one."),
        ("tragets: []\n", "1:1: error: unknown key `tragets` (at tragets). Did you mean `targets`?"),
        ("- agent\n", "1:3: error: a target must be a mapping, not the text `agent` (at [0]). Write `name` and"),
        ("- {name: a}\n", "1:3: error: `provider` is missing (at [0].provider). Write one of cli, replay, mock."),
        ("- {name: a, provder: cli}\n", "1:13: error: unknown key `provder` (at [0].provder). Did you mean"),
        ("- {name: a, provider: cil}\n", "1:23: error: `provider` cannot be the text `cil` (at [0].provider). Did you"),
        ("- {name: a, provider: 1}\n", "1:23: error: `provider` cannot be the number 1 (at [0].provider). Known here"),
        ("- {provider: mock, output: x}\n", "1:3: error: `name` is missing (at [0].name)."),
        ("- {name: no, provider: mock, output: x}\n", "1:10: error: `name` must be text, not `no`"),
        ("- {name: a, provider: mock}\n", "1:3: error: `output` is missing (at [0].output)."),
        ("- {name: a, provider: mock, ouput: x}\n", "1:29: error: unknown key `ouput` (at [0].ouput). Did you mean"),
        ("- {name: a, provider: cli}\n", "1:3: error: `command` is missing (at [0].command)."),
        ("- {name: a, provider: cli, command: []}\n", "1:37: error: `command` must not be empty (at [0].command)."),
        ("- {name: a, provider: cli, command: x, network: host}\n", "1:49: error: `network` cannot be the text `host`"),
        (
            "- {name: a, provider: cli, command: x, env: {1a: b}}\n",
            "1:45: error: `env` cannot contain the variable name `1a`",
        ),
        ("- {name: a, provider: cli, command: x, env_allow: [A, b-c]}\n", "1:55: error: `env_allow[1]` cannot contain"),
        ("- {name: a, provider: cli, command: x, env: {A: b}, env_allow: A}\n", "1:64: error: `A` is set by `env` and"),
        ("- {name: a, provider: cli, command: x, output_file: ../x}\n", "1:53: error: `output_file` must lie in the"),
        ("- {name: a, provider: cli, command: x, output_file: x/}\n", "1:53: error: `output_file` must name a file"),
        (
            "- {name: a, provider: cli, command: x, output_file: y, transcript_file: ./y}\n",
            "1:73: error: `transcript_file` is the `output_file`",
        ),
        ("- {name: a, provider: cli, command: x, timeout_seconds: soon}\n", "1:57: error: `timeout_seconds` must be a"),
        ("- {name: a, provider: cli, command: x, limits: {network: none}}\n", "1:49: error: unknown key `network`"),
        ("- {name: a, provider: cli, command: 'x ${{ KEY }}'}\n", "1:37: error: `command` is a line for a shell"),
        ("- {name: a, provider: mock, output: '${{ NONE }}'}\n", "1:37: error: `output` names the environment"),
        ("- {name: a, provider: replay, path: 'r/{case}'}\n", "1:37: error: `path` holds the unknown placeholder"),
        (
            "- {name: a, provider: mock, output: x}\n- {name: a, provider: mock, output: y}\n",
            "2:10: error: the target `a` is defined twice, first in line 1 (at [1].name). Keep one of the two.",
        ),
    ],
)
def test_mistakes_are_said_with_their_place(read: Read, text: str, said: str) -> None:
    targets, (found,) = read(text)
    assert targets is None
    assert found.startswith(said)


# Cases and their targets


def case(directory: Path, target: str | None = "a", use: str | None = None, **changes: object) -> Case:
    known = {"id": "case", "place": Place(directory / "case.yaml", 3, 1), "directory": directory, "checks": ()}
    return Case(**(known | {"target": target, "use_target": use, "roots": (directory, directory.parent)} | changes))  # type: ignore[arg-type]


def define(directory: Path, *names: str, name: str = "targets.yaml") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / name
    file.write_text("".join(f"- {{name: {name}, provider: mock, output: {directory.name}}}\n" for name in names))
    return file


def outputs(cases: list[Case], file: Path | None = None) -> list[str | None]:
    resolved = resolve(cases, {}, file)
    assert list(resolved.findings) == []
    return [found.output if isinstance(found, MockTarget) else None for _, found in resolved.cases]


def test_a_target_is_looked_up_beside_the_case_and_then_beside_its_suite(tmp_path: Path) -> None:
    define(tmp_path / "suite", "a")
    define(tmp_path / "suite" / "own", "a", name="targets.yml")
    given = define(tmp_path / "elsewhere", "a")
    cases = [case(tmp_path / "suite" / "own"), case(tmp_path / "suite" / "other")]
    assert outputs(cases) == ["own", "suite"]
    assert outputs(cases, given) == ["elsewhere", "elsewhere"]


def test_use_target_names_the_definition_unless_it_is_empty(tmp_path: Path) -> None:
    define(tmp_path / "s", "a", "b")
    resolved = resolve([case(tmp_path / "s", "a", "b"), case(tmp_path / "s", "a", "")], {})
    assert [found and found.name for _, found in resolved.cases] == ["b", "a"]
    assert [found.case.target for found in resolved.cases] == ["a", "a"]


def test_without_a_file_or_a_target_no_target_makes_the_submission(tmp_path: Path) -> None:
    assert outputs([case(tmp_path / "s")]) == [None]
    define(tmp_path / "s", "b")
    assert outputs([case(tmp_path / "s", None)]) == [None]


def test_a_name_that_is_not_defined_is_an_error_of_its_case_alone(tmp_path: Path) -> None:
    file = define(tmp_path / "s", "baseline")
    resolved = resolve([case(tmp_path / "s", "basline"), case(tmp_path / "s", "baseline")], {})
    assert [str(found) for found in resolved.findings] == [
        f"{tmp_path}/s/case.yaml:3:1: error: {file} defines no target `basline`. Did you mean `baseline`?"
    ]
    assert [found.case.target for found in resolved.cases] == ["baseline"]


def test_a_broken_file_is_reported_once_and_nothing_that_needs_it_is_graded(tmp_path: Path) -> None:
    define(tmp_path / "s").write_text("- {name: a, provider: none}\n")
    resolved = resolve([case(tmp_path / "s"), case(tmp_path / "s"), case(tmp_path / "s", None)], {})
    assert (len(list(resolved.findings)), len(resolved.cases)) == (1, 1)


def test_what_a_target_takes_from_the_host_is_named_and_nothing_else_is_taken(tmp_path: Path) -> None:
    file = define(tmp_path / "s")
    file.write_text(
        "- {name: a, provider: cli, command: x, env: {LEVEL: high}, env_allow: [KEY]}\n"
        "- {name: unused, provider: cli, command: x, env_allow: [OTHER_KEY]}\n"
    )
    resolved = resolve([case(tmp_path / "s")], {"KEY": "k", "OTHER": "o"})
    ((_, found),) = resolved.cases
    assert isinstance(found, CliTarget)
    assert found.env == {"LEVEL": "high", "KEY": "k"}
    assert "high" not in repr(found)
    missing = resolve([case(tmp_path / "s"), case(tmp_path / "s")], {})
    assert [found.message for found in missing.findings] == [
        "the target `a` takes KEY from the environment, where it is not set"
    ]
    assert missing.cases == ()


def test_a_suite_with_two_targets_and_one_definition(tmp_path: Path) -> None:
    define(tmp_path / "s", "claude")
    (tmp_path / "s" / "EVAL.yaml").write_text(
        "execution:\n  targets:\n    - {name: plain, use_target: '${{ AGENT }}'}\n    - {name: claude}\n"
        "tests:\n  - {id: one, input: Hi., assertions: [{type: code-grader, command: make}]}\n"
    )
    loaded = load(tmp_path / "s", environ={"AGENT": "claude"})
    assert loaded.diagnostics == ()
    resolved = resolve(loaded.cases, {})
    assert [(found.case.target, found.target and found.target.name) for found in resolved.cases] == [
        ("plain", "claude"),
        ("claude", "claude"),
    ]
