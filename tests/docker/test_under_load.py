"""All processors of an engine are used while a reference is graded."""

from __future__ import annotations

import pytest

from gradebox.graders.authoring.under_load import LOAD_SECONDS, LoadRefused, busy
from gradebox.graders.runs.run_grader import RunGrader
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec


def test_a_sandbox_for_each_processor_runs_until_the_end(engine: DockerEngine, sandbox: Sandbox) -> None:
    with RunGrader(engine=engine).wired() as grader:
        with busy(engine, lambda limits: grader.sandbox_spec("gradebox/base", limits, LOAD_SECONDS)) as count:
            assert count == engine.info().processors
            assert (sandbox.queue() or 0) >= 1
        assert sandbox.run(Command(argv=("true",), uid=sandbox.uid(1))).exit_code == 0


def test_what_cannot_run_a_shell_is_refused(engine: DockerEngine) -> None:
    def spec(limits: Limits) -> SandboxSpec:
        return SandboxSpec("gradebox/no-such-image", limits)

    with pytest.raises(LoadRefused, match="no image gradebox/no-such-image"), busy(engine, spec):
        pass
