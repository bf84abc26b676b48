"""What all gradings of a run share: the sandbox's profile, the listener, and the stop flag."""

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

# How much longer than its commands a sandbox may live, to lay out files, end the last command, and be removed. It is
# multiplied by the slowness of a sandbox with less than a whole processor.
LIFETIME_GRACE_SECONDS = 150.0


class ListenerError(BaseException):
    """Wraps a listener's exception, so that no handler treats it as a fault of the grading."""

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
    """Return the profile with a name; a `!` after the name requires its runtime. Raises UsageRefused if unknown."""
    plain = name.removesuffix("!")
    if plain not in profiles.SELECTABLE:
        raise UsageRefused(f"There is no sandbox profile {plain}.", remedy=suggestion(plain, profiles.SELECTABLE))
    return replace(profiles.SELECTABLE[plain], insists=plain != name)


def refuse_shortfall(profile: Profile, runtime: str | None, machine: EngineInfo) -> None:
    """Raise UsageRefused if a profile requires gVisor, and sandboxes would use another runtime."""
    if profile.insists and profiles.shortfall(profile, runtime):
        name = profile.name
        raise UsageRefused(
            f"The profile {name}! requires gVisor, but sandboxes would use the runtime "
            f"{runtime or machine.default_runtime or 'of the engine'}.",
            remedy=f"Add gVisor to the engine, as docs/security.md says, or use the profile {name} without `!`.",
        )


def walls(text: str) -> frozenset[Wall]:
    """Return the walls named in a comma-separated text. Raises UsageRefused if a name is unknown."""
    given = [name.strip() for name in text.split(",") if name.strip()]
    for name in given:
        if name not in list(Wall):
            raise UsageRefused(
                f"A sandbox has no protection {name}; it has {', '.join(Wall)}.", remedy=suggestion(name, Wall)
            )
    return frozenset(map(Wall, given))


@dataclass(slots=True)
class Outage:
    """How long an engine has not answered, shared by all gradings of a run.

    Without this, every grading would wait for the engine separately. A run of thousands whose engine never comes back
    would take days to report it.
    """

    _since: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_failure(self) -> float:
        """Note that the engine did not answer, and return how long it has not answered, in seconds."""
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
    """Settings and shared state of gradings."""

    image_of: Callable[[Case], str]  # Returns the image reference for a case.
    profile: Profile = DEFAULT
    runtime: str | None = None  # OCI runtime, None for the engine's default.
    accepted: frozenset[Wall] = frozenset()  # The walls that a sandbox may lack where no engine builds them.
    machine: EngineInfo | None = None  # The engine's description of itself; None before it was requested.
    emit: Callable[[Event], None] = lambda _: None
    stop: threading.Event = field(default_factory=threading.Event)  # When set, nothing new starts.
    # The open sandboxes, so that they can be killed after `stop` was set.
    live: dict[int, Sandbox] = field(default_factory=dict)
    exclusive: Exclusive = field(default_factory=Exclusive)  # Lets gradings that must run alone do so.
    leases: Leases | None = None  # Services kept for later gradings; None if no grading follows.
    spares: Spares | None = None  # Sandboxes made ahead; None if no grading follows.
    outage: Outage = field(default_factory=Outage)
    # Errors that every submission of a case has, by the case's place and the id of its image. Gradings fill it.
    case_errors: dict[tuple[Place, str], str] = field(default_factory=dict)
    baselines: BaselineCache = field(default_factory=BaselineCache)  # Results of cases without a submission.
    # Returns an earlier result that is still valid. The arguments are its key and the hash of everything that the
    # verdict depends on (None while that is not known).
    known: Callable[[Key, str | None], Result | None] = lambda *_: None
    replies: ReplyCache = field(default_factory=ReplyCache)  # The judges' replies so far.
    spending: Spending = field(default_factory=Spending)  # The judges' cost so far, and its limit.
    room: ImageRoom | None = None  # Limits the disk space of the run's images; None for no limit.

    def machine_of(self, guarantees: Guarantees) -> dict[str, str]:
        """Return what is known about the machine of a sandbox with these guarantees."""
        found = {"kernel": guarantees.kernel, "processor": guarantees.processor}
        if self.machine is not None:
            found["engine"] = f"{self.machine.name} {self.machine.version}".strip()
            found["runtime"] = self.runtime or self.machine.default_runtime
        return {name: text for name, text in found.items() if text}

    def turn(self, case: Case) -> AbstractContextManager[None]:
        """Return a context in which commands of a case may run, alone if the case requires it."""
        return self.exclusive.held(alone=runs_alone(case), unwanted=self.stop.is_set)

    def sandbox_spec(self, image: str, limits: Limits, seconds: float) -> SandboxSpec:
        """Return a sandbox's specification for commands that take at most `seconds` in total."""
        return SandboxSpec(
            image=image,
            limits=limits,
            lifetime_seconds=seconds + LIFETIME_GRACE_SECONDS * limits.slowness,
            runtime=self.runtime,
            filter=self.profile.filter,
            masked=self.profile.masked,
            accepted=self.accepted,
        )
