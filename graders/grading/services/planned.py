"""Plans the commands of a service as one stage, which delivers the files that any of them names. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradebox.graders.checks.base import CheckPlanner
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.plan import Role, ServicePlan, Step
from gradebox.graders.model.service import Service


def planned(service: Service, planner: CheckPlanner) -> ServicePlan:
    """Return the plan of a service. Its environment contains none of the case's variables."""
    return ServicePlan(service, planner.stage(f"service {service.name}", list(_steps(service, planner))))


def _steps(service: Service, planner: CheckPlanner) -> Iterator[Step]:
    commands = {Role.SERVICE: service.command, Role.READY: service.ready.command, Role.RESET: service.reset}
    for role, argv in commands.items():
        if argv:
            step = planner.step(role, f"{role} of {service.name}", CommandSpec(argv))
            yield replace(step, env=service.env)
