"""Conversations: every turn is judged by the answer to the user's message.

A turn becomes a check `turn-1`, `turn-2`, ... whose members are the turn's checks. The case's own checks become one
check `conversation`, which judges the text of the whole conversation. A turn without checks does not count. A turn that
the submission does not answer fails, since leaving out an answer must not raise a score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pydantic import InstanceOf

from gradebox.graders.checks.base import Check, CheckPlanner
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.grader_input import trace
from gradebox.graders.checks.results import scored
from gradebox.graders.model.case import Case, Message
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.transcript import Transcript, TranscriptMessage
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.sandbox.records import dataclass

USER, ASSISTANT = "user", "assistant"
_WHOLE = "conversation"


@dataclass(frozen=True, slots=True)
class Answered:
    """The case and the answer for the checks of a turn."""

    case: Case  # Its input is the author's messages up to the answer; judges treat these as the task.
    history: tuple[Message, ...]  # All messages up to the answer, as graders read them.
    earlier: str  # `history` as text, without the author's last messages; judges treat it as the candidate's.
    answer: str | None  # None without an answer.
    transcript: Transcript | None  # The transcript of this turn alone.


class TurnCheck(Composite):
    """The checks of a turn, or of the whole conversation."""

    type = "turn"
    spellings = ()
    authored = False

    answered: InstanceOf[Answered]
    after: str = ""  # The turn that must not have failed; empty for none.

    def planned_within(self, _case: Case, planner: CheckPlanner) -> tuple[Case, CheckPlanner]:
        """Return the case of the turn, and a planner whose graders read the turn's answer."""
        data = {"output": self.answered.answer, **trace.described(self.answered.transcript)}
        return replace(self.answered.case, input=self.answered.history), planner.about(data)

    def judged_within(self, _case: Case, evidence: Evidence) -> tuple[Case, Evidence]:
        answered = self.answered
        own = replace(evidence, output=answered.answer, transcript=answered.transcript, earlier=answered.earlier)
        return answered.case, own

    def references(self) -> Iterator[str]:
        """Yield the turn that must not have failed, and the members' references."""
        yield from [self.after] if self.after else []
        yield from super().references()

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        before = evidence.results.get(self.after)
        if before is not None and before.status is Status.FAILED:
            return scored(self, case, 0.0, f"not judged: {self.after} failed")
        if self.answered.answer is None:
            return scored(self, case, 0.0, "the submission has no answer to this turn")
        return super().judge(case, evidence)


def with_turns(case: Case, submission: Submission) -> Case:
    """Return a conversation as a case whose checks are its turns, each with the submission's answer."""
    checks: list[TurnCheck] = []
    history = list(case.input)
    told = list(case.input)
    for number, (turn, messages) in enumerate(zip(case.turns, _answers(case, submission), strict=True), 1):
        earlier, part = _window(history[len(case.input) :], case.window_size), _transcript(messages)
        history += turn.input
        told += turn.input
        if turn.checks:
            own = replace(case, input=tuple(told), expected_output=turn.expected_output, checks=turn.checks)
            known = (*case.input, *earlier, *turn.input)
            after = checks[-1].name if checks and case.on_turn_failure == "stop" else ""
            answered = Answered(own, known, _as_text(earlier), part.output or None, part)
            checks.append(_turn(f"turn-{number}", own, answered, after))
        history.append(Message(ASSISTANT, part.output))
    if case.checks:
        own = replace(case, input=tuple(told))
        text = _as_text(history) if any(one.answered.answer for one in checks) else None
        checks.append(_turn(_WHOLE, own, Answered(own, tuple(history), "", text, submission.transcript)))
    return replace(case, checks=tuple(checks))


def _turn(name: str, case: Case, answered: Answered, after: str = "") -> TurnCheck:
    members = tuple(check for check in case.checks if isinstance(check, Check))
    return TurnCheck(name=name, place=case.place, assertions=members, answered=answered, after=after)


def _answers(case: Case, submission: Submission) -> list[Sequence[TranscriptMessage]]:
    """Return the messages of each turn between the user's message and the user's next message."""
    transcript, count = submission.transcript, len(case.turns)
    if transcript is None:
        only = [TranscriptMessage(ASSISTANT, submission.output)] if submission.output and count == 1 else []
        return [only, *([] for _ in range(count - 1))]
    messages = transcript.messages
    users = [at for at, message in enumerate(messages) if message.role == USER]
    if users:
        spans = [(at, next((user for user in users if user >= at), len(messages))) for at in _starts(case, messages)]
    else:
        # The transcript contains only the answers.
        spoken = (at for at, message in enumerate(messages) if message.role == ASSISTANT and message.content.strip())
        spans = list(pairwise((0, *(at + 1 for at in spoken))))
    found = [messages[start:end] for start, end in spans]
    return [*found[:count], *([] for _ in range(count - len(found)))]


def _starts(case: Case, messages: Sequence[TranscriptMessage]) -> list[int]:
    """Return where the answers start: after each turn's text or, if texts are missing, after the user's messages."""
    users = [at for at, message in enumerate(messages) if message.role == USER]
    said, named = list(users), []
    for turn in case.turns:
        words = _text(turn.input[-1]).strip() if turn.input else ""
        at = next((at for at in said if messages[at].content.strip() == words), None)
        if at is None:
            break
        named.append(at + 1)
        said = [other for other in said if other > at]
    if len(named) == len(case.turns):
        return named
    before = sum(message.role == USER for message in case.input)
    skipped = before if len(users) >= before + len(case.turns) else 0
    return [at + 1 for at in users[skipped:]]


def _transcript(messages: Sequence[TranscriptMessage]) -> Transcript:
    spoken = [message for message in messages if message.role == ASSISTANT]
    return Transcript(
        messages=tuple(messages),
        tool_calls=tuple(call for message in messages for call in message.tool_calls),
        llm_calls=len(spoken),
        output=next((message.content for message in reversed(spoken) if message.content.strip()), ""),
    )


def _window(said: Sequence[Message], turns: int | None) -> Sequence[Message]:
    """Return the messages of the last turns."""
    return said if turns is None else said[max(0, len(said) - 2 * turns) :]


def _as_text(messages: Sequence[Message]) -> str:
    return "\n\n".join(f"{message.role}: {_text(message)}" for message in messages)


def _text(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(block.get("value", block.get("text", ""))) for block in message.content)
