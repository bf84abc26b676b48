"""What all gradings of a run share: the sandbox's profile, who listens, and what stops them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import TYPE_CHECKING

from gradebox.graders.checks.evaluation import runs_alone
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.baseline_cache import BaselineCache
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.grading.many.exclusive import Exclusive
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.judges.spending import Spending
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.events import Event
from gradebox.graders.model.result import Result
from gradebox.sandbox import profiles
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.guarantees import Guarantees
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.profiles import DEFAULT, Profile
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import SandboxSpec
from gradebox.sandbox.walls import Wall

if TYPE_CHECKING:
    from gradebox.graders.grading.case_images.image_room import ImageRoom
    from gradebox.graders.grading.many.leases import Leases
    from gradebox.graders.grading.many.spares import Spares
    from gradebox.sandbox.session import Sandbox

# How much longer than its commands a sandbox may live: to lay out files, to end the last command, and for its removal.
# Multiplied by how much slower the sandbox is than one with a whole processor.
LIFETIME_GRACE_SECONDS = 150.0


class ListenerError(BaseException):
    """An exception of a listener, on its way past everything that takes an exception for a fault of the grading."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def wrapped(emit: Callable[[Event], None]) -> Callable[[Event], None]:
    def emitted(event: Event) -> None:
        try:
            emit(event)
        except Exception as error:
            raise ListenerError(error) from error

    return emitted


def profile_named(name: str) -> profiles.Profile:
    """Return the profile of a name; with a `!` behind it, one that insists. Raises UsageRefused if there is none."""
    plain = name.removesuffix("!")
    if plain not in profiles.SELECTABLE:
        raise UsageRefused(f"There is no sandbox profile {plain}.", remedy=suggestion(plain, profiles.SELECTABLE))
    return replace(profiles.SELECTABLE[plain], insists=plain != name)


def refuse_shortfall(profile: Profile, runtime: str | None, machine: EngineInfo) -> None:
    """Raise UsageRefused if a profile insists on gVisor, and sandboxes would use another runtime."""
    if profile.insists and profiles.shortfall(profile, runtime):
        name = profile.name
        raise UsageRefused(
            f"The profile {name}! requires gVisor, but sandboxes would use the runtime "
            f"{runtime or machine.default_runtime or 'of the engine'}.",
            remedy=f"Add gVisor to the engine, as docs/security.md says, or use the profile {name} without `!`.",
        )


def walls(text: str) -> frozenset[Wall]:
    """Return the walls that a text names, with commas between them. Raises UsageRefused if there is none of a name."""
    given = [name.strip() for name in text.split(",") if name.strip()]
    for name in given:
        if name not in list(Wall):
            raise UsageRefused(
                f"A sandbox has no protection {name}; it has {', '.join(Wall)}.", remedy=suggestion(name, Wall)
            )
    return frozenset(map(Wall, given))


@dataclass(slots=True)
class Outage:
    """Since when an engine has not answered, shared by all gradings of a run.

    Without this, every grading would wait for the engine separately, and a run of thousands whose engine is gone for
    good would take days to report it.
    """

    _since: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_failure(self) -> float:
        """Note that the engine did not answer, and return for how many seconds it has not answered."""
        with self._lock:
            now = time.monotonic()
            if self._since is None:
                self._since = now
            return now - self._since

    def note_answer(self) -> None:
        with self._lock:
            self._since = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a grading needs besides the case and the submission."""

    image_of: Callable[[Case], str]  # Returns the image reference for a case.
    profile: Profile = DEFAULT
    runtime: str | None = None  # OCI runtime, None for the engine's default.
    accepted: frozenset[Wall] = frozenset()  # The walls that a sandbox may lack where no engine builds them.
    machine: EngineInfo | None = None  # What the engine says of itself; None before anybody asked.
    emit: Callable[[Event], None] = lambda _: None
    stop: threading.Event = field(default_factory=threading.Event)  # When set, nothing new starts.
    # The open sandboxes, so that they can be killed after `stop` was set.
    live: dict[int, Sandbox] = field(default_factory=dict)
    exclusive: Exclusive = field(default_factory=Exclusive)  # What keeps gradings that measure time alone.
    leases: Leases | None = None  # Services that last, None where no grading comes after this one.
    spares: Spares | None = None  # Sandboxes made ahead, None where nothing comes after this grading.
    outage: Outage = field(default_factory=Outage)
    # Errors that every submission of a case has, by the case's place and the id of its image. Gradings fill it.
    case_errors: dict[tuple[Place, str], str] = field(default_factory=dict)
    baselines: BaselineCache = field(default_factory=BaselineCache)  # What cases come to without a submission.
    # Returns an earlier result that still holds, given its key and the hash of everything that the verdict depends on
    # (None while that is not known).
    known: Callable[[Key, str | None], Result | None] = lambda *_: None
    replies: ReplyCache = field(default_factory=ReplyCache)  # What judges have replied.
    spending: Spending = field(default_factory=Spending)  # What they have cost, and may cost.
    room: ImageRoom | None = None  # What limits the disk of the run's images, None for no limit.

    def machine_of(self, guarantees: Guarantees) -> dict[str, str]:
        """Return what a sandbox with these guarantees runs on, as far as it is known."""
        found = {"kernel": guarantees.kernel, "processor": guarantees.processor}
        if self.machine is not None:
            found["engine"] = f"{self.machine.name} {self.machine.version}".strip()
            found["runtime"] = self.runtime or self.machine.default_runtime
        return {name: text for name, text in found.items() if text}

    def turn(self, case: Case) -> AbstractContextManager[None]:
        """Return a context in which commands of a case may run: alone, or beside others."""
        return self.exclusive.held(alone=runs_alone(case), unwanted=self.stop.is_set)

    def sandbox_spec(self, image: str, limits: Limits, seconds: float) -> SandboxSpec:
        """Return the sandbox for commands that take at most `seconds` in total."""
        return SandboxSpec(
            image=image,
            limits=limits,
            lifetime_seconds=seconds + LIFETIME_GRACE_SECONDS * limits.slowness,
            runtime=self.runtime,
            filter=self.profile.filter,
            masked=self.profile.masked,
            accepted=self.accepted,
        )
