"""Removes what crashed runs left on the engine, but nothing that a living run owns.

A run that ends normally removes its own sandboxes. A killed run cannot, but its supervisors end when their channel
closes. A container's labels name its owner and the end of its life, which suffices to find orphans without a file on
this machine: `orphaned` decides, `reap` acts. A volume with another version's supervisor has no owner; `outdated` finds
such volumes that were unused for a day.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gradebox.sandbox import owner
from gradebox.sandbox.engines.engine import Engine, Leftover
from gradebox.sandbox.errors import EngineRefused, SandboxError
from gradebox.sandbox.owner import LABEL, LABEL_OWNER, LABEL_UNTIL

# The owner of a container may be on another machine, so it is unknown whether the owner lives. Such a container is kept
# for this long after its creation even if it does not run: its owner may be about to start or remove it.
PATIENCE_SECONDS = 600.0

# The age at which another version's volume is removed. If that version is still in use, it quickly restores its volume.
VOLUME_SECONDS = 86_400.0

# At the end of a container's life its supervisor ends by itself; this margin allows for differing clocks.
GRACE_SECONDS = 120.0


def orphaned(leftover: Leftover, now: float, life: Callable[[str], owner.Life] = owner.life) -> bool:
    """Return whether a leftover has lost its owner.

    Args:
        leftover: Something that carries our label.
        now: Seconds since the epoch, by the engine's clock if it is known.
        life: Returns whether an owner lives, as far as known; replaced in tests.
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
    """Return the volumes of supervisors that no run seems to need: old, in no container, and no other run is active.

    A run of another version may have no container for a moment, so no volume is removed while another owner has a
    container. If a volume is removed too early, the run that needs it restores it (`Engine.repair`).

    Args:
        leftovers: Everything that carries our label.
        now: Seconds since the epoch, by the engine's clock if it is known.
        life: Returns whether an owner lives, as far as known; replaced in tests.
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
    """Remove every orphan and outdated volume of the engine, and return what was removed.

    If one cannot be removed, the others are removed anyway; a later run tries again.
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


def remove_everything(engine: Engine) -> tuple[Leftover, ...]:
    """Remove everything of gradebox on an engine except images, and return what was removed.

    Raises:
        EngineRefused: If a run uses the engine. Then only the leftovers of crashed runs are removed.
    """
    reaped = reap(engine)
    found = engine.leftovers()
    if any(one.kind == "container" or one.running for one in found):
        raise EngineRefused("A run has sandboxes on this engine. Try again when it is over; nothing was removed.")
    for leftover in found:
        engine.remove_leftover(leftover)
    return (*reaped, *found)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")
