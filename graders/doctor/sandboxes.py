"""Examines sandboxes: creates one of every profile, reads its guarantees, and tries to exceed its limits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gradebox.graders.doctor.findings import Finding, Health, ok, warning
from gradebox.sandbox import profiles
from gradebox.sandbox.engines.engine import Engine, EngineInfo
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.guarantees import Guarantees
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.profiles import Profile
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SCRATCH, Command, Ending, Filter, Outcome, SandboxSpec
from gradebox.sandbox.walls import Wall

# Limits that are small enough to be reached at once.
LIMITS = Limits(
    memory_bytes=128 * MIB,
    cpus=0.5,
    pids=16,
    disk_bytes=16 * MIB,
    disk_files=500,
    tmp_bytes=8 * MIB,
    shm_bytes=4 * MIB,
    open_files=64,
    file_bytes=6 * MIB,
)
_REFUSED = 7
_TMP, _SHM, *_ = SCRATCH
_SECONDS = 20.0
_DELEGATED = "An engine without root needs systemd to start it as a user service with Delegate=yes."


@dataclass(frozen=True, slots=True)
class Trial:
    """An attempt to exceed one limit."""

    name: str
    line: str  # A shell command that succeeds only if nothing stops it.
    # The messages if the limit held, and if it did not.
    held: str
    exceeded: str
    grave: bool = False  # Whether grading is unsafe without this limit.
    remedy: str = "Another engine or runtime may enforce it."
    wall_seconds: float = _SECONDS
    # The ending, besides a refusal, that proves that the limit held. Other endings prove nothing: on a slow machine, a
    # timeout does not prove that the memory limit held.
    shown_by: Ending | None = None

    def command(self, env: dict[str, str], uid: int) -> Command:
        # Use a subshell, since some errors end a shell before it can exit with our status.
        script = f"({self.line}) > /dev/null 2>&1 && exit 0; exit {_REFUSED}"
        return Command(("sh", "-c", script), env=env, uid=uid, wall_seconds=self.wall_seconds)

    def finding(self, outcome: Outcome) -> Finding:
        refused = outcome.ending is Ending.EXITED and outcome.exit_code == _REFUSED
        if refused or outcome.ending is self.shown_by:
            return ok(self.name, self.held)
        if outcome.ending is Ending.EXITED and outcome.exit_code == 0:
            return Finding(self.name, Health.BROKEN if self.grave else Health.WARNING, self.exceeded, self.remedy)
        reason = outcome.detail or f"It ended with exit status {outcome.exit_code}."
        return Finding(self.name, Health.WARNING, f"This could not be tried. {reason}")


def hidden(paths: Iterable[str]) -> Trial:
    """Return the trial that reads paths that a profile hides."""
    return Trial(
        "hidden",
        f"for path in {' '.join(paths)}; do "
        'if [ -d "$path" ]; then found=$(ls -A "$path"); else found=$(head -c 64 "$path"); fi; '
        '[ -z "$found" ] || exit 0; done; exit 1',
        "The paths that the profile hides cannot be read.",
        "Paths that the profile hides can be read.",
    )


def _filling(directory: str) -> str:
    """Return a shell line that writes 32 MiB into a directory, in files smaller than the file size limit."""
    return f"for part in 1 2 3 4 5 6 7 8; do head -c 4M /dev/zero > {directory}/$part || exit 1; done"


# The last trial may end the whole sandbox.
TRIALS = (
    Trial(
        "deadline",
        "sleep 30",
        "A sleeping command is killed at its deadline.",
        "A command outlived its deadline.",
        grave=True,
        wall_seconds=0.3,
        shown_by=Ending.TIMED_OUT,
    ),
    Trial(
        "processes",
        "count=0; while [ $count -lt 40 ]; do sleep 30 & count=$((count + 1)); done",
        "Only the 16 allowed processes could be started.",
        "40 processes could be started where 16 are allowed.",
        grave=True,
        remedy=f"Use an engine with the cgroup controller pids. {_DELEGATED}",
    ),
    Trial(
        "workspace",
        _filling("/workspace"),
        "The workspace does not exceed its size.",
        "The workspace exceeds its size; only the memory limit stops it.",
    ),
    Trial("tmp", _filling(_TMP), f"{_TMP} does not exceed its size.", f"{_TMP} exceeds its size."),
    Trial("shm", _filling(_SHM), f"{_SHM} does not exceed its size.", f"{_SHM} exceeds its size."),
    Trial(
        "files",
        "count=0; while [ $count -lt 1000 ]; do : > /workspace/$count || exit 1; count=$((count + 1)); done",
        "The workspace does not exceed its number of files.",
        "The number of files is not limited; only the memory limit stops it.",
    ),
    Trial(
        "file size",
        "head -c 8M /dev/zero > /workspace/large",
        "No file exceeds its size limit.",
        "A file can exceed its size limit.",
    ),
    Trial(
        "open files",
        "exec bash -c 'for number in {10..200}; do eval \"exec $number< /dev/null\" || exit 1; done'",
        "A process cannot open more files than allowed.",
        "A process can open more files than allowed.",
    ),
    Trial(
        "read-only",
        "touch /etc/gradebox || touch /usr/gradebox || touch /var/gradebox || touch /.gradebox/gradebox",
        "Nothing outside the workspace and the scratch directories can be written.",
        "A file outside the workspace could be written.",
        grave=True,
    ),
    Trial(
        "namespaces",
        "unshare --user true || unshare --mount true",
        "No command can create namespaces.",
        "A command can create namespaces and be root in them.",
        grave=True,
    ),
    Trial(
        "memory",
        "dd if=/dev/zero of=/dev/null bs=320M count=1",
        "A command that exceeds the memory limit is killed.",
        "A command got 320 MiB of memory where 128 MiB are allowed.",
        grave=True,
        remedy=f"Use an engine with the cgroup controller memory, without swap or with swap accounting. {_DELEGATED}",
        wall_seconds=3 * _SECONDS,
        shown_by=Ending.OUT_OF_MEMORY,
    ),
)


def sandboxes(engine: Engine, info: EngineInfo) -> Iterator[Finding]:
    for profile in profiles.SELECTABLE.values():
        runtime = profiles.runtime(profile, None, info)
        named = runtime or info.default_runtime or "of the engine"
        remedy = "docs/security.md says how to give gVisor to the engine."
        missing = (warning("runtime", sentence, remedy) for sentence in profiles.shortfall(profile, runtime))
        for finding in (*missing, *_examined(engine, profile, runtime)):
            yield replace(finding, group=f"sandbox, profile {profile.name}, runtime {named}")


def _examined(engine: Engine, profile: Profile, runtime: str | None) -> Iterator[Finding]:
    spec = SandboxSpec(
        reference("base"),
        LIMITS,
        runtime=runtime,
        filter=profile.filter,
        masked=profile.masked,
        accepted=frozenset(Wall),
    )
    found: list[Finding] = []
    started = time.monotonic()
    try:
        with Sandbox(engine, spec) as sandbox:
            ready = time.monotonic() - started
            found.extend(_read(sandbox.guarantees, sandbox.gaps))
            sandbox.snapshot()
            # gVisor has its own files at the hidden paths.
            hides = spec.masked and not sandbox.guarantees.own_kernel
            trials = (hidden(spec.masked), *TRIALS) if hides else TRIALS
            for trial in trials:
                sandbox.reset(sandbox.uid(0))
                found.append(trial.finding(sandbox.run(trial.command(sandbox.env, sandbox.uid(0)))))
    except SandboxError as error:
        yield Finding("sandbox", Health.BROKEN, error.message, error.remedy)
    else:
        yield ok("sandbox", f"A sandbox started in {ready:.2f} s; {len(trials)} limits were tried in it.")
    yield from found


def _read(seen: Guarantees, gaps: tuple[str, ...]) -> Iterator[Finding]:
    """Report what the supervisor found in its own container. If that was wrong, the sandbox would not have started."""
    yield ok("rights", "The supervisor has six capabilities; commands have none and can gain none.")
    if Wall.NETWORK not in seen.lacks:
        yield ok("network", "The only network is loopback.")
    if seen.seccomp:
        yield ok("seccomp", "The engine filters system calls.")
    elif seen.own_kernel:
        yield ok("seccomp", "The engine filters no system calls of the sandbox; gVisor answers them.")
    else:
        remedy = "Remove seccomp=unconfined from the engine's settings."
        yield warning("seccomp", "The engine filters no system calls.", remedy)
    if seen.filter is not Filter.NONE:
        yield ok("filter", f"The supervisor's own filter of system calls is active, level {seen.filter}.")
    if seen.swap_bytes == 0:
        yield ok("swap", "Memory cannot use swap.")
    if seen.cpus is not None:
        yield ok("processors", f"The quota is {seen.cpus:g} processors, as requested.")
    for sentence in gaps:
        yield warning("not enforced", sentence, "Verdicts from such sandboxes say so under not_enforced.")
