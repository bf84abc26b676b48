"""Words for a judge, whom nobody has configured yet."""

from __future__ import annotations

from collections.abc import Callable

from check_table import ROWS
from evidence_bench import judge, make

from graders.cases import Loaded
from graders.checks.llm_grader import LlmGrader
from graders.checks.rubric import Rubric
from graders.model.case import Case
from graders.model.verdict import Status

CaseOf = Callable[..., Case]
LoadText = Callable[..., Loaded]
OTHER = {"type": "code-grader", "name": "other", "command": "true"}
ROW_OF = {row.type: row for row in ROWS}


def test_text_among_the_checks_is_a_rubric_in_words(case_of: CaseOf) -> None:
    case = case_of('assertions: [Be nice., {type: code-grader, command: a}, "${{ WORDS }}"]', WORDS="Be brief.")
    one, _, other = case.checks
    assert isinstance(one, LlmGrader)
    assert isinstance(other, LlmGrader)
    assert (one.name, one.prompt, one.required, one.weight) == ("llm-grader", "Be nice.", False, 1.0)
    assert (other.name, other.prompt) == ("llm-grader-2", "Be brief.")
    assert (one.place.line, one.place.column) == (1, 14)


def test_what_no_judge_was_there_for_is_shown_and_weighs_nothing_unless_it_is_required() -> None:
    found = judge(make(LlmGrader, prompt="Be kind."))
    assert (found.status, found.score, found.reason) == (
        Status.NOT_JUDGED,
        None,
        "not judged: no judge is configured: Be kind.",
    )
    assert judge(make(LlmGrader, prompt="Be kind.", required=True)).status is Status.ERROR
    gate = make(LlmGrader, rubrics=(Rubric(id="kind", required=True),))
    assert judge(gate).reason.endswith("required of it: kind")
