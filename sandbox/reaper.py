"""Removes what crashed runs left on the engine, and never what a living run owns.

A run that ends in any orderly way removes its own sandboxes. One that was killed cannot; but its supervisors end when
their channel closes, and every container says in its labels who owns it and until when it may live. That is enough to
decide, without a file on this machine, which containers are orphans: `orphaned` decides, `reap` acts. The volumes of
other versions' supervisors belong to nobody; those that nobody has used for a day go, too: `outdated` decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from sandbox import owner
from sandbox.engines.engine import Engine, Leftover
from sandbox.errors import SandboxError
from sandbox.owner import (
    LABEL,
    LABEL_OWNER,
    LABEL_UNTIL,
)

# A container of an owner that cannot be asked (another machine) is left alone this long after it was created, even
# when it does not run: it may be about to start, or about to be removed by that owner.
PATIENCE_SECONDS = 600.0

# An earlier version's supervisor is filled into its volume again in a moment, if that version is still in use.
VOLUME_SECONDS = 86_400.0

# After the end that its label names, a container's supervisor has had its own alarm; this allows for clocks.
GRACE_SECONDS = 120.0


def orphaned(leftover: Leftover, now: float, life: Callable[[str], owner.Life] = owner.life) -> bool:
    """Decide whether nobody owns a leftover any more.

    Args:
        leftover: What carries our label.
        now: Seconds since the epoch, by the engine's clock where it is known.
        life: How an owner is asked; replaced in tests.
    """
    if leftover.kind != "container":
        return False
    match life(leftover.labels.get(LABEL_OWNER, "")):
        case owner.Life.ALIVE:
            return False
        case owner.Life.DEAD:
            return True
        case owner.Life.ELSEWHERE:
            if now > _number(leftover.labels.get(LABEL_UNTIL, "")) + GRACE_SECONDS:
                return True
            return not leftover.running and now > leftover.created + PATIENCE_SECONDS


def outdated(
    leftovers: Sequence[Leftover], now: float, life: Callable[[str], owner.Life] = owner.life
) -> list[Leftover]:
    """Return the supervisors' volumes that no run seems to need: old, in no container, and nobody else at work.

    A run of another version may have no container for a moment, so none is removed while somebody has one. Should it
    happen all the same, that run fills its volume again (`Engine.repair`).

    Args:
        leftovers: All that carries our label.
        now: Seconds since the epoch, by the engine's clock where it is known.
        life: How an owner is asked; replaced in tests.
    """
    owners = {found.labels.get(LABEL_OWNER, "") for found in leftovers if found.kind == "container"} - {owner.me()}
    if any(life(name) is not owner.Life.DEAD for name in owners):
        return []
    return [
        found
        for found in leftovers
        if found.kind == "volume"
        and found.labels.get(LABEL) == "supervisor"
        and not found.running
        and 0 < found.created < now - VOLUME_SECONDS
    ]


def reap(engine: Engine) -> tuple[Leftover, ...]:
    """Remove every orphan of the engine and return what was removed.

    One that cannot be removed now does not keep the others; a later run will try again.
    """
    info_time = engine.info().time
    now = info_time if info_time is not None else time.time()
    found = engine.leftovers()
    old = outdated(found, now)
    removed: list[Leftover] = []
    for leftover in (*(one for one in found if orphaned(one, now)), *old):
        try:
            if leftover in old and engine.is_current(leftover):
                continue
            engine.remove_leftover(leftover)
        except SandboxError:
            continue
        removed.append(leftover)
    return tuple(removed)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")
