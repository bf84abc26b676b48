"""An OCI runtime of this machine as an `Engine`: it starts each sandbox directly, without a daemon.

The runtime runs in its own mount namespace, so that a sandbox's root filesystem is unmounted when it ends. A sandbox
ends with its channel, even if this process is killed; the reaper then removes its directory. Images come from a Docker
Engine, which is only used to look up and export images.
"""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gradebox.sandbox import forks, owner
from gradebox.sandbox.engines.docker import container_request
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.docker.docker_images import DockerImages
from gradebox.sandbox.engines.docker.http_client import DEFAULT_ADDRESS
from gradebox.sandbox.engines.engine import ContainerState, EngineInfo, ImageInfo, Leftover
from gradebox.sandbox.engines.local_channel import LocalChannel
from gradebox.sandbox.engines.oci import bundles, control_groups, open_files, roots
from gradebox.sandbox.engines.oci.runtime_config import config
from gradebox.sandbox.errors import EngineRefused, ImageUnavailable, SandboxError
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import Network
from gradebox.sandbox.profiles import ENGINES_HIDE
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import SandboxSpec

# Ordered by the processor time that they need for a start.
RUNTIMES = ("crun", "runc", "runsc")
# The same options as for Docker (docs/security.md).
_OPTIONS = {"runsc": ("--platform=systrap", "--network=none")}
_TOOLS = ("unshare", "mount", "umount", "tar")
# Users often have no sbin in their PATH.
_PATH = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"
# Unmounts a cgroup hierarchy that the runtime refuses, mounts the root filesystem where nobody else sees it, and then
# executes the runtime.
_LAUNCH = (
    '{ [ -z "$1" ] || umount -n -l "$1"; } && '
    'mount -n -t overlay -o "ro,lowerdir=$2" overlay "$3" && shift 3 && exec "$@"'
)
_END_SECONDS = 10.0


@dataclass(slots=True)
class _Sandbox:
    runtime: str
    image: str
    memory_bytes: int
    channel: LocalChannel | None = None
    process: subprocess.Popen[bytes] | None = None


class OciEngine:
    """An OCI runtime on this machine. A forked process may use its parent's object.

    Args:
        runtime: The runtime's name, such as ``runc``; empty for the first of RUNTIMES that is installed.
        timeout_seconds: How long one answer of the Docker Engine with the images may take.
    """

    def __init__(self, runtime: str = "", *, timeout_seconds: int = 120) -> None:
        self._runtime = runtime
        address = os.environ.get("DOCKER_HOST") or DEFAULT_ADDRESS
        store = DEFAULT_ADDRESS if address.startswith("oci") else address
        self._store = DockerEngine(store, timeout_seconds=timeout_seconds)
        self._begin()
        forks.register(self)

    def _begin(self) -> None:
        self.session = secrets.token_hex(8)
        self._sandboxes: dict[str, _Sandbox] = {}

    def forked(self) -> None:
        # The parent's sandboxes are not ours to remove.
        self._begin()

    @property
    def images(self) -> DockerImages:
        return self._store.images

    def info(self) -> EngineInfo:
        name, version = self._version
        return EngineInfo(
            name=f"OCI runtime {name}",
            version=version,
            api_version="",
            architecture=platform.machine(),
            cgroup_version=control_groups.version(),
            default_runtime=name,
            runtimes=tuple(sorted(self._programs)),
            security=("seccomp",),
            processors=len(os.sched_getaffinity(0)),
            memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            time=time.time(),
            root_directory=str(roots.home()),
            machine=platform.node(),
            runc=version if name == "runc" else "",
            warnings=open_files.warnings(),
            joins_networks=True,
        )

    @cached_property
    def _programs(self) -> dict[str, str]:
        """The path of each installed runtime, by its name."""
        found = {name: shutil.which(name, path=_PATH) for name in filter(None, (*RUNTIMES, self._runtime))}
        return {name: path for name, path in found.items() if path}

    @cached_property
    def _default(self) -> str:
        """The runtime of sandboxes that name none.

        Raises:
            EngineRefused: If the runtime is missing, or this machine cannot start sandboxes.
        """
        if platform.system() != "Linux" or os.geteuid() != 0:
            raise EngineRefused("oci:// needs root on Linux.", remedy="Use a Docker Engine: omit --host.")
        name = self._runtime or next(iter(self._programs), RUNTIMES[0])
        for program in (name, *_TOOLS):
            if not shutil.which(program, path=_PATH):
                raise EngineRefused(f"{program} is not installed here; oci:// needs it.", remedy="Install it.")
        return name

    @cached_property
    def _version(self) -> tuple[str, str]:
        """The name and version of the default runtime."""
        name = self._default
        done = subprocess.run([self._programs[name], "--version"], capture_output=True, check=False, timeout=30)
        return name, (done.stdout.decode("utf-8", "replace").splitlines() or ["unknown"])[0].rpartition(" ")[2]

    def image(self, reference: str) -> ImageInfo:
        return self._store.image(reference)

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        if spec.limits.network is not Network.NONE:
            raise SandboxError(
                "Sandboxes of oci:// have no network, but this case requests one.",
                remedy="Use a Docker Engine (omit --host), or an image with what the case downloads.",
            )
        runtime = spec.runtime or self._default
        if runtime not in self._programs:
            raise EngineRefused(f"The runtime {runtime} is not installed here.", remedy="Omit --runtime.")
        if is_gvisor(runtime):
            open_files.demand()
        labels = {
            **spec.labels,
            owner.LABEL: "sandbox",
            owner.LABEL_OWNER: owner.me(),
            owner.LABEL_UNTIL: str(int(time.time() + spec.lifetime_seconds)),
            owner.LABEL_SESSION: self.session,
        }
        try:
            if not roots.directory_of(image.id).is_dir():
                roots.unpack(image.id, self.images.export(image.id, {**labels, owner.LABEL: "fill"}), image.volumes)
            return self._created(replace(spec, runtime=runtime), image, {"labels": labels, "name": name})
        except OSError as error:
            where = f"{error.filename}: {error.strerror}" if error.filename else error
            raise EngineRefused(f"The files of a sandbox cannot be written: {where}.") from error

    def _created(self, spec: SandboxSpec, image: ImageInfo, record: dict[str, Any]) -> str:
        container = secrets.token_hex(8)
        # ENGINES_HIDE must be passed on, because only Docker hides these paths by default.
        files = min(spec.limits.open_files, open_files.most())
        wanted = replace(spec, masked=spec.masked or ENGINES_HIDE, limits=replace(spec.limits, open_files=files))
        body = container_request.create_body(wanted, image, mount={}, labels={}, processors=os.cpu_count() or 1)
        written = config(
            body,
            root=str(bundles.path(container) / "rootfs"),
            group=control_groups.path(container),
            architecture=platform.machine(),
            hosts=str(bundles.path(container) / bundles.HOSTS) if spec.hosts else "",
            network=control_groups.network(spec.beside) if spec.beside else "",
        )
        self._sandboxes[container] = _Sandbox(str(spec.runtime), image.id, body["HostConfig"]["Memory"])
        try:
            bundles.make(container, {**record, "image": image.id}, written, roots.hosts(spec.hosts))
        except BaseException:
            self.remove(container)
            raise
        return container

    def attach(self, container: str) -> LocalChannel:
        channel = LocalChannel()
        self._sandboxes[container].channel = channel
        return channel

    def start(self, container: str) -> None:
        sandbox, place, home = self._sandboxes[container], bundles.path(container), roots.home()
        assert sandbox.channel is not None
        # Relative paths, since colons and commas in absolute ones would separate the overlay's layers and options.
        lower = (roots.layer(platform.machine()), roots.directory_of(sandbox.image))
        hidden = str(control_groups.hybrid() or "") if sandbox.runtime == "crun" else ""
        layers = ":".join(str(path.relative_to(home)) for path in lower)
        words = ["unshare", "--mount", "--", "sh", "-c", _LAUNCH, "launch", hidden, layers, str(place / "rootfs")]
        words += [self._programs[sandbox.runtime], *_OPTIONS.get(sandbox.runtime, ()), "--root", str(place / "runtime")]
        words += ["run", "--bundle", str(place), container]
        sandbox.process = subprocess.Popen(
            words,
            cwd=home,
            env={"PATH": _PATH},
            stdin=sandbox.channel.theirs.fileno(),
            stdout=sandbox.channel.theirs.fileno(),
            stderr=sandbox.channel.words,
            # Ctrl-C must not end the sandbox before the client has removed it.
            start_new_session=True,
        )
        sandbox.channel.give_away()

    def state(self, container: str) -> ContainerState | None:
        sandbox = self._sandboxes.get(container)
        if sandbox is None or sandbox.process is None:
            return None
        status = sandbox.process.poll()
        if status is None:
            return ContainerState(running=True)
        # gVisor's runtime does not report that its kernel was killed.
        starved = is_gvisor(sandbox.runtime) and self.ran_out_of_memory(container)
        return ContainerState(running=False, exit_code=status if status >= 0 else 128 - status, oom_killed=starved)

    def ran_out_of_memory(self, container: str) -> bool:
        sandbox = self._sandboxes.get(container)
        return sandbox is not None and control_groups.ran_out_of_memory(container, sandbox.memory_bytes)

    def repair(self, container: str, image: ImageInfo) -> bool:
        del container, image
        return roots.repair(platform.machine())

    def disconnect(self, container: str) -> None:
        """Do nothing: no sandbox has a network."""

    def kill(self, container: str) -> None:
        sandbox = self._sandboxes.get(container)
        if sandbox is not None and (process := sandbox.process) is not None and process.poll() is None:
            # Kill the runtime first, so that it starts nothing more.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
        deadline = time.monotonic() + _END_SECONDS
        while control_groups.members(container) and time.monotonic() < deadline:
            control_groups.kill(container)
            time.sleep(0.002)

    def remove(self, container: str) -> None:
        sandbox = self._sandboxes.get(container)
        if sandbox is not None and sandbox.channel is not None:
            sandbox.channel.close()
        if sandbox is not None and sandbox.process is not None:
            # The closed channel ends the sandbox, and its runtime then cleans up.
            with suppress(subprocess.TimeoutExpired):
                sandbox.process.wait(_END_SECONDS / 10)
        self.kill(container)
        # If processes are left, keep the record, so that the reaper finds them and tries again.
        if control_groups.remove(container):
            bundles.remove(container)
        self._sandboxes.pop(container, None)

    def leftovers(self) -> tuple[Leftover, ...]:
        found = list(bundles.records())
        images = {roots.directory_of(str(record.get("image"))) for _, record, _ in found}
        label = {owner.LABEL: "supervisor"}
        return (
            *(
                Leftover("container", name, record.get("labels", {}), created, bool(control_groups.members(name)))
                for name, record, created in found
            ),
            # Like volumes, images and layers are removed only if no sandbox uses them and no image needs them.
            *(Leftover("volume", str(place), label, place.stat().st_mtime, place in images) for place in roots.kept()),
        )

    def is_current(self, leftover: Leftover) -> bool:
        place = Path(leftover.id)
        if place.parent.name == "layers":
            return place == roots.layer(platform.machine())
        try:
            self._store.image(f"sha256:{place.name}")
        except ImageUnavailable:
            return False
        return True

    def remove_leftover(self, leftover: Leftover) -> None:
        if leftover.kind == "container":
            self.remove(leftover.id)
        else:
            roots.discard(Path(leftover.id))

    def close(self) -> None:
        for container in list(self._sandboxes):
            self.remove(container)
        self._store.close()
