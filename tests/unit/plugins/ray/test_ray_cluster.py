"""Which clusters and nodes are used, by a Ray in memory; `tests/cli/test_ray.py` has a real one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import metadata
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.errors import UsageRefused
from gradebox.plugins.ray import ray_cluster
from gradebox.plugins.ray.ray_cluster import ClusterUnavailable, RayCluster
from gradebox.plugins.ray.ray_grader import NodeLost

GOOD = {"version": metadata.version("gradebox"), "auth": "token", "engine": "Fake", "problem": ""}


class FakeRay(ModuleType):
    """Replies are functions that `get` calls."""

    __version__ = "2.60.0"

    class exceptions:  # noqa: N801 - as it is called there
        class RayError(Exception):
            pass

        class RayActorError(RayError):
            pass

    def __init__(self, **hellos: Any) -> None:
        super().__init__("ray")
        self.hellos, self.killed, self.ended = hellos, [], False
        self.act: Callable[[], Any] = lambda: {"result": b""}
        self.alive = set(hellos)

    def init(self, *_: Any, **__: Any) -> None:
        pass

    def put(self, data: bytes) -> bytes:
        return data

    def get(self, reply: Callable[[], Any]) -> Any:
        return reply()

    def wait(self, replies: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        return replies, []

    def kill(self, actor: Any) -> None:
        self.killed.append(actor.key)

    def shutdown(self) -> None:
        self.ended = True

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {
                "NodeID": key, "Alive": key in self.alive, "Resources": {"gradebox": 2.0},
                "NodeManagerHostname": "host", "NodeManagerAddress": "::1",
            }
            for key in self.hellos
        ]  # fmt: skip

    def remote(self, _worker: type) -> Any:
        def options(scheduling_strategy: str, **_: Any) -> Any:
            hello = self.hellos[scheduling_strategy]

            def greet() -> Any:
                if isinstance(hello, Exception):
                    raise hello
                return hello

            methods = {name: SimpleNamespace(remote=lambda *_: lambda: None) for name in ("stop", "close")}
            methods["hello"] = SimpleNamespace(remote=lambda: greet)
            methods["grade"] = SimpleNamespace(remote=lambda _: self.act)
            return SimpleNamespace(remote=lambda *_: SimpleNamespace(key=scheduling_strategy, **methods))

        return SimpleNamespace(options=options)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Callable[..., RayCluster]:
    def start(ray: FakeRay, **more: Any) -> RayCluster:
        strategies = ModuleType("ray.util.scheduling_strategies")
        strategies.NodeAffinitySchedulingStrategy = lambda key, soft: key  # type: ignore[attr-defined]
        for name, module in (("ray", ray), ("ray.util", ModuleType("ray.util")), (strategies.__name__, strategies)):
            monkeypatch.setitem(sys.modules, name, module)
        return RayCluster("auto", {}, b"", **more)

    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setattr(ray_cluster, "_LOOK_SECONDS", 0.0)
    # It is set in this process, and gone afterwards.
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    return start


Start = Callable[..., RayCluster]


def test_each_node_gets_a_worker_and_loses_it_in_the_end(started: Start) -> None:
    ray = FakeRay(one=GOOD, two=GOOD)
    cluster = started(ray)
    assert [(node.name, node.slots) for node in cluster.nodes()] == [("host ::1 one", 2), ("host ::1 two", 2)]
    cluster.close()
    assert ray.killed == ["one", "two"]
    assert ray.ended


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        ({**GOOD, "version": "0.0.1"}, "It has gradebox 0.0.1, and this is"),
        ({**GOOD, "auth": ""}, "It was started without RAY_AUTH_MODE=token"),
        ({**GOOD, "problem": "No engine."}, "No engine."),
        (FakeRay.exceptions.RayError("No module named graders.\nTraceback"), "No module named graders. Is gradebox"),
    ],
)
def test_a_node_that_cannot_grade_is_left_out(started: Start, hello: Any, why: str) -> None:
    cluster = started(FakeRay(bad=hello, good=GOOD))
    assert [node.name for node in cluster.nodes()] == ["host ::1 good"]
    ray = FakeRay(bad=hello)
    with pytest.raises(ClusterUnavailable, match=f"Node host ::1 bad: {why}") as refused:
        started(ray)
    assert refused.value.exit_code == 4
    assert ray.killed == ["bad"]
    assert ray.ended


def test_a_switch_admits_nodes_without_tokens(started: Start) -> None:
    assert started(FakeRay(one={**GOOD, "auth": ""}), without_token=True).nodes()


def test_a_cluster_without_the_resource_is_refused(started: Start) -> None:
    with pytest.raises(ClusterUnavailable, match="ray start --resources"):
        started(FakeRay())


def test_nodes_join_and_leave(started: Start) -> None:
    ray = FakeRay(one=GOOD)
    cluster = started(ray)
    ray.hellos["late"], ray.alive = GOOD, {"one", "late"}
    assert len(cluster.nodes()) == 2

    def die() -> None:
        raise FakeRay.exceptions.RayActorError("\nThe node has died.\nmore")

    ray.act, ray.alive = die, {"late"}
    with pytest.raises(NodeLost, match=r"^The node has died\.$"):
        cluster.nodes()[0].grade({})
    assert [node.name for node in cluster.nodes()] == ["host ::1 late"]


def test_a_worker_that_dies_on_a_living_node_is_started_again_and_not_for_ever(started: Start) -> None:
    ray = FakeRay(one=GOOD)
    cluster = started(ray)

    def die() -> None:
        raise FakeRay.exceptions.RayActorError("It was killed.")

    ray.act = die
    deaths = 0
    while nodes := cluster.nodes() or cluster.nodes():
        with pytest.raises(NodeLost):
            nodes[0].grade({})
        deaths += 1
    assert deaths == 3


def test_a_node_that_does_not_stop_is_given_up(started: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay(one=GOOD)
    cluster = started(ray)
    (node,) = cluster.nodes()
    monkeypatch.setattr(ray_cluster, "_END_SECONDS", -1.0)
    cluster.stop()
    ray.wait = lambda *_, **__: ([], [])  # type: ignore[method-assign]
    with pytest.raises(NodeLost, match="does not end"):
        node.grade({})


def test_without_the_extra_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageRefused, match=r"pip install 'gradebox\[ray\]'"):
        RayCluster("auto", {}, b"")


def test_tokens_cannot_be_turned_off_by_accident(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with pytest.raises(UsageRefused, match="--on-without-token"):
        RayCluster("auto", {}, b"")


def test_a_ray_that_knows_no_tokens_is_refused(started: Start) -> None:
    ray = FakeRay(one=GOOD)
    ray.__version__ = "2.51.1"
    with pytest.raises(UsageRefused, match=r"Ray 2\.51\.1 does not support tokens"):
        started(ray)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "ray://[::1]:1"])
def test_an_address_where_nothing_listens_is_refused_at_once(address: str) -> None:
    with pytest.raises(ClusterUnavailable, match="Nothing answers at"):
        ray_cluster._refuse_silent(address)
