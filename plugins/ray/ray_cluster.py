"""The nodes of a Ray cluster that have the resource `gradebox`; one worker per node reserves all of it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module, metadata
from threading import Lock
from typing import Any

from gradebox.graders.errors import ExitCode, GraderError, UsageRefused
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.model.case import Case
from gradebox.graders.model.events import Event
from gradebox.graders.model.result import Result
from gradebox.graders.runs.request import Request
from gradebox.plugins.ray.parcels import case_files
from gradebox.plugins.ray.ray_grader import ClusterNode, NodeLost, RayGrader

RESOURCE = "gradebox"
TOKEN = "token"  # noqa: S105 - the name of a mode
_MODE = "RAY_AUTH_MODE"
# The first version that supports tokens.
_LEAST = (2, 52)
_CLIENT_PORT = 10001
_CONNECT_SECONDS = 5.0
_JOIN_SECONDS = 90.0
_END_SECONDS = 20.0
_LOOK_SECONDS = 2.0
# How often a worker is started on a node at most, if it dies.
_STARTS = 3


def grader_on(
    request: Request,
    cases: Sequence[Case],
    *,
    emit: Callable[[Event], None],
    known: Callable[[Key, str | None], Result | None],
) -> RayGrader:
    """Connect to a cluster, and return the grader of a run on it.

    Raises:
        UsageRefused: If the extra `ray` is missing, tokens are off or unsupported, or the cases are too large.
        ClusterUnavailable: If no cluster answers, or none of its nodes can grade.
    """
    address = request.added["on"]
    names = ("host", "profile", "runtime", "accept_weaker")
    options: dict[str, Any] = {name: getattr(request, name) for name in names}
    options["of_cases"] = request.of_cases
    options["paths"] = [str(path.absolute()) for path in request.cases]
    files = case_files(request.cases, cases)
    without_token = bool(request.added.get("on_without_token"))
    cluster = RayCluster(address, options, files, without_token=without_token)
    return RayGrader(cluster, emit=emit, known=known, jobs=request.jobs)


class ClusterUnavailable(GraderError):
    """No cluster answers, or none of its nodes can grade."""

    exit_code = ExitCode.NOT_GRADED


class _RayNode:
    def __init__(self, ray: Any, name: str, slots: int, actor: Any) -> None:
        self._ray = ray
        self.name = name
        self.slots = slots
        self.actor = actor
        self.hello = actor.hello.remote()
        self.ready = False
        self.dead = ""
        self.ending: float | None = None

    def grade(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._reply(self.actor.grade, asked)

    def settle(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._reply(self.actor.settle, asked)

    def _reply(self, method: Any, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            reply = method.remote(dict(asked))
            while not self._ray.wait([reply], timeout=1.0)[0]:
                if self.ending is not None and time.monotonic() > self.ending:
                    raise NodeLost("it does not end what it was told to stop")
            found: Mapping[str, Any] = self._ray.get(reply)
            return found
        except self._ray.exceptions.RayActorError as error:
            self.dead = _first_line(error)
            raise NodeLost(self.dead) from error
        except (self._ray.exceptions.RayError, ConnectionError) as error:
            raise NodeLost(_first_line(error)) from error


class RayCluster:
    """A cluster to which this process is connected. May be used from several threads.

    Args:
        address: ``auto``, ``HOST:PORT`` or ``ray://HOST:PORT``.
        options: The options for `NodeWorker`.
        files: The files of the cases.
        without_token: Whether to accept a cluster without token authentication.

    Raises:
        UsageRefused: If the extra `ray` is not installed, or tokens are off or unsupported.
        ClusterUnavailable: If no cluster answers, or none of its nodes can grade.
    """

    def __init__(self, address: str, options: Mapping[str, Any], files: bytes, *, without_token: bool = False) -> None:
        self._ray = _connected(address, without_token=without_token)
        self._options = dict(options)
        self._without_token = without_token
        self._files = self._ray.put(files)
        self._nodes: dict[str, _RayNode] = {}
        self._refused: dict[str, str] = {}
        self._starts: dict[str, int] = {}
        self._looked = 0.0
        self._looking = Lock()
        self._stopped = False
        until = time.monotonic() + _JOIN_SECONDS
        try:
            while not self.nodes():
                if time.monotonic() > until or not (self._nodes or self._free()):
                    raise self._unavailable(address)
                time.sleep(0.1)
        except BaseException:
            self.close()
            raise

    def nodes(self) -> Sequence[ClusterNode]:
        """Start workers on nodes that have joined, and return the nodes that can grade now."""
        with self._looking:
            if time.monotonic() - self._looked > _LOOK_SECONDS and not self._stopped:
                with suppress(self._ray.exceptions.RayError, ConnectionError):
                    self._start_workers()
                self._looked = time.monotonic()
            for key, node in list(self._nodes.items()):
                if node.dead or (not node.ready and self._turned_down(key, node)):
                    del self._nodes[key]
            return [node for node in self._nodes.values() if node.ready]

    def stop(self) -> None:
        """Kill all running gradings; a node that does not comply in time is given up."""
        self._stopped = True
        for node in list(self._nodes.values()):
            node.ending = time.monotonic() + _END_SECONDS
            node.actor.stop.remote()

    def close(self) -> None:
        """End the workers of all nodes, and disconnect."""
        self._stopped = True
        nodes = [node for node in self._nodes.values() if not node.dead]
        with suppress(self._ray.exceptions.RayError, ConnectionError):
            ended = [node.actor.close.remote() for node in nodes if node.ready]
            if ended:
                self._ray.wait(ended, num_returns=len(ended), timeout=_END_SECONDS)
        for node in nodes:
            with suppress(self._ray.exceptions.RayError, ConnectionError, ValueError):
                self._ray.kill(node.actor)
        self._ray.shutdown()

    def _free(self) -> Iterable[Mapping[str, Any]]:
        """Return the nodes that should grade but have no worker."""
        return [
            found
            for found in self._ray.nodes()
            if found["Alive"] and int(found["Resources"].get(RESOURCE, 0)) > 0
            and found["NodeID"] not in self._nodes and self._starts.get(found["NodeID"], 0) < _STARTS
        ]  # fmt: skip

    def _start_workers(self) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415 - an extra

        from gradebox.plugins.ray.node_worker import NodeWorker  # noqa: PLC0415 - what follows is for the nodes

        for found in self._free():
            key, slots = found["NodeID"], int(found["Resources"][RESOURCE])
            self._starts[key] = self._starts.get(key, 0) + 1
            name = f"{found['NodeManagerHostname']} {found['NodeManagerAddress']} {key[:8]}"
            worker = self._ray.remote(NodeWorker).options(
                num_cpus=0,
                resources={RESOURCE: slots},
                # Twice the slots, so that requests already wait there; two more for requests that stop the worker.
                max_concurrency=2 * slots + 2,
                scheduling_strategy=NodeAffinitySchedulingStrategy(key, soft=False),
            )
            self._nodes[key] = _RayNode(self._ray, name, slots, worker.remote(self._options, slots, self._files))

    def _turned_down(self, key: str, node: _RayNode) -> bool:
        """Return whether a node's reply shows that it cannot be used; False while it has not replied."""
        if not self._ray.wait([node.hello], timeout=0)[0]:
            return False
        ours = metadata.version("gradebox")
        try:
            said = self._ray.get(node.hello)
        except self._ray.exceptions.RayError as error:
            why = f"{_first_line(error)} Is gradebox {ours} installed there?"
        else:
            why = said["problem"]
            if said["version"] != ours:
                why = f"It has gradebox {said['version']}, and this is {ours}."
            elif said["auth"] != TOKEN and not self._without_token:
                why = f"It was started without {_MODE}=token, so anybody can run programs there."
        if not why:
            node.ready = True
            return False
        self._refused[node.name] = why
        self._starts[key] = _STARTS
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(node.actor)
        return True

    def _unavailable(self, address: str) -> ClusterUnavailable:
        why = " ".join(f"Node {name}: {reason}" for name, reason in self._refused.items())
        remedy = f"Start nodes with `ray start --resources '{{\"{RESOURCE}\": 8}}'`, 8 being how many grade at a time."
        if self._nodes:
            why, remedy = "Its nodes have not started a worker in time.", "Wait until other runs on it have ended."
        elif why:
            remedy = "`grade doctor` on the node says more."
        return ClusterUnavailable(f"No node of the cluster at {address} can grade. {why}".rstrip(), remedy=remedy)


def _connected(address: str, *, without_token: bool) -> Any:
    """Connect, and return the module `ray`."""
    if not without_token:
        if os.environ.get(_MODE, TOKEN) != TOKEN:
            raise UsageRefused(
                f"{_MODE} is {os.environ[_MODE]}, and a cluster without tokens runs what anybody sends.",
                remedy=f"Set {_MODE}=token here and on all nodes, or add --on-without-token.",
            )
        # Ray reads this variable when it is imported.
        os.environ[_MODE] = TOKEN
    try:
        import ray  # noqa: PLC0415 - an extra, and slow
    except ImportError as error:
        raise UsageRefused("--on needs Ray.", remedy="Install it: pip install 'gradebox[ray]'.") from error
    version = tuple(int(part) for part in ray.__version__.split(".")[:2])
    if version < _LEAST and not without_token:
        raise UsageRefused(f"Ray {ray.__version__} does not support tokens.", remedy="Install Ray 2.52 or later.")
    _refuse_silent(address)
    _keep_stdout()
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        raise ClusterUnavailable(
            f"No connection to the cluster at {address}: {_first_line(error)}",
            remedy="Check the address, that RAY_AUTH_TOKEN is the cluster's, and the versions of Ray and Python.",
        ) from error
    return ray


def _keep_stdout() -> None:
    """Keep Ray from printing to stdout, where the verdicts are: no option of Ray suppresses its nodes' messages."""
    for module, owner, name in (
        ("ray._private.worker", "", "print_to_stdstream"),
        ("ray.util.client.logsclient", "LogstreamClient", "stdstream"),
    ):
        # Only `ray[client]` contains the second module.
        with suppress(ImportError):
            found = import_module(module)
            setattr(getattr(found, owner) if owner else found, name, lambda *_, **__: None)


def _refuse_silent(address: str) -> None:
    """Raise ClusterUnavailable if nothing listens at an address: Ray would wait for a minute."""
    if address in {"auto", "local"}:
        return
    host, _, port = address.removeprefix("ray://").rstrip("/").rpartition(":")
    if not port.isdigit():
        host, port = address.removeprefix("ray://").rstrip("/"), str(_CLIENT_PORT)
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterUnavailable(
            f"Nothing answers at {address}: {error.strerror or error}.",
            remedy="`ray start --head` prints the address; or name it as ray://HOST:10001.",
        ) from error


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
