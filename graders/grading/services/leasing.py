"""Gives a submission a group of services: a new group, or one that has served other submissions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradebox.graders.grading.services.group import ServiceGroup, image_ids
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.plan import Plan
from gradebox.sandbox.engines.engine import Engine


@contextmanager
def leased(engine: Engine, plan: Plan, settings: Settings) -> Iterator[ServiceGroup]:
    """Return a context with the services of a plan for one submission's exclusive use.

    Services are ended afterwards, unless they last. Lasting services are ended, too, if an exception was raised or one
    of them has ended; the next submission then gets new ones.

    Raises:
        SandboxError, GraderError: If an image of a service cannot be built, or is missing.
    """
    leases = settings.leases
    if leases is None or not any(one.service.lasts for one in plan.services):
        with ServiceGroup(engine, plan, settings) as group:
            yield group
        return
    key = (plan.case.place, plan.case.id, tuple(sorted(image_ids(engine, plan.case, settings).items())))
    found = leases.take(key)
    if found is not None:
        assert isinstance(found, ServiceGroup)
    if found is not None and not found.can_serve:
        found.close()
        found = None
    group = found or ServiceGroup(engine, plan, settings)
    try:
        yield group
    except BaseException:
        group.close()
        raise
    if group.can_serve and not settings.stop.is_set():
        leases.give(key, group)
    else:
        group.close()
