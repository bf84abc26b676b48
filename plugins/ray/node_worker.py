"""The worker that grades on a node of a cluster: one per node, with the node's own engine. Does not use Ray."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, NamedTuple

from gradebox.graders.cases.load import load
from gradebox.graders.cases.select import as_requested
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.fingerprint import Key, case_key, key_for, key_of
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.grading.task import Task
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import as_document, of_document
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import digest
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.runs.run_grader import RunGrader
from gradebox.graders.submissions.packed_submission import unpacked
from gradebox.plugins.ray import parcels
from gradebox.sandbox.errors import SandboxError

_SAME = "same"


class _Asked(NamedTuple):
    content: str
    answer: Future[Result]


class NodeWorker:
    """Grades on one node. May be used from several threads; replies are bytes and plain values.

    Args:
        options: The run's options: `paths`, `host`, `profile`, `runtime`, `accept_weaker`, `of_cases`.
        slots: How many gradings run at a time.
        files: The files of the cases, as packed by `parcels.case_files`.
    """

    def __init__(self, options: Mapping[str, Any], slots: int, files: bytes) -> None:
        self._options = options
        self._slots = slots
        self._directory = Path(tempfile.mkdtemp(prefix="gradebox-ray-"))
        self._remover = _remover(self._directory, options["host"])
        parcels.lay_down(files, self._directory)
        self._cases: dict[tuple[str, str | None], tuple[Case, str]] = {}
        self._loading, self._ending = Lock(), Lock()
        self._ended = ""
        self._queue: SimpleQueue[Task | None] = SimpleQueue()
        self._asked: dict[Key, _Asked] = {}
        names = ("host", "profile", "runtime", "accept_weaker")
        self._grader = RunGrader(**{name: options[name] for name in names}).wired(known=self._known)
        self._thread = Thread(target=self._run, name="gradings", daemon=True)

    def hello(self) -> dict[str, str]:
        """Return gradebox's version, the engine, how Ray authenticates here and, if it cannot grade, the problem."""
        found = {"version": metadata.version("gradebox"), "auth": os.environ.get("RAY_AUTH_MODE", "")}
        try:
            engine = self._grader.engine.info()
            self._thread.start()
            return {**found, "engine": engine.name, "problem": ""}
        except (SandboxError, GraderError) as error:
            return {**found, "engine": "", "problem": str(error)}

    def grade(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Grade one submission.

        Returns:
            The `result`; or `same`, if the known verdict with the named content still holds; or `refused`, if the
            submission cannot be graded as it arrived; or `lost`, if this node cannot grade.
        """
        try:
            task = self._task(asked)
        except (GraderError, SandboxError, OSError, ValueError) as error:
            return {"refused": str(error)}
        answer: Future[Result] = Future()
        key = key_for(task.case.id, task.case.target, task.submission.name, task.repeat)
        with self._ending:
            if self._ended:
                return {"lost": self._ended}
            self._asked[key] = _Asked(asked["content"], answer)
            self._queue.put(task)
        try:
            result = answer.result()
            if result.verdict.status is Status.ERROR and not self._grader.stopped:
                # The verdict says whose error it is; the engine shows whether another node could do better.
                self._grader.engine.info()
        except (SandboxError, GraderError) as error:
            return {"lost": str(error)}
        return {"same": result.content} if result.id == _SAME else parcels.packed_result(result)

    def settle(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Determine how the submissions of a case are judged.

        Returns:
            The `crossing`, None if the case has none; or the `problem` that prevents it; or `refused`, as `grade`.
        """
        try:
            known = asked["known"] and of_document(asked["known"])
            found = self._grader.settle(self._case(asked), known).crossing
        except (GraderError, SandboxError, OSError, ValueError) as error:
            return {"refused": str(error)}
        if found is not None and found.problem:
            return {"problem": found.problem}
        return {"crossing": found and as_document(found)}

    def stop(self) -> None:
        """Kill running gradings, and start no others."""
        self._queue.put(None)
        self._grader.stop()

    def close(self) -> None:
        """Stop, and remove all sandboxes and files."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join()
        self._grader.close()
        shutil.rmtree(self._directory, ignore_errors=True)
        self._remover.close()

    def _run(self) -> None:
        def answer(_task: Task, result: Result) -> None:
            self._asked.pop(key_of(result)).answer.set_result(result)

        ended = "The worker was stopped."
        try:
            for _ in self._grader.grade_many(self._tasks(), jobs=self._slots, keep=answer):
                pass
        except (SandboxError, GraderError) as error:
            ended = str(error)
        finally:
            # Refuse later requests at once, so that none waits for an answer that never comes.
            with self._ending:
                self._ended = ended
                for asked in self._asked.values():
                    asked.answer.set_exception(SandboxError(ended))

    def _tasks(self) -> Iterator[Task]:
        while task := self._queue.get():
            yield task

    def _known(self, key: Key, content: str | None) -> Result | None:
        if not content or self._asked[key].content != content:
            return None
        nothing = Verdict(Status.NOT_JUDGED, None, None, None, 0.0, ())
        return Result(
            _SAME, key.case, key.submission, nothing, datetime.now(UTC), key.target, repeat=key.repeat, content=content
        )

    def _task(self, asked: Mapping[str, Any]) -> Task:
        crossing = asked["crossing"] and of_document(asked["crossing"])
        case = replace(self._case(asked), crossing=crossing)
        submission = unpacked(asked["submission"], asked["files"])
        if digest(submission) != asked["digest"]:
            raise GraderError(f"The submission {submission.name} cannot be sent as it is.")
        return Task(case, submission, asked["repeat"], asked["number"])

    def _case(self, asked: Mapping[str, Any]) -> Case:
        with self._loading:
            if not self._cases:
                self._load()
        name, target = asked["case"], asked["target"]
        # A case without a target may be requested with the target of its answer, which is only a label.
        found = self._cases.get((name, target)) or self._cases.get((name, None))
        if found is None or found[1] != asked["case_key"]:
            raise GraderError(
                f"The case {name} is {'another' if found else 'missing'} on this node: a file outside of its "
                "directory, a variable of the environment, or a judge from a file of targets is part of it.",
                remedy="Put files and judges into its directory, and set the variable on all nodes.",
            )
        return replace(found[0], target=target)

    def _load(self) -> None:
        for path in self._options["paths"]:
            for loaded in load(self._directory / path.lstrip("/")).cases:
                case = as_requested(loaded, **self._options["of_cases"])
                self._cases[case.id, case.target] = case, case_key(case, read_files(case))


# A sandbox whose owner was killed ends by itself, but only another process can remove it.
_REAP = """
import sys
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.reaper import reap
reap(connect(sys.argv[1] or None))
"""


def _remover(directory: Path, host: str | None) -> IO[bytes]:
    """Start a process that removes a directory and lost sandboxes as soon as this process ends, which closes a pipe.

    When Ray ends a worker, it also ends the worker's children and process group, so the remover belongs to neither.
    """
    program = 'exec 3<&0; (trap "" HUP INT TERM; read -r _; rm -rf -- "$0"; exec "$@") <&3 >/dev/null 2>&1 &'
    started = subprocess.Popen(
        ("/bin/sh", "-c", program, str(directory), sys.executable, "-c", _REAP, host or ""),
        stdin=subprocess.PIPE,
        start_new_session=True,
        cwd="/",
    )
    started.wait()
    assert started.stdin is not None
    return started.stdin
