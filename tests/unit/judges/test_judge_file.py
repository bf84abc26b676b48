"""`judge:`: one judge, a list of them, a panel with `reduce`, and every mistake with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded
from gradebox.graders.errors import CaseRefused, UsageRefused
from gradebox.graders.judges.judge_file import judge_types, providers, read_judge_file, refuse_unready, with_judges
from gradebox.graders.judges.openai_judge import OpenaiJudge
from gradebox.graders.model.case import Case
from gradebox.graders.model.judgment import Reduce

CHECK = "assertions: [It is kind.]"
WHOLE = """\
judges:
  - provider: openai
    base_url: http://127.0.0.1:1234/v1
    model: m
    api_key_env: JUDGE_KEY
    temperature: 0.5
    seed: 7
    max_tokens: 1000
    timeout_seconds: 2m
    retries: 1
    input_usd_per_million: 1
    output_usd_per_million: 2
    extra: {top_p: 1}
  - {provider: openai, model: n}
  - {provider: openai, model: n, role: audit, name: watcher}
reduce: mean
"""


def test_every_provider_is_found_by_its_module() -> None:
    assert list(providers()) == ["command", "openai", "recorded"]
    assert [kind.__name__ for kind in judge_types()] == ["CommandJudge", "OpenaiJudge", "RecordedJudge"]


def test_a_file_says_all_of_a_panel(tmp_path: Path) -> None:
    for text in (
        WHOLE,
        WHOLE.replace("judges:", "panel:"),
        "judge:\n" + "".join(f"  {line}\n" for line in WHOLE.splitlines()),
    ):
        (tmp_path / "judge.yaml").write_text(text)
        panel = read_judge_file(tmp_path / "judge.yaml", {})
        first = panel.judges[0]
        assert isinstance(first, OpenaiJudge)
        assert (first.api_key_env, first.seed, first.timeout_seconds, first.extra) == (
            "JUDGE_KEY",
            7,
            120,
            {"top_p": 1},
        )
        assert first.priced()
        assert [(judge.name, judge.role) for judge in panel.judges] == [
            ("openai", "judge"), ("openai-2", "judge"), ("watcher", "audit"),
        ]  # fmt: skip
        assert panel.reduce is Reduce.MEAN


@pytest.mark.parametrize(
    ("text", "count"),
    [("provider: openai\nmodel: m", 1), ("- {provider: openai, model: m}\n- {provider: openai, model: n}", 2)],
)
def test_one_judge_or_a_list_is_a_panel_by_majority(tmp_path: Path, text: str, count: int) -> None:
    (tmp_path / "judge.yaml").write_text(text)
    panel = read_judge_file(tmp_path / "judge.yaml", {})
    assert (len(panel.judges), panel.reduce) == (count, Reduce.MAJORITY)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("judge: gpt", "2:8", "a judge must be a mapping with a `provider`"),
        ("judge: []", "2:8", "a panel has 1 to 20 judges"),
        ("judge: {model: m}", "2:8", "`provider` is missing"),
        ("judge: {provder: openai, model: m}", "2:9", "unknown key `provder`"),
        ("judge: {provider: opena1}", "2:19", "`provider` cannot be the text `opena1`"),
        ("judge: {provider: openai}", "2:8", "`model` is missing"),
        ("judge: {provider: openai, modle: m}", "2:27", "unknown key `modle`"),
        ("judge: {provider: openai, model: m, role: hangman}", "2:43", "`role`"),
        ("judge: {provider: openai, model: m, place: x}", "2:37", "unknown key `place`"),
        ("judge: {provider: recorded, file: none}", "none", "cannot be read"),
        ("judge: {provider: recorded, file: a, replies: {}}", "2:38", "unknown key `replies`"),
        ("judge: {judges: [{provider: openai, model: m}], reduce: most}", "2:57", "`reduce` cannot be the text `most`"),
        ("judge: {judges: [{provider: openai, model: m}], redcue: all}", "2:49", "unknown key `redcue`"),
        (
            "judge: [{provider: openai, model: m, name: a}, {provider: openai, model: m, name: a}]",
            "2:83",
            "two judges are called `a`",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(load_text: Callable[..., Loaded], text: str, place: str, words: str) -> None:
    loaded = load_text(f"id: c\n{text}\n{CHECK}")
    assert any(place in str(error).split(": error")[0] and words in str(error) for error in loaded.errors), [
        *map(str, loaded.errors)
    ]


def test_a_case_has_its_own_judge_or_its_suites(tree: Callable[..., Path]) -> None:
    from gradebox.graders.cases import load

    suite = f"judge: {{provider: openai, model: suite}}\ntests: ./cases\n{CHECK}\n"
    own = f"judge: {{provider: openai, model: own}}\n{CHECK}\n"
    root = tree({"EVAL.yaml": suite, "cases/a/case.yaml": own, "cases/b/case.yaml": CHECK})
    found = {case.id: case.judge for case in load(root / "EVAL.yaml").cases}
    assert {name: panel and panel.judges[0].model for name, panel in found.items()} == {"a": "own", "b": "suite"}


def test_a_file_takes_the_place_of_all_judges_and_its_mistakes_are_told(
    tmp_path: Path, case_of: Callable[..., Case]
) -> None:
    case = case_of(f"judge: {{provider: openai, model: own}}\n{CHECK}")
    file = tmp_path / "judge.yaml"
    file.write_text("provider: openai\nmodel: other")
    (changed,) = with_judges([case], file, {})
    assert changed.judge
    assert changed.judge.judges[0].model == "other"
    file.write_text("provider: openai\n")
    with pytest.raises(CaseRefused, match=r"judge\.yaml:1:1: error: `model` is missing"):
        with_judges([case], file, {})
    with pytest.raises(CaseRefused, match="cannot be read"):
        with_judges([case], tmp_path / "none.yaml", {})


def test_a_key_that_is_not_set_is_told_before_anything_runs(case_of: Callable[..., Case]) -> None:
    case = case_of(f"judge: {{provider: openai, model: m, api_key_env: JUDGE_KEY}}\n{CHECK}")
    refuse_unready([case], {"JUDGE_KEY": "x"})
    for environ in ({}, {"JUDGE_KEY": ""}):
        with pytest.raises(UsageRefused, match="JUDGE_KEY, which is not set in the environment"):
            refuse_unready([case, case], environ)


def test_a_budget_in_dollars_needs_prices_before_anything_runs(case_of: Callable[..., Case]) -> None:
    text = "input: x\nassertions: [a]\njudge: {provider: openai, model: m"
    refuse_unready([case_of(text + "}\n")], {}, "2000tokens")
    refuse_unready([case_of(text + ", input_usd_per_million: 1, output_usd_per_million: 2}\n")], {}, "2usd")
    with pytest.raises(UsageRefused, match=r"case\.yaml:3:8: the judge openai .* its prices are not known"):
        refuse_unready([case_of(text + "}\n")], {}, "2usd")
