"""A fake runner of tests that are judged apart: it reads its token and what it is told, and reports what it is to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from fake_supervisor import FakeEnd, FakeRun

_TOKEN = re.compile(rb"^(?:token \d+\n)?([0-9a-f]{32})\n")


class Told(NamedTuple):
    """What a fake runner knows when it runs."""

    files: Mapping[str, bytes]  # The workspace.
    apart: Mapping[str, Any] | None  # What it was told of the case; None in the submission's process.

    @property
    def record(self) -> bool:
        return self.apart is not None and bool(self.apart["record"])


class Said(NamedTuple):
    """What it reports: whether its tests pass, and further lines without the token."""

    passed: bool = True
    lines: Iterable[str] = ()


def runner(say: Callable[[Told], Said]) -> Callable[[FakeRun], FakeEnd]:
    """Return what a command of the fake engine does in place of an item runner or an adapter."""

    def act(run: FakeRun) -> FakeEnd:
        found = _TOKEN.match(run.stdin)
        assert found, run.stdin
        token = found[1].decode()
        place = run.env.get("GRADEBOX_APART", "").removeprefix("/workspace/")
        said = say(Told(run.files, json.loads(run.files[place]) if place else None))
        end = [f"{token} done 1 {int(not said.passed)}"] + [token] * said.passed
        report = "".join(f"{line}\n" for line in [*(f"{token} {line}" for line in said.lines), *end])
        return FakeEnd(exit_code=int(not said.passed), report=report.encode())

    return act
