"""What goes wrong while a run goes on, one fault a time, at moments that chance draws."""

from __future__ import annotations

import contextlib
import os
import random
import shlex
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.engine import Leftover
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.owner import LABEL_OWNER
from soaking.proxy import Proxy

_HOURS = 3600.0
_ATTEMPTS = 5
_IN_TURN = ("channel cut", "container removed", "worker killed")
# What runs in front of everything of the worker's: its idea of the time is ours to change.
SITE = """\
import os, time
_file, _now = os.environ["SOAK_CLOCK"], time.time
def _shifted():
    try:
        with open(_file) as stream:
            return _now() + float(stream.read() or 0)
    except OSError:
        return _now()
time.time = _shifted
time.time_ns = lambda: int(_shifted() * 1e9)
"""


@dataclass(slots=True)
class Stage:
    """Where faults happen.

    Attributes:
        engine: Reached past the proxy.
        proxy: Between the worker and the engine.
        clock: The file that says how wrong the worker's clock is.
        room: The file system of the run directory, None where it is not one of its own.
        worker: The process that grades.
        removable: Whether an outsider's kill can be told from the candidate's doing.
        restart: Command that restarts the engine, empty for never.
        step_clock: Whether the machine's own clock is stepped.
        quick: Whether only what is over soon is done, and in turn.
    """

    engine: DockerEngine
    proxy: Proxy
    clock: Path
    room: Path | None
    removable: bool
    restart: str = ""
    step_clock: bool = False
    worker: subprocess.Popen[bytes] | None = None
    happened: Counter[str] = field(default_factory=Counter)
    full: bool = False
    quick: bool = False

    def faults(self) -> dict[str, tuple[float, Callable[[random.Random], bool]]]:
        """Return what can go wrong here, each with its weight; each says whether it could be done."""
        found: dict[str, tuple[float, Callable[[random.Random], bool]]] = {
            "channel cut": (4, self.proxy.cut_one),
            "engine away for a while": (1, self._engine_away),
            "worker's clock stepped": (1, self._shift_clock),
            "worker killed": (0.7, self._kill_worker),
        }
        if self.removable:
            found["container removed"] = (4, self._remove)
            found["container killed"] = (2, self._kill)
        if self.room is not None:
            found["disk full"] = (0.5, self._fill)
        if self.restart:
            found["engine restarted"] = (0.3, self._restart)
        if self.step_clock:
            found["machine's clock stepped"] = (0.3, self._step_clock)
        return found

    def one(self, chance: random.Random) -> None:
        """Let one of them happen."""
        faults = self.faults()
        if self.quick:
            faults = {name: faults[name] for name in _IN_TURN}
            name = min(faults, key=lambda one: self.happened[one])
        else:
            name = chance.choices(list(faults), [weight for weight, _ in faults.values()])[0]
        if faults[name][1](chance):
            self.happened[name] += 1

    def mend(self) -> None:
        """Undo what lasts."""
        self.proxy.come_back()
        if self.room is not None and self.full:
            _remount(self.room, "512m")
        self.full = False

    def sandboxes(self) -> list[Leftover]:
        """Return the worker's containers."""
        pid = str(self.worker.pid) if self.worker else ""
        found = self.engine.leftovers()
        return [
            one for one in found if one.kind == "container" and one.labels.get(LABEL_OWNER, "").split(":")[1:2] == [pid]
        ]

    def _some_sandbox(self, chance: random.Random) -> Leftover | None:
        running = [found for found in self.sandboxes() if found.running]
        return chance.choice(running) if running else None

    def _remove(self, chance: random.Random) -> bool:
        found = self._some_sandbox(chance)
        if found is not None:
            with contextlib.suppress(SandboxError):
                self.engine.remove(found.id)
        return found is not None

    def _kill(self, chance: random.Random) -> bool:
        found = self._some_sandbox(chance)
        if found is not None:
            with contextlib.suppress(SandboxError):
                self.engine.kill(found.id)
        return found is not None

    def _engine_away(self, chance: random.Random) -> bool:
        self.proxy.go_away()
        time.sleep(chance.uniform(0.5, 4.0))
        self.proxy.come_back()
        return True

    def _shift_clock(self, chance: random.Random) -> bool:
        self.clock.write_text(str(chance.uniform(-48, 48) * _HOURS))
        return True

    def _step_clock(self, chance: random.Random) -> bool:
        step, begun = chance.uniform(-12, 12) * _HOURS, time.monotonic()
        now = time.time()
        time.clock_settime(time.CLOCK_REALTIME, now + step)
        time.sleep(2.0)
        time.clock_settime(time.CLOCK_REALTIME, now + time.monotonic() - begun)
        return True

    def _kill_worker(self, _: random.Random) -> bool:
        assert self.worker is not None
        self.worker.send_signal(signal.SIGKILL)
        return True

    def _fill(self, _: random.Random) -> bool:
        assert self.room is not None
        use = os.statvfs(self.room)
        # A file system of exactly the size that is used, rounded up: no memory is spent on filling it.
        _remount(self.room, str((use.f_blocks - use.f_bfree) * use.f_frsize))
        self.full = True
        return True

    def _restart(self, _: random.Random) -> bool:
        subprocess.run(shlex.split(self.restart), check=True, timeout=120)
        for _attempt in range(60):
            with contextlib.suppress(SandboxError):
                self.engine.info()
                return True
            time.sleep(1.0)
        raise SystemExit("The engine did not come back after it was restarted.")


def mounted(room: Path) -> bool:
    """Make a directory a file system of its own, and say whether that could be done."""
    room.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512m", "soak", str(room)]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0


def unmount(room: Path) -> None:
    subprocess.run(["umount", "--lazy", str(room)], check=False)


def _remount(room: Path, size: str) -> None:
    # mount(8) may miss what it looks for in a table that containers change while it is read.
    for attempt in range(_ATTEMPTS):
        command = ["mount", "-o", f"remount,size={size}", str(room)]
        last = attempt == _ATTEMPTS - 1
        if subprocess.run(command, capture_output=not last, check=last).returncode == 0:
            return
