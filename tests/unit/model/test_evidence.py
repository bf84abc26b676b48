"""What a check is judged by, and the texts of it."""

from __future__ import annotations

import pytest
from evidence_bench import case, done, exited, tree

from gradebox.graders.model.evidence import (
    MAX_TEXT_BYTES,
    Evidence,
    TextUnreadable,
    answer_text,
    file_text,
    of_check,
    part,
)
from gradebox.graders.model.plan import Files, Plan
from gradebox.graders.model.submission import Submission


def test_before_anything_ran_a_plan_is_the_evidence() -> None:
    before, after = tree({"a": "1"}), tree({"a": "2"})
    found = Evidence.of(Plan(case(), Submission("work", output="42"), files=Files(before), laid=after))
    assert (found.output, found.before, found.tree, found.done) == ("42", before, after, ())


def test_a_check_has_its_own_steps_and_those_of_its_members() -> None:
    own, member, other = done(exited(0)), done(exited(1)), done(exited(2))
    steps = {"it": [own], part("it", "member"): [member], "other": [other]}
    found = of_check(Evidence(), "it", steps)
    assert (found.done, found.within) == ((own,), {"member": (member,)})


def test_an_answer_that_is_too_long_is_not_read() -> None:
    with pytest.raises(TextUnreadable):
        answer_text(Evidence(output="x" * (MAX_TEXT_BYTES + 1)))
    assert answer_text(Evidence(output="x")) == "x"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("gone", "there is no file gone"),
        ("link", "link is a link"),
        ("link/below", "link/below is below the symbolic link link, which is not followed"),
        ("directory", "directory is a directory"),
        ("large", "large has"),
    ],
)
def test_what_is_no_readable_file_is_named(path: str, why: str) -> None:
    large = b"x" * (MAX_TEXT_BYTES + 1)
    with pytest.raises(TextUnreadable, match=why):
        file_text(tree({"directory": None, "large": large}, link="/etc"), path)


def test_a_path_may_be_absolute_in_the_workspace() -> None:
    assert file_text(tree({"a/b": b"caf\xff"}), "/workspace/a/../a/b") == "caf\N{REPLACEMENT CHARACTER}"
