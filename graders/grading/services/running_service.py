"""One service that runs in its own sandbox, and a sandbox of its image beside it.

None of these sandboxes ever contains a file of a submission. Three kinds of commands run beside a service: its
readiness command, its reset, and checks that run after the candidate's processes are dead.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace

from gradebox.graders.checks.results import ending_sentence
from gradebox.graders.grading.open_sandboxes import INTERRUPTED, open_sandbox
from gradebox.graders.grading.services.background import Background
from gradebox.graders.grading.settings import Settings
from gradebox.graders.integrity import control_files
from gradebox.graders.model import time_limit
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Role, ServicePlan, Stage, Step
from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.ending import Fault, fault
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import SandboxError, SandboxLost
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Outcome, SandboxSpec

# The time between two readiness checks.
_LOOK_SECONDS = 0.1
_PROBE_SECONDS = 2.0
# Output never ends a service, since a submission may cause it.
_ANY_OUTPUT = 1 << 62
# Limits of its log in a verdict.
_LINES, _CHARACTERS = 8, 1200
# Some servers refuse version 1.0.
_GET = "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
_FINE = re.compile(r"HTTP/\d\S* [23]\d\d\b")


class ServiceFailed(SandboxError):
    """A service did not become ready, or its reset failed. No submission is to blame."""


class RunningService:
    """A service from its start to its end. Not thread-safe.

    Args:
        engine: The engine.
        plan: The plan of the service.
        spec: Its sandbox, which joins the network of the case unless it is the first.
        settings: Those of the grading that starts it.
    """

    def __init__(self, engine: Engine, plan: ServicePlan, spec: SandboxSpec, settings: Settings) -> None:
        self._engine, self._plan, self._spec = engine, plan, spec
        self._settings = replace(settings, spares=None)
        self._opened = ExitStack()
        self._console: Sandbox | None = None
        self.name = plan.service.name
        sandbox = self._opened.enter_context(open_sandbox(engine, spec, self._settings))
        self.network = sandbox.container
        self.image_id = sandbox.image.id
        try:
            self._background = Background(sandbox, self._command(sandbox))
        except BaseException:
            self._opened.close()
            raise
        self._opened.callback(self._background.end)

    def _command(self, sandbox: Sandbox) -> Command:
        step = self._plan.stage.steps[0]
        self._lay_out(sandbox, self._plan.stage)
        return Command(
            argv=step.argv,
            cwd=step.cwd,
            env={**sandbox.env, **step.env},
            uid=sandbox.uid(0),
            wall_seconds=self._spec.lifetime_seconds,
            output_bytes=_ANY_OUTPUT,
        )

    def _lay_out(self, sandbox: Sandbox, stage: Stage) -> None:
        sandbox.reset(sandbox.uid(0))
        if stage.delivered:
            sandbox.put(stage.delivered, protect=True)

    def close(self) -> None:
        """End the service, and remove its sandboxes."""
        self._opened.close()

    def console(self) -> Sandbox:
        """Return the sandbox beside the service."""
        if self._console is None:
            spec = replace(self._spec, beside=self._spec.beside or self.network)
            self._console = self._opened.enter_context(open_sandbox(self._engine, spec, self._settings))
        return self._console

    def lay_out(self, stage: Stage) -> Sandbox:
        """Return the sandbox beside the service, with a stage's files only."""
        console = self.console()
        self._lay_out(console, stage)
        return console

    def wait(self, probe: Sandbox) -> None:
        """Wait until the service is ready.

        Args:
            probe: The sandbox of the submission, before it has any submitted file.

        Raises:
            ServiceFailed: If it ends first, or is not ready in time.
        """
        seconds = self._plan.service.ready.timeout_seconds
        deadline = Deadline.after(seconds)
        while (outcome := self._background.outcome) is None:
            if self._is_ready(probe):
                return
            if deadline.passed:
                late = self._background.end()
                what = f"The service {self.name} was not ready after {seconds:g} s ({self._awaited()})."
                raise ServiceFailed(what + (_log(late) if late else ""))
            if self._settings.stop.wait(_LOOK_SECONDS):
                raise SandboxLost(INTERRUPTED)
        raise ServiceFailed(f"The service {self.name} ended before it was ready: {self._said(outcome)}")

    def _is_ready(self, probe: Sandbox) -> bool:
        ready = self._plan.service.ready
        if step := self._plan.step(Role.READY):
            return self._run(step).exit_code == 0
        request = _GET.format(path=ready.http, host=self.name, port=ready.port) if ready.http else ""
        line = probe.probe(ready.port, request, seconds=_PROBE_SECONDS)
        return line is not None and (not request or _FINE.match(line) is not None)

    def _awaited(self) -> str:
        ready = self._plan.service.ready
        if ready.command:
            return f"`{' '.join(ready.command)}` did not succeed"
        what = f"GET {ready.http} at port" if ready.http else "port"
        return f"{what} {ready.port} of 127.0.0.1 did not answer"

    def reset(self) -> None:
        """Reset the service to its initial state, if it has a command for that.

        Raises:
            ServiceFailed: If the command fails.
        """
        step = self._plan.step(Role.RESET)
        if step is not None and (outcome := self._run(step)).exit_code != 0:
            raise ServiceFailed(f"The reset of the service {self.name} failed: {_said(step, outcome)}")

    def _run(self, step: Step) -> Outcome:
        console = self.lay_out(self._plan.stage)
        return console.run(
            Command(
                argv=step.argv,
                cwd=step.cwd,
                env={**console.env, **control_files.env(), **step.env},
                uid=console.uid(0),
                wall_seconds=time_limit.wall_seconds(step.limit_seconds),
            )
        )

    def why_ended(self) -> tuple[str, bool]:
        """Return a sentence about how it ended (empty while it runs), and whether the candidate caused that."""
        outcome = self._background.outcome
        if outcome is None:
            return "", False
        of_candidate = fault(outcome.ending) in (Fault.NONE, Fault.CANDIDATE)
        return f"The service {self.name} ended while the submission ran: {self._said(outcome)}", of_candidate

    def _said(self, outcome: Outcome) -> str:
        return _said(self._plan.stage.steps[0], outcome)


def _said(step: Step, outcome: Outcome) -> str:
    return f"{ending_sentence(StepOutcome(step, outcome)).rstrip('.')}.{_log(outcome)}"


def _log(outcome: Outcome) -> str:
    """Return a sentence with the last lines of a service's output."""
    printed = outcome.stderr.text().strip() or outcome.stdout.text().strip()
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    text = " | ".join(lines[-_LINES:])[-_CHARACTERS:]
    return f" Its log ends with: {text}" if text else " It printed nothing."
