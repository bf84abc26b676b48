"""The filters of the command line select among the loaded cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.cases.collection import Loaded
from gradebox.graders.cases.select import EVERYTHING, Selection, as_requested, choose
from gradebox.graders.errors import NothingSelected, UsageRefused
from gradebox.graders.model.crossing import Isolation

SUITE = """\
tests:
- {id: auth-ok, input: x, tags: [fast], metadata: {level: 1}, assertions: [{type: contains, value: x}]}
- {id: auth-slow, input: x, tags: [slow], author: [ann, bob], category: x, assertions: [{type: contains, value: x}]}
- {id: slug, input: x, assertions: [{type: contains, value: x}]}
"""


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    (tmp_path / "EVAL.yaml").write_text(SUITE)
    return load(tmp_path, environ={})


@pytest.mark.parametrize(
    ("selection", "ids"),
    [
        (EVERYTHING, ["auth-ok", "auth-slow", "slug"]),
        (Selection(ids=("auth-*",)), ["auth-ok", "auth-slow"]),
        (Selection(ids=("auth-??", "slug")), ["auth-ok", "slug"]),
        (Selection(tags=("fast", "slow")), ["auth-ok", "auth-slow"]),
        (Selection(excluded=("slow",)), ["auth-ok", "slug"]),
        (Selection(ids=("auth-*",), excluded=("slow",)), ["auth-ok"]),
        (Selection(where=("metadata.level=1",)), ["auth-ok"]),
        (Selection(where=("author=b*", "category=x")), ["auth-slow"]),
    ],
)
def test_cases_are_selected_by_id_and_tag(loaded: Loaded, selection: Selection, ids: list[str]) -> None:
    chosen = choose([loaded], selection)
    assert [case.id for case in chosen.cases] == ids
    assert chosen.left_out == {"auth-ok", "auth-slow", "slug"} - set(ids)


def test_filters_that_select_nothing_are_named(loaded: Loaded) -> None:
    chosen = choose([loaded], Selection(ids=("slug", "auht-ok"), excluded=("slwo",)))
    assert chosen.idle == (
        "-k auht-ok matches no case. Did you mean `auth-ok`?",
        "--exclude-tag slwo names a tag that no case has. Did you mean `slow`?",
    )


def test_a_field_that_no_case_has_is_named(loaded: Loaded) -> None:
    with pytest.raises(NothingSelected, match=r"--where auther=\* selects none of 3 cases\.") as refused:
        choose([loaded], Selection(where=("auther=*",)))
    assert refused.value.remedy == "Did you mean `author`?"


def test_without_a_selected_case_nothing_can_be_graded(loaded: Loaded) -> None:
    with pytest.raises(NothingSelected, match=r"-k nothing selects none of 3 cases\."):
        choose([loaded], Selection(ids=("nothing",)))


def test_two_cases_with_one_id_are_refused(loaded: Loaded, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "EVAL.yaml").write_text(SUITE)
    with pytest.raises(UsageRefused, match="Two cases have the id auth-ok"):
        choose([loaded, load(tmp_path / "other", environ={})], EVERYTHING)


def test_mistakes_count_only_in_cases_that_may_be_selected(tmp_path: Path) -> None:
    (tmp_path / "EVAL.yaml").write_text(SUITE + "- {id: broken, inptu: x}\n")
    loaded = load(tmp_path, environ={})
    assert choose([loaded], Selection(ids=("slug",))).errors == ()
    chosen = choose([loaded], Selection(ids=("slug", "broken")))
    assert (chosen.broken, bool(chosen.errors)) == ({"broken"}, True)


def test_cases_that_are_written_at_one_place_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    text = "prompts: [a, b]\ntests: [{id: one, assert: [words]}]\n"
    (tmp_path / "x.eval.yaml").write_text(text)
    both = [load(tmp_path / "x.eval.yaml", environ={})] * 2
    found = [case.id for case in choose(both, Selection()).cases]
    assert len({*found}) == 2
    assert all(one.startswith("one__prompt_") for one in found)


def test_a_case_is_graded_as_the_options_of_a_run_say(loaded: Loaded) -> None:
    case = loaded.cases[0]
    assert as_requested(case) == case
    found = as_requested(case, time_factor=2.0, isolation="apart", strict_layout=True, unreadable="error")
    assert (found.time_factor, found.isolation) == (2.0, Isolation.APART)
    assert (found.strict_layout, found.unreadable_is_error) == (True, True)


def test_cases_are_drawn_by_the_seed_and_their_ids_alone(tmp_path: Path) -> None:
    def drawn(count: int, **how: int) -> list[str]:
        tests = "".join(f"- {{id: c{n}, input: x, assertions: [{{type: contains, value: x}}]}}\n" for n in range(count))
        (tmp_path / "EVAL.yaml").write_text(f"tests:\n{tests}")
        return [case.id for case in choose([load(tmp_path, environ={})], Selection(**how)).cases]

    assert drawn(20, limit=3) == ["c0", "c1", "c2"]
    found = drawn(20, sample=5)
    assert len(found) == 5
    assert found == drawn(20, sample=5) == sorted(found, key=lambda one: int(one[1:]))
    assert found != drawn(20, sample=5, seed=1)
    assert len({*found} - {*drawn(21, sample=5)}) <= 1
    assert drawn(3, sample=9) == ["c0", "c1", "c2"]
