"""All services of a case: started in order, each ready before the next starts, and always ended.

The first service's sandbox has the network, and the others and the submission's sandbox join it. This is not a network
of the engine: nothing outside can be reached, and the services' names resolve to loopback. Each service occupies its
port before anything of the submission runs.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Self

from gradebox.graders.grading.image_choice import with_services
from gradebox.graders.grading.open_sandboxes import retry_while_away
from gradebox.graders.grading.services.running_service import RunningService
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model import time_limit
from gradebox.graders.model.case import Case
from gradebox.graders.model.plan import Plan, Stage
from gradebox.sandbox import profiles
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import EngineRefused, SandboxError
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec

# Extra lifetime of services that serve several submissions.
LASTING_SECONDS = 3600.0


class ServiceGroup:
    """The services of a case. Not thread-safe.

    Args:
        engine: The engine.
        plan: The plan of a submission; a case without services has an empty group.
        settings: Those of the grading that starts them.
    """

    def __init__(self, engine: Engine, plan: Plan, settings: Settings) -> None:
        self._engine, self._plan, self._settings = engine, plan, settings
        self._opened = ExitStack()
        self._running: dict[str, RunningService] = {}
        self._network = ""
        self._until = 0.0
        # Whether the services are ready for the next submission.
        self._is_fresh = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all services, the first one last."""
        self._opened.close()

    @property
    def image_ids(self) -> dict[str, str]:
        """The ids of the images of the running services, by name."""
        return {name: one.image_id for name, one in self._running.items()}

    def beside(self, spec: SandboxSpec) -> SandboxSpec:
        """Return the specification of a submission's sandbox in the services' network; start the first service.

        Raises:
            EngineRefused: If sandboxes of the engine cannot share a network.
            SandboxError: If the service's sandbox cannot be opened.
        """
        if not self._plan.services:
            return spec
        if not self._network:
            refuse_engine(self._engine, self._settings)
            self._start(0)
        return replace(spec, hosts=self._names, beside=self._network)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(one.service.name for one in self._plan.services)

    def _start(self, number: int) -> RunningService:
        plan, service = self._plan, self._plan.services[number].service
        image = self._settings.image_of(list(with_services(plan.case))[number + 1])
        limits = profiles.limits(self._settings.profile, service.limits)
        seconds = self._longest_seconds + (LASTING_SECONDS if service.lasts else 0.0)
        spec = self._settings.sandbox_spec(image, limits, seconds)
        self._until = self._until or time.monotonic() + seconds
        spec = replace(spec, hosts=self._names, beside=self._network)
        running = RunningService(self._engine, plan.services[number], spec, self._settings)
        self._opened.callback(running.close)
        self._running[service.name] = running
        self._network = self._network or running.network
        return running

    def make_ready(self, probe: Sandbox) -> None:
        """Start the services, wait until each is ready, and reset them, unless they are already in that state.

        Args:
            probe: The sandbox of the submission, before it has any submitted file.

        Raises:
            ServiceFailed: If a service does not become ready, or its reset fails.
            SandboxError: If a sandbox cannot be opened.
        """
        if not self._is_fresh:
            for number, name in enumerate(self._names):
                (self._running.get(name) or self._start(number)).wait(probe)
            for running in self._running.values():
                running.reset()
        self._is_fresh = False

    def lay_out(self, stage: Stage, sandbox: Sandbox) -> Sandbox:
        """Return the sandbox beside a service for a stage, after killing every process in the submission's `sandbox`.

        Raises:
            SandboxError: If one of the two sandboxes is lost.
        """
        sandbox.reset(sandbox.uid(0))
        return self._running[stage.beside].lay_out(stage)

    def part_from(self, sandbox: Sandbox) -> None:
        """Prepare lasting services for another submission, after killing every process of this one. Never raises.

        The next submission must not suffer from what this one did, so services that are not ready or cannot be reset
        are not used again.
        """
        if any(one.service.lasts for one in self._plan.services):
            with suppress(SandboxError):
                sandbox.reset(sandbox.uid(0))
                self.make_ready(sandbox)
                self._is_fresh = True

    @property
    def can_serve(self) -> bool:
        """Whether another submission can use the services: they are reset, running, and will live long enough."""
        left = self._until - time.monotonic()
        return self._is_fresh and not self.why_ended()[0] and left > self._longest_seconds

    @property
    def _longest_seconds(self) -> float:
        waiting = sum(one.service.ready.timeout_seconds for one in self._plan.services)
        return time_limit.longest_seconds(self._plan.case.whole_seconds) + waiting

    def why_ended(self) -> tuple[str, bool]:
        """Return a sentence about the service that ended while the submission ran, and whether the candidate caused it.

        The sentence is empty if all services run.
        """
        return next((found for one in self._running.values() if (found := one.why_ended())[0]), ("", False))


def refuse_engine(engine: Engine, settings: Settings) -> None:
    """Raise EngineRefused if sandboxes of the engine cannot share a network."""
    info = settings.machine or engine.info()
    if is_gvisor(settings.runtime or info.default_runtime):
        raise EngineRefused(
            "The case has services, which gVisor does not support: each of its sandboxes has a network of its own.",
            remedy="Use another runtime, such as `--runtime runc`.",
        )
    if not info.joins_networks:
        raise EngineRefused(
            f"The case has services, but sandboxes cannot share a network here ({info.name}).",
            remedy="Use a Docker Engine or oci://.",
        )


def image_ids(engine: Engine, case: Case, settings: Settings) -> dict[str, str]:
    """Return the image ids of a case's services, by service name; images are built if necessary.

    Raises:
        SandboxError, GraderError: If an image cannot be built, or is missing.
    """
    _, *of_services = with_services(case)
    references = [settings.image_of(one) for one in of_services]
    found = [retry_while_away(lambda name=name: engine.image(name), settings).id for name in references]  # type: ignore[misc]
    return dict(zip((service.name for service in case.services), found, strict=True))
