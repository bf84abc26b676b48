"""What answers of a supervisor mean, and numbers in them that no kernel has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradebox.sandbox.capture import Captures
from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.guarantees import Guarantees
from gradebox.sandbox.protocol import frames, payloads
from gradebox.sandbox.protocol.frames import Cause, Frame, Tag, Type
from gradebox.sandbox.types import Candidates, Command, Ending, SandboxSpec
from gradebox.sandbox.walls import Wall

COMMAND = Command(argv=("a",), uid=10_001)


def outcome(errno: int) -> Ending:
    done = frames.fields(
        [(Tag.CAUSE, Cause.NOT_STARTED), (Tag.ERRNO, errno), (Tag.MESSAGE, "program"), (Tag.TIME_US, 1)]
    )
    return payloads.outcome(COMMAND, frames.parse_fields(done), Captures(100)).ending


def sent(payload: bytes) -> list[tuple[Tag, bytes]]:
    return frames.parse_fields(payload)


def test_what_a_command_does_not_ask_for_is_not_sent() -> None:
    rare = {Tag.PROTECT, Tag.FORKS, Tag.INPUT_FILE}
    assert dict(sent(payloads.run_fields(COMMAND, SandboxSpec("image"), Guarantees()))).keys().isdisjoint(rare)
    asks = replace(COMMAND, shielded=True, forks=True, input_file=True)
    assert rare <= dict(sent(payloads.run_fields(asks, SandboxSpec("image"), Guarantees()))).keys()


def test_only_a_grader_has_candidates() -> None:
    plain = dict(sent(payloads.run_fields(COMMAND, SandboxSpec("image"), Guarantees())))
    assert plain.keys().isdisjoint({Tag.CANDIDATE, Tag.CANDIDATES, Tag.CANDIDATE_ENV, Tag.OWN_STDOUT})
    grader = replace(COMMAND, candidates=Candidates(10_016, own_stdout=True))
    fields = sent(payloads.run_fields(grader, SandboxSpec("image", apart=True), Guarantees()))
    known = {tag: frames.number(value) for tag, value in fields if tag in {Tag.CANDIDATE, Tag.OWN_STDOUT}}
    assert known == {Tag.CANDIDATE: 10_016, Tag.OWN_STDOUT: 1}
    assert [value for tag, value in fields if tag is Tag.CANDIDATE_ENV] == [b"HOME=/tmp/home", b"TMPDIR=/tmp/candidate"]


def test_a_grader_gets_a_home_of_its_own() -> None:
    assert [tag for tag, _ in payloads.reset_fields(10_001)] == [Tag.UID, Tag.HOME]
    tags = [tag for tag, _ in payloads.reset_fields(10_016, 10_001)]
    assert (tags.count(Tag.HOME), tags.count(Tag.GRADER_HOME), tags.count(Tag.GRADER)) == (2, 2, 1)


def refusal(errno: int) -> str:
    fields = frames.fields([(Tag.ERRNO, errno), (Tag.MESSAGE, "cannot write: a")])
    return str(payloads.refusal(Frame(Type.ERR, 7, fields)))


def test_an_error_number_is_told_in_words() -> None:
    assert outcome(2) is Ending.NOT_STARTED
    assert "cannot write: a (No space left on device)" in refusal(28)


@pytest.mark.parametrize("errno", [4096, 2**31, 2**64 - 1])
def test_an_error_number_that_no_kernel_has_is_a_broken_protocol(errno: int) -> None:
    for reading in (outcome, refusal):
        with pytest.raises(ProtocolError, match="error number"):
            reading(errno)


@pytest.mark.parametrize(("more", "seconds"), [([], 1.5), ([(Tag.CPU_US, 2_000_000)], 2.0)])
def test_processor_time_is_the_cgroups_where_there_is_one(more: list[tuple[Tag, int]], seconds: float) -> None:
    done = [(Tag.CAUSE, Cause.ENDED), (Tag.TIME_US, 1), (Tag.USER_US, 1_000_000), (Tag.SYSTEM_US, 500_000), *more]
    known = payloads.outcome(COMMAND, frames.parse_fields(frames.fields(done)), Captures(100))
    assert known.usage.cpu_seconds == seconds


@pytest.mark.parametrize(
    ("more", "ending"),
    [
        ([], Ending.OUT_OF_MEMORY),
        ([(Tag.WITHIN_LIMIT, 0)], Ending.OUT_OF_MEMORY),
        ([(Tag.WITHIN_LIMIT, 1)], Ending.SANDBOX_LOST),
    ],
)
def test_memory_that_was_lacking_elsewhere_is_nobodys_fault_here(more: list[tuple[Tag, int]], ending: Ending) -> None:
    done = frames.fields([(Tag.CAUSE, Cause.ENDED), (Tag.STATUS, 9), (Tag.TIME_US, 1), (Tag.OOM, 1), *more])
    assert payloads.outcome(COMMAND, frames.parse_fields(done), Captures(100)).ending is ending


def test_a_network_without_interfaces_is_no_missing_wall() -> None:
    ready: list[tuple[Tag, str | int]] = [(Tag.VERSION, frames.PROTOCOL_VERSION), (Tag.LACKS, 8 | 2)]
    assert payloads.guarantees(sent(frames.fields(ready))).lacks == (Wall.PROCESSES,)
    ready.append((Tag.IFACE, "eth0"))
    assert payloads.guarantees(sent(frames.fields(ready))).lacks == (Wall.PROCESSES, Wall.NETWORK)


def test_processes_are_limited_by_user_where_nothing_else_limits_them() -> None:
    spec = SandboxSpec("image")
    assert Tag.NPROC not in dict(sent(payloads.run_fields(COMMAND, spec, Guarantees())))
    assert Tag.NPROC in dict(sent(payloads.run_fields(COMMAND, spec, Guarantees(own_kernel=True))))


def test_a_greeting_says_what_machine_it_is_if_that_is_known() -> None:
    ready: list[tuple[Tag, str | int]] = [(Tag.VERSION, frames.PROTOCOL_VERSION)]
    assert payloads.guarantees(sent(frames.fields(ready))).kernel == ""
    ready += [(Tag.KERNEL, "Linux 6.1"), (Tag.PROCESSOR, "Some \udcff 5")]
    found = payloads.guarantees(sent(frames.fields(ready)))
    assert (found.kernel, found.processor) == ("Linux 6.1", "Some \ufffd 5")
