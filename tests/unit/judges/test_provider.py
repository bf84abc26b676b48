"""What every judge has by itself."""

from __future__ import annotations

from gradebox.graders.judges.provider import Judge, RawReply


class Agreeing(Judge):
    def reply(self, *_: object) -> RawReply:
        return RawReply('{"reasoning": "", "score": 1}')


def test_a_judge_needs_nothing_costs_what_is_known_and_is_asked_three_times_at_most() -> None:
    judge = Agreeing(name="a")
    assert (judge.unready({}), judge.priced(), judge.attempts, judge.role) == ("", True, 3, "judge")
    assert judge.identity() == Agreeing(name="b", role="audit").identity()
