"""This machine or container as an `Engine`: the supervisor is our own child, with the walls that the kernel permits.

There are no images: our own file system is the image of every case. If the kernel refuses a mount namespace, sandboxes
share that file system, so only one can run at a time.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock as ThreadLock

from gradebox.sandbox import forks, owner, supervisor_build
from gradebox.sandbox.engines.engine import ContainerState, EngineInfo, ImageInfo, Leftover
from gradebox.sandbox.engines.here import delegated, place, users_lock
from gradebox.sandbox.engines.here.no_images import NoImages
from gradebox.sandbox.engines.local_channel import LocalChannel
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.profiles import ENGINES_HIDE
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, WORKSPACE, SandboxSpec
from gradebox.sandbox.users import FIRST_UID, USERS
from gradebox.sandbox.walls import Wall

# Directories that everybody can usually write, besides the scratch directories of every sandbox.
_WRITABLE = ("/var/tmp", "/run/lock")  # noqa: S108
_END_SECONDS = 5.0


@dataclass(slots=True)
class _Sandbox:
    spec: SandboxSpec
    first_uid: int
    locks: list[users_lock.Lock]
    groups: list[Path]
    channel: LocalChannel | None = None
    process: subprocess.Popen[bytes] | None = None


class HereEngine:
    """The container, pod or machine that we are in. A forked process may use its parent's object."""

    def __init__(self) -> None:
        self._sandboxes: dict[str, _Sandbox] = {}
        self._guard = ThreadLock()
        self.images = NoImages()
        forks.register(self)

    def forked(self) -> None:
        # The parent's sandboxes are not ours to remove.
        self._sandboxes, self._guard = {}, ThreadLock()

    def info(self) -> EngineInfo:
        alone = Wall.FILES in self.lacks
        return EngineInfo(
            name="No engine (here://)",
            version=platform.release(),
            api_version="",
            architecture=platform.machine(),
            processors=1 if alone else len(os.sched_getaffinity(0)),
            most_sandboxes=1 if alone else 0,
            memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            security=("seccomp",),
            time=time.time(),
            machine=platform.node(),
        )

    def image(self, reference: str) -> ImageInfo:
        return ImageInfo(
            self._id, reference, {"PATH": os.environ["PATH"]} if os.environ.get("PATH") else {}, self._writable
        )

    @cached_property
    def _id(self) -> str:
        """An id for our own file system, which cannot show whether the file system has changed."""
        with suppress(OSError):
            text = Path("/etc/os-release").read_text("utf-8", "replace")
            return f"here:{hashlib.sha256(f'{platform.node()} {text}'.encode()).hexdigest()}"
        return f"here:{hashlib.sha256(platform.node().encode()).hexdigest()}"

    @cached_property
    def _writable(self) -> tuple[str, ...]:
        return tuple(path for path in _WRITABLE if place.is_writable(Path(path)))

    @cached_property
    def _program(self) -> int:
        """The supervisor as a file in memory, since files that a wheel installs cannot be executed everywhere."""
        program = os.memfd_create("supervisor")
        with os.fdopen(os.dup(program), "wb") as file:
            file.write(supervisor_build.binary(platform.machine()))
        return program

    @cached_property
    def lacks(self) -> tuple[Wall, ...]:
        """The walls that cannot be built here, besides those that depend on a case.

        Raises:
            SandboxError: If we lack the rights that a supervisor needs.
        """
        place.check_rights()
        for path in (WORKSPACE, CANDIDATE_DIRECTORY):
            place.make(path)
        done = subprocess.run(
            [*self._words(FIRST_UID), "apart", "disk=4096", "tmp=4096", "shm=4096", "probe", "--", WORKSPACE],
            executable=f"/proc/self/fd/{self._program}",
            pass_fds=(self._program,),
            capture_output=True,
            check=False,
            timeout=30,
        )
        if done.returncode != 0 or not done.stdout.isdigit():
            words = done.stderr.decode("utf-8", "replace").strip()
            raise SandboxError(f"No sandbox can be made here: {words or f'exit status {done.returncode}'}")
        return Wall.of(int(done.stdout))

    @staticmethod
    def _words(first_uid: int) -> list[str]:
        users = (f"first={first_uid}", f"users={USERS}", f"spare={users_lock.spare_uid(first_uid)}")
        return ["supervisor", "here", *users, f"from={FIRST_UID}"]

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        del image
        if spec.runtime:
            raise SandboxError(f"here:// cannot use the runtime {spec.runtime}.", remedy="Omit --runtime.")
        if name is None:
            raise SandboxError("Too many sandboxes run here, or other processes use their accounts.")
        labels = {
            owner.LABEL: "sandbox",
            owner.LABEL_OWNER: owner.me(),
            owner.LABEL_UNTIL: str(int(time.time() + spec.lifetime_seconds)),
        }
        locks = [users_lock.lock_users(name, labels)]
        try:
            if Wall.FILES in self.lacks:
                locks.append(place.turn())
            with self._guard:
                groups = delegated.make(name, spec.limits)
                self._sandboxes[name] = _Sandbox(spec, users_lock.first_uid(name), locks, groups)
        except BaseException:
            for lock in locks:
                lock.release()
            raise
        return name

    def attach(self, container: str) -> LocalChannel:
        sandbox = self._sandboxes[container]
        sandbox.channel = LocalChannel()
        return sandbox.channel

    def start(self, container: str) -> None:
        sandbox = self._sandboxes[container]
        channel = sandbox.channel
        assert channel is not None
        sandbox.process = subprocess.Popen(
            self._command(sandbox),
            executable=f"/proc/self/fd/{self._program}",
            pass_fds=(self._program, *(lock.fd for lock in sandbox.locks)),
            stdin=channel.theirs.fileno(),
            stdout=channel.theirs.fileno(),
            stderr=channel.words,
            env={},
            cwd="/",
            # Ctrl-C must not end the sandbox before the client has removed it.
            start_new_session=True,
        )
        channel.give_away()

    def _command(self, sandbox: _Sandbox) -> list[str]:
        spec, limits = sandbox.spec, sandbox.spec.limits
        hidden = [*ENGINES_HIDE, *spec.masked, *spec.hidden]
        words = self._words(sandbox.first_uid)
        words += [f"memory={limits.memory_bytes}", f"disk={limits.disk_bytes}", f"inodes={limits.disk_files}"]
        words += [f"tmp={limits.tmp_bytes}", f"shm={limits.shm_bytes}"]
        words += ["network"] if limits.network is not Network.NONE else []
        words += ["apart"] if spec.apart else []
        words += ["open"] if Wall.FILES in self.lacks and any(map(place.can_be_read, spec.hidden)) else []
        words += [f"cgroup={group}" for group in sandbox.groups]
        words += [f"scratch={path}" for path in self._writable]
        words += [f"hide={path}" for path in hidden if "*" not in path]
        return [*words, "--", WORKSPACE, str(max(1, round(spec.lifetime_seconds))), spec.filter.value]

    def state(self, container: str) -> ContainerState | None:
        sandbox = self._sandboxes.get(container)
        if sandbox is None:
            return None
        status = sandbox.process.poll() if sandbox.process is not None else None
        running = status is None and sandbox.process is not None
        return ContainerState(running, None if status is None else status if status >= 0 else 128 - status)

    def ran_out_of_memory(self, container: str) -> bool:
        sandbox = self._sandboxes.get(container)
        return sandbox is not None and delegated.ran_out_of_memory(sandbox.groups)

    def repair(self, container: str, image: ImageInfo) -> bool:
        del container, image
        return False

    def disconnect(self, container: str) -> None:
        raise SandboxError(
            f"{container} cannot be disconnected from the network of this machine.",
            remedy="Prepare an image with what the setup downloads, or use a container engine.",
        )

    def kill(self, container: str) -> None:
        sandbox = self._sandboxes.get(container)
        process = sandbox.process if sandbox is not None else None
        if sandbox is None or process is None or process.poll() is not None:
            return
        # The supervisor kills all that it has started, and then ends.
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self._sweep(sandbox.first_uid)

    def _sweep(self, first_uid: int) -> None:
        """Kill every process of a range of users, unless a PID namespace did: other processes may be an engine's."""
        if Wall.PROCESSES in self.lacks and users_lock.processes(first_uid):
            subprocess.run(
                [*self._words(first_uid), "sweep"],
                executable=f"/proc/self/fd/{self._program}",
                pass_fds=(self._program,),
                check=False,
                timeout=30,
            )

    def remove(self, container: str) -> None:
        with self._guard:
            sandbox = self._sandboxes.pop(container, None)
        if sandbox is None:
            return
        if sandbox.channel is not None:
            sandbox.channel.close()
        if sandbox.process is not None:
            # The closed channel ends the sandbox.
            with suppress(subprocess.TimeoutExpired):
                sandbox.process.wait(_END_SECONDS)
            sandbox.process.kill()
            sandbox.process.wait()
            self._sweep(sandbox.first_uid)
        delegated.remove(sandbox.groups)
        for lock in sandbox.locks:
            lock.release()

    def leftovers(self) -> tuple[Leftover, ...]:
        return tuple(
            Leftover("container", path.name, labels, path.stat().st_mtime, running)
            for path, labels, running in users_lock.left()
        )

    def is_current(self, leftover: Leftover) -> bool:
        del leftover
        return False

    def remove_leftover(self, leftover: Leftover) -> None:
        # Wait, because its supervisor may still clean up.
        lock = place.wait_for_lock(users_lock.directory() / leftover.id, _END_SECONDS)
        self._sweep(users_lock.first_uid(leftover.id))
        delegated.remove(delegated.make(leftover.id, Limits()))
        lock.release()

    def close(self) -> None:
        for name in list(self._sandboxes):
            with suppress(SandboxError):
                self.remove(name)
