"""A file as a whole: how it is recognised, what its cases share, and which fields of it are mistakes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import PLAIN, PROMPTS, SUITE, cases, loaded, said

from gradebox.graders.cases import load
from gradebox.graders.model.case import Trials

CHECK = {"type": "contains", "value": "x"}


@pytest.mark.parametrize(
    "keys",
    [
        {"prompts": ["p"]},
        {"providers": ["a"]},
        {"targets": ["a"]},
        {"defaultTest": {"vars": {"a": "b"}}},
        {"default_test": {"vars": {"a": "b"}}},
        {"evaluateOptions": {"maxConcurrency": 2}},
        {"environment": {"type": "host", "workdir": "."}},
        {"extensions": ["agentv:agent-rules"]},
        {"tags": {"experiment": "base"}},
    ],
    ids=lambda keys: next(iter(keys)),
)
def test_a_file_is_told_by_its_keys_whatever_its_name(keys: dict[str, Any], tmp_path: Path) -> None:
    (case,) = cases(tmp_path, {**keys, "tests": [{"assert": [CHECK]}]}, "anything.yaml")
    assert (case.id, [check.type for check in case.checks]) == ("test-1", ["contains"])


def test_a_directory_with_its_configuration_is_a_suite(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(f"{PROMPTS}tests: [{{vars: {{word: x}}, assert: [words]}}]\n")
    found = load(tmp_path, environ={})
    assert [case.id for case in found.cases] == ["test-1"], said(found)


def test_both_ways_of_spelling_are_read_and_not_both_at_once(tmp_path: Path) -> None:
    row = {"vars": {"a": "b"}, "assert": [CHECK]}
    camel = cases(tmp_path, {"prompts": ["{{a}} {{c}}"], "defaultTest": {"vars": {"c": "d"}}, "tests": [row]}, SUITE)
    snake = cases(tmp_path, {"prompts": ["{{a}} {{c}}"], "default_test": {"vars": {"c": "d"}}, "tests": [row]}, SUITE)
    assert [case.input[0].content for case in (*camel, *snake)] == ["b d", "b d"]
    both = loaded(tmp_path, {"prompts": ["p"], "defaultTest": {}, "default_test": {}, "tests": [row]})
    assert "two names of one field" in said(both)


def test_what_is_shared_is_laid_under_each_test(tmp_path: Path) -> None:
    text = """\
name: suite
description: About words.
prompts: ['{{word}} for {{who}}']
providers: [agent]
tags: {experiment: base, area: docs}
default_test:
  vars: {who: all, word: none}
  assert: [{type: contains, value: '{{who}}'}]
  metadata: {a: 1}
  threshold: 0.7
assert: [{type: starts-with, value: '{{word}}'}]
evaluate_options: {max_concurrency: 3, timeout_ms: 30000, repeat: {count: 2, strategy: pass_any, early_exit: true}}
tests:
- id: one
  vars: {word: apple}
  assert: [{type: regex, value: '^a'}]
  metadata: {b: 2}
- {id: two, vars: {word: pear, who: you}, threshold: 0.5, execution: {skip_defaults: true}}
"""
    found = loaded(tmp_path, text, SUITE)
    one, two = found.cases
    values = [(check.type, check.value) for check in one.checks]  # type: ignore[attr-defined]
    assert values == [("regex", "^a"), ("contains", "all"), ("starts-with", "apple")]
    # What the file adds to every test can be left out, what the default test adds cannot.
    assert [check.value for check in two.checks] == ["you"]  # type: ignore[attr-defined]
    assert [case.input[0].content for case in (one, two)] == ["apple for all", "pear for you"]
    assert (one.threshold, two.threshold, one.target, one.tags) == (0.7, 0.5, "agent", ("experiment:base", "area:docs"))
    assert one.metadata == {"a": 1, "b": 2, "tags": {"experiment": "base", "area": "docs"}}
    assert (one.trials, one.timeout_seconds) == (Trials(2, "pass_at_k"), 30.0)
    assert found.suite is not None
    assert (found.suite.name, found.suite.workers) == ("suite", 3)


def test_several_providers_are_targets_with_a_verdict_each(tmp_path: Path) -> None:
    providers = ["a:b", {"id": "c", "label": "See"}, {"d:e": {"config": {}}}]
    found = cases(tmp_path, {"prompts": ["p"], "providers": providers, "tests": [{"assert": ["words"]}]})
    assert [(case.id, case.target) for case in found] == [("test-1", "a:b"), ("test-1", "See"), ("test-1", "d:e")]


def test_a_default_test_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "shared.yaml").write_text("assert: [{type: contains, value: y}]\n")
    text = "prompts: [p]\ndefaultTest: file://shared.yaml\ntests: [{description: It works}]\n"
    (case,) = cases(tmp_path, text)
    assert (case.id, case.checks[0].type, case.checks[0].place.line) == ("It-works", "contains", 2)
    assert "`file://other.yaml` does not exist" in said(loaded(tmp_path, text.replace("shared", "other")))


def test_the_environment_is_ours_to_fill_in_and_an_unset_variable_is_an_error(tmp_path: Path) -> None:
    text = "prompts: ['{{ env.GREETING }} {{env.OWN}}']\nenv: {OWN: me}\ntests: [{assert: [words]}]\n"
    (case,) = cases(tmp_path, text, GREETING="hi")
    assert case.input[0].content == "hi me"
    assert case.env == {}
    assert "names the environment variable GREETING, which is not set" in said(loaded(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("prompts: [p]\n", "1:1", "the file has no `tests`"),
        ("prompts: [p]\ntest: []\ntests: [{assert: [a]}]\n", "2:1", "unknown key `test`"),
        ("prompts: [p]\ntests: [{asert: [a]}]\n", "2:10", "unknown key `asert`"),
        ("prompts: [p]\ntests: [{assert: [{type: contians, value: a}]}]\n", "2:26", "unknown type of check `contians`"),
        ("prompts: [p]\ntests: [{assert: [{type: contains, valu: a}]}]\n", "2:36", "unknown key `valu`"),
        ("prompts: [p]\ntests: [5]\n", "2:9", "a case must be a mapping"),
        ("prompts: [p]\ndefaultTest: {asert: []}\ntests: [{assert: [a]}]\n", "2:15", "of a default test"),
        ("prompts: [p]\nevaluateOptions: {repet: 2}\ntests: [{assert: [a]}]\n", "2:19", "unknown key `repet`"),
        ("prompts: [p]\nproviders: [3]\ntests: [{assert: [a]}]\n", "2:13", "a provider must be a name"),
        ("prompts: [p]\ntests: [{vars: {a: b}}]\n", "2:9", "the case has no checks"),
    ],
)
def test_a_mistake_is_reported_at_its_place(text: str, place: str, message: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, text, "x.eval.yaml")
    assert message in said(found)
    assert f":{place}: error:" in said(found)
    assert not found.cases


def test_a_mistake_in_one_test_leaves_the_others(tmp_path: Path) -> None:
    rows = "tests: [{id: a, assert: [{type: webhook, value: u}]}, {id: b, assert: [w]}]\n"
    found = loaded(tmp_path, PROMPTS + rows)
    assert ([case.id for case in found.cases], [case.id for case in found.broken]) == (["b"], ["a"])


def test_what_has_no_effect_is_said_once(tmp_path: Path) -> None:
    text = "prompts: [p]\nsharing: true\noutputPath: x.json\ntests: [{assert: [w]}, {assert: [v]}]\n"
    found = loaded(tmp_path, text, PLAIN)
    assert len(found.diagnostics) == 1
    assert "`output_path`, `sharing` have no effect here" in said(found)


@pytest.mark.parametrize(
    ("name", "keys", "agentv", "required"),
    [
        ("promptfooconfig.yaml", {}, False, True),
        ("some.promptfoo.yaml", {}, True, True),
        ("other.yaml", {}, False, True),
        ("other.yaml", {"defaultTest": {}}, True, True),
        ("other.yaml", {}, True, False),
        ("other.yaml", {"name": "n"}, False, False),
        ("EVAL.yaml", {}, False, False),
    ],
)
def test_whose_file_it_is_decides_whether_every_check_must_pass(
    name: str, keys: dict[str, Any], tmp_path: Path, *, agentv: bool, required: bool
) -> None:
    if agentv:
        (tmp_path / ".agentv").mkdir()
    (case,) = cases(tmp_path, {"prompts": ["p"], **keys, "tests": [{"assert": [CHECK]}]}, name)
    assert case.checks[0].required is required


MOUNT = {"source": "a", "target": "/w"}
WHOLE: dict[str, Any] = {
    "prompts": [{"id": "x", "raw": "b"}],
    "providers": [{"id": "b", "label": "c"}],
    "defaultTest": {"vars": {"w": "1"}, "assert": [CHECK], "options": {"transform": "output"}, "metadata": {"a": 1}},
    "evaluateOptions": {"repeat": {"count": 2, "strategy": "pass_any"}, "timeoutMs": 500},
    "environment": {"type": "docker", "image": "i", "workdir": "/w", "mounts": [MOUNT], "setup": {"command": ["a"]}},
    "extensions": ["file://s.mjs:beforeAll"],
    "imports": {"tests": [{"path": "t.yaml"}]},
    "scenarios": [{"config": [{"vars": {"a": "b"}}], "tests": [{"assert": ["w"]}]}],
    "tests": [{"run": {"threshold": 0.1}, "assert": [{"type": "assert-set", "assert": [CHECK]}, {"include": "x"}]}],
}


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(one for key, child in inner for one in _paths(child, (*path, key)))]


@pytest.mark.parametrize("junk", [5, "x", [], {}, [[]], {"type": 5}, None], ids=repr)
def test_whatever_stands_anywhere_is_read_or_reported(junk: Any, tmp_path: Path) -> None:
    for path in _paths(WHOLE)[1:]:
        text = copy.deepcopy(WHOLE)
        holder: Any = text
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = junk
        found = loaded(tmp_path, text)
        assert found.cases or found.errors
