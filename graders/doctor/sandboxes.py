"""Examines sandboxes: creates one of every profile, reads its guarantees, and tries to exceed its limits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from graders.doctor.findings import Finding, Health, ok, warning
from graders.doctor.trials import LIMITS, TRIALS, hidden
from sandbox import profiles
from sandbox.engines.engine import Engine, EngineInfo
from sandbox.errors import SandboxError
from sandbox.guarantees import Guarantees
from sandbox.images.recipes import reference
from sandbox.profiles import Profile
from sandbox.session import Sandbox
from sandbox.types import Filter, SandboxSpec


def sandboxes(engine: Engine, info: EngineInfo) -> Iterator[Finding]:
    """Examine a sandbox of every profile."""
    for profile in profiles.SELECTABLE.values():
        runtime = profiles.runtime(profile, None, info)
        named = runtime or info.default_runtime or "of the engine"
        remedy = "docs/security.md says how to give gVisor to the engine."
        missing = (warning("runtime", sentence, remedy) for sentence in profiles.shortfall(profile, runtime))
        for finding in (*missing, *_examined(engine, profile, runtime)):
            yield replace(finding, group=f"sandbox, profile {profile.name}, runtime {named}")


def _examined(engine: Engine, profile: Profile, runtime: str | None) -> Iterator[Finding]:
    spec = SandboxSpec(reference("base"), LIMITS, runtime=runtime, filter=profile.filter, masked=profile.masked)
    found: list[Finding] = []
    started = time.monotonic()
    try:
        with Sandbox(engine, spec) as sandbox:
            ready = time.monotonic() - started
            found.extend(_read(sandbox.guarantees, sandbox.gaps))
            sandbox.snapshot()
            # gVisor has files of its own at those paths.
            hides = spec.masked and not sandbox.guarantees.own_kernel
            trials = (hidden(spec.masked), *TRIALS) if hides else TRIALS
            for trial in trials:
                sandbox.reset(sandbox.uid(0))
                found.append(trial.finding(sandbox.run(trial.command(sandbox.env, sandbox.uid(0)))))
    except SandboxError as error:
        yield Finding("sandbox", Health.BROKEN, error.message, error.remedy or "Run `grade images build base`.")
    else:
        yield ok("sandbox", f"A sandbox started in {ready:.2f} s; {len(trials)} limits were tried in it.")
    yield from found


def _read(seen: Guarantees, gaps: tuple[str, ...]) -> Iterator[Finding]:
    """Report what the supervisor read of its own container. A contradiction would have prevented the sandbox."""
    yield ok("rights", "The supervisor has six capabilities; commands have none and can gain none.")
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
