"""Grades many submissions on the nodes of a cluster: each grading has one verdict, however often it was sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Condition
from threading import Event as Flag
from typing import Any, Protocol, Self, TypeVar

from gradebox.graders.errors import GraderError, UsageRefused
from gradebox.graders.grading.apart.settling import can_be_apart
from gradebox.graders.grading.fingerprint import Key, case_key, key_for, key_of
from gradebox.graders.grading.grade import not_graded
from gradebox.graders.grading.internal_error import describe_internal_error
from gradebox.graders.grading.many.line import Line
from gradebox.graders.grading.many.pace import Pace
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.grading.task import Task
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing, Isolation, as_document, of_document
from gradebox.graders.model.events import CaseGraded, CaseStarted, EngineRetried, Event
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission, digest
from gradebox.plugins.ray import parcels
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.errors import SandboxError

T = TypeVar("T")

TRIES = 3
# The maximum number of gradings in progress in one run; a thread on this machine waits for each.
MOST = 512
# How long a run waits for a node when there is none.
WAIT_SECONDS = 60.0


class NodeLost(Exception):
    """A node could not grade, but another one may; the message gives the reason."""


class ClusterNode(Protocol):
    """A node whose worker is ready."""

    @property
    def name(self) -> str: ...
    @property
    def slots(self) -> int:
        """How many gradings it runs at a time."""

    def grade(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reply of `NodeWorker.grade`. Raises NodeLost."""

    def settle(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reply of `NodeWorker.settle`. Raises NodeLost."""


class Cluster(Protocol):
    """Nodes that may join and leave."""

    def nodes(self) -> Sequence[ClusterNode]:
        """Return the nodes that can grade now."""

    def stop(self) -> None:
        """Kill all running gradings."""

    def close(self) -> None:
        """End the workers of all nodes."""


class RayGrader:
    """The grader of a run, on a cluster. May be used from several threads.

    Args:
        known: Returns a verdict that still holds, as `Settings.known`.
        jobs: The maximum number of gradings at a time, None for as many as there are slots.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        emit: Callable[[Event], None] = lambda _: None,
        known: Callable[[Key, str | None], Result | None] = lambda *_: None,
        jobs: int | None = None,
    ) -> None:
        self._cluster = cluster
        self._emit = emit
        self._known = known
        self._pace = Pace(1, min(jobs or MOST, MOST))
        self._finishing, self._stopped = Flag(), Flag()
        self._changed = Condition()
        self._sent: dict[str, int] = {}
        self._case_keys: dict[tuple[str, str | None], str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def description(self) -> str:
        """The nodes, as one line of text."""
        return ", ".join(f"{node.name} ({node.slots} at a time)" for node in self._cluster.nodes())

    @property
    def lacking(self) -> tuple[str, ...]:
        """Nothing: each node finds its own runtime, and verdicts name the protections that it lacks."""
        return ()

    @property
    def engine(self) -> Self:
        """All nodes as one engine."""
        return self

    def info(self) -> EngineInfo:
        """Return the information about the nodes that a run needs from an engine."""
        return EngineInfo("Ray", "", "", "", processors=sum(node.slots for node in self._cluster.nodes()))

    @property
    def stopped(self) -> bool:
        """Whether running gradings were killed, so that an `error` may not be a real verdict."""
        return self._stopped.is_set()

    def finish(self) -> None:
        """Send no further gradings; those already sent are completed."""
        self._finishing.set()

    def stop(self) -> None:
        """Kill all running gradings."""
        self._finishing.set()
        self._stopped.set()
        self._cluster.stop()
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """End the workers of all nodes."""
        self._cluster.close()

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        """Return a case with its `crossing`, which a node determines, as `Grader.settle` does."""
        if not can_be_apart(case) or not case.has_reference:
            return case
        try:
            asked = {**self._named(case), "known": known and as_document(known)}
            reply = self._answered(lambda node: node.settle(asked))
            if "crossing" not in reply:
                problem = reply.get("problem") or f"No node could judge the reference: {reply.get('refused')}"
                return replace(case, crossing=Crossing(Isolation.IN_PROCESS, problem=problem))
            return replace(case, crossing=reply["crossing"] and of_document(reply["crossing"]))
        except (GraderError, SandboxError, OSError, ValueError) as error:
            return replace(case, crossing=Crossing(Isolation.IN_PROCESS, problem=str(error)))

    def grade_many(
        self, tasks: Iterable[Task], *, jobs: Pace, keep: Callable[[Task, Result], None] = lambda *_: None
    ) -> Iterator[Result]:
        """Grade many tasks and yield the results in the order of the tasks, as `Grader.grade_many` does.

        Up to twice as many gradings as the nodes have slots are sent at a time, so that no slot waits for this machine.
        """

        def grade(task: Task) -> Result | None:
            if self._finishing.is_set():
                return None
            result = self._grade(task)
            keep(task, result)
            return result

        del jobs  # The nodes determine the number.
        self._keep_pace(self._cluster.nodes())
        return Line(self._pace).graded(
            tasks, grade, finishing=self._finishing.is_set, cancel=self.stop, size=lambda task: task.memory_bytes
        )

    def _grade(self, task: Task) -> Result:
        case, name = task.case, task.submission.name
        self._emit(CaseStarted(case.id, name, case.target, task.repeat))
        key = key_for(case.id, case.target, name, task.repeat)
        before = self._known(key, None)
        found = before if before is not None and not before.content else None
        try:
            found = found or self._sent_out(key, task, before.content if before else "")
        except (GraderError, SandboxError, OSError) as error:
            found = not_graded(case, name, str(error), repeat=task.repeat, number=task.number)
        except Exception as bug:  # noqa: BLE001 - an error that one submission causes must not end a run of many
            found = not_graded(case, name, describe_internal_error(bug), repeat=task.repeat, number=task.number)
        self._emit(CaseGraded(found, found_before=before is not None and found.id == before.id))
        return found

    def _sent_out(self, key: Key, task: Task, content: str) -> Result:
        asked = {**self._asked(task), "content": content}

        def graded(node: ClusterNode) -> Result:
            reply = node.grade(asked)
            if "lost" in reply:
                raise NodeLost(reply["lost"])
            return self._read(key, task, reply, node)

        return self._answered(graded)

    def _answered(self, ask: Callable[[ClusterNode], T]) -> T:
        """Return a node's answer; if a node is lost, ask another one. Raises SandboxError if none answers."""
        lost: dict[str, str] = {}
        for _ in range(TRIES):
            node = self._take(lost)
            if node is None:
                break
            try:
                return ask(node)
            except (NodeLost, ValueError) as error:
                if self.stopped:
                    break
                lost[node.name] = str(error)
                self._emit(EngineRetried(f"node {node.name}: {error}", 0.0))
            finally:
                self._give(node)
        why = "; ".join(f"node {name}: {reason}" for name, reason in lost.items())
        raise SandboxError("The run was stopped." if self.stopped else f"No node could grade this. {why}".rstrip())

    def _read(self, key: Key, task: Task, reply: Mapping[str, Any], node: ClusterNode) -> Result:
        if "refused" in reply:
            raise GraderError(f"Node {node.name}: {reply['refused']}")
        if "same" in reply:
            held = self._known(key, reply["same"])
            if held is None:
                raise ValueError("it took over a verdict that does not hold")
            return held
        result = parcels.unpacked_result(reply)
        if key_of(result) != key or result.number != task.number:
            raise ValueError(f"it returned the verdict of another grading: {result.case}, {result.submission}")
        return result

    def _asked(self, task: Task) -> dict[str, Any]:
        case, submission = task.case, task.submission
        if not isinstance(submission, Submission):
            raise UsageRefused("Targets do not run on a cluster.", remedy="Grade without --on.")
        if case.crossing is not None and case.crossing.problem:
            raise GraderError(case.crossing.problem)
        words, files = parcels.packed_submission(submission)
        return {
            **self._named(case), "crossing": case.crossing and as_document(case.crossing),
            "submission": words, "files": files, "digest": digest(submission),
            "repeat": task.repeat, "number": task.number,
        }  # fmt: skip

    def _named(self, case: Case) -> dict[str, Any]:
        return {"case": case.id, "target": case.target, "case_key": self._case_key(case)}

    def _case_key(self, case: Case) -> str:
        place = case.id, case.target
        if place not in self._case_keys:
            self._case_keys[place] = case_key(case, read_files(case))
        return self._case_keys[place]

    def _take(self, avoid: Collection[str]) -> ClusterNode | None:
        """Return the node with the most free slots, if possible one that has not failed; None if no node is left."""
        until = time.monotonic() + WAIT_SECONDS
        with self._changed:
            while not self._stopped.is_set():
                nodes = self._cluster.nodes()
                self._keep_pace(nodes)
                others = [node for node in nodes if node.name not in avoid] or nodes
                room = {node.name: 2 * node.slots - self._sent.get(node.name, 0) for node in others}
                best = max(others, key=lambda node: room[node.name] / node.slots, default=None)
                if best is not None and room[best.name] > 0:
                    self._sent[best.name] = self._sent.get(best.name, 0) + 1
                    return best
                if nodes:
                    until = time.monotonic() + WAIT_SECONDS
                elif time.monotonic() > until:
                    return None
                self._changed.wait(1.0)
        return None

    def _give(self, node: ClusterNode) -> None:
        with self._changed:
            self._sent[node.name] -= 1
            self._changed.notify_all()

    def _keep_pace(self, nodes: Iterable[ClusterNode]) -> None:
        self._pace.jobs = max(1, min(2 * sum(node.slots for node in nodes), self._pace.most))
