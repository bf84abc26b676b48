"""The defences against a hostile submission, and a way to switch one off to see that an attack then succeeds.

A test that an attack fails proves little as long as nobody has seen the attack succeed. Tests therefore repeat it with
one defence switched off. The product has no switch: each defence is weakened by a small patch of the function,
method or constant that implements it. A defence of the supervisor is left out when a test compiles the supervisor
(`GRADEBOX_WITHOUT_...` in `sandbox/supervisor`), so no binary that is shipped has a switch either.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from gradebox.graders.checks import code_grader, grader_json
from gradebox.graders.checks.calls import call
from gradebox.graders.checks.calls.data_values import DataObject
from gradebox.graders.grading import execute, grade, planner
from gradebox.graders.grading.baseline import Attributed
from gradebox.graders.grading.execute import Execution
from gradebox.graders.grading.judge import judge
from gradebox.graders.grading.planner import Planner
from gradebox.graders.integrity import control_files, tampering_search
from gradebox.graders.integrity.case_programs import CasePrograms
from gradebox.graders.languages import item_protocol
from gradebox.graders.model import tree
from gradebox.graders.model.plan import Plan, Stage
from gradebox.graders.reports import text_report
from gradebox.graders.runners import runner_report
from gradebox.graders.runners.test_reports import assessment
from gradebox.graders.runs import evidence_log
from gradebox.graders.submissions.diff import headers
from gradebox.sandbox import archive, guarantees, supervisor_build
from gradebox.sandbox.engines.docker import container_request
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.protocol import frames, payloads
from gradebox.sandbox.protocol.frames import Tag, Type
from gradebox.sandbox.protocol.payloads import Scrubbed
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

# As good as none, and still a number that every engine and kernel takes.
_MANY = 1 << 40
_LONG_SECONDS = 3600.0
_NO_NEW_PRIVILEGES = "no-new-privileges"


class Defence(StrEnum):
    """What a hostile submission has to get past, one by one."""

    # The container (engines/docker/container_request.py)

    # Nothing but loopback: no network can be reached.
    NETWORK = "network"
    # Nothing outside the workspace and the scratch directories can be written.
    READ_ONLY_ROOT = "read-only-root"
    # Root has six capabilities: a process that becomes root in a sandbox can neither mount nor make devices.
    CAPABILITIES = "capabilities"
    # No setuid program raises the rights of a process.
    NO_NEW_PRIVILEGES = "no-new-privileges"
    # The engine's own filter of system calls.
    ENGINE_SECCOMP = "engine-seccomp"
    # The names of groups on the host, and so of containers, cannot be read.
    CGROUP_NAMESPACE = "cgroup-namespace"
    # Files of /proc and /sys that describe the machine are hidden; the profile `strict` hides more of them.
    MASKED_PATHS = "masked-paths"
    MEMORY_LIMIT = "memory-limit"
    PROCESS_LIMIT = "process-limit"
    # The size of the workspace and of each scratch directory.
    DISK_LIMIT = "disk-limit"
    FILE_COUNT_LIMIT = "file-count-limit"

    # The supervisor (supervisor/), compiled in

    # Another, tighter filter of system calls, which does not depend on the engine.
    SYSCALL_FILTER = "syscall-filter"
    # A command runs as a user without rights: it cannot touch what is root's, the supervisor first of all.
    CANDIDATE_USER = "candidate-user"
    # The memory and descriptors of the supervisor cannot be read, not even by its own user.
    SUPERVISOR_UNDUMPABLE = "supervisor-undumpable"
    # No process of the same user can trace a grader, or open its memory and descriptors.
    GRADER_SHIELDED = "grader-shielded"
    # A process that forks for items belongs to another user than they.
    FORK_SERVER_USER = "fork-server-user"
    # When memory runs out, the kernel ends the candidate's processes and not the supervisor.
    OOM_SCORE = "oom-score"
    # No process outlives its command.
    KILL_ALL = "kill-all"

    # A command (session.py, protocol/payloads.py)

    OPEN_FILES_LIMIT = "open-files-limit"
    FILE_SIZE_LIMIT = "file-size-limit"
    # A flood ends the command that prints it.
    OUTPUT_LIMIT = "output-limit"
    DEADLINE = "deadline"
    # Nothing of the host's environment reaches a command.
    CLEAN_ENVIRONMENT = "clean-environment"
    # Nothing that a check leaves in a scratch directory is there for the next.
    SCRATCH_CLEARED = "scratch-cleared"

    # Grader and candidate apart (supervisor/candidates.c)

    # The candidate's processes have another user than the grader.
    GRADER_USER = "grader-user"
    # They are dead when the grader gets their exit status.
    CANDIDATES_KILLED = "candidates-killed"
    # They do not read what the grader was given on stdin.
    GRADER_STDIN = "grader-stdin"
    # They do not print where a grader prints its result.
    GRADER_STDOUT = "grader-stdout"
    # Hidden files are the grader's alone.
    GRADER_FILES = "grader-files"
    # They get no descriptor of a file that the grader has open (supervisor/relay.c).
    GRADER_STREAMS = "grader-streams"
    # No name that they made leads the grader to what they cannot read (supervisor/names.c).
    NAMES = "names"
    # They leave the grader room for what it expects (supervisor/room.c).
    ROOM = "room"
    # Nor does one in a directory that the grader lent them and took back (supervisor/lending.c).
    LENT_FILES = "lent-files"
    # A test report is the grader's own file.
    OWN_REPORT = "own-report"

    # The rules of grading (graders)

    # Every check begins from the same workspace.
    RESET = "reset"
    # A check has a user of its own, who cannot use what another user left.
    FRESH_USER = "fresh-user"
    # Files of the case are in the sandbox only while a check runs that names them.
    HIDDEN_UNTIL_NEEDED = "hidden-until-needed"
    # They belong to root there, so that no candidate can change or replace them.
    PROTECTED_DELIVERY = "protected-delivery"
    # A directory in which a grader looks for modules has the case's files alone, and nobody can write there.
    CLOSED_DIRECTORIES = "closed-directories"
    # A script of the case finds the standard library before modules beside it.
    LIBRARY_FIRST = "library-first"
    # Nothing can be left below HOME that a grader's programs load when they start.
    CLOSED_HOME = "closed-home"
    # What a grader is told is not on the stdin of a command that runs a program of the submission.
    EMPTY_STDIN = "empty-stdin"
    # The text of a line is not in a command line, which everybody can read.
    HIDDEN_TEXT = "hidden-text"
    # They win over what a submission brings at the same path.
    OWN_FILES_FIRST = "own-files-first"
    # Where Python or a runner has loaded a module of a name, tests find another one only if the case itself has it.
    MODULES_OF_THE_CASE = "modules-of-the-case"
    # Files of the workspace that belong to the grader are restored.
    RESTORE = "restore"
    # Files that configure a runner or an interpreter are removed.
    SCRUB = "scrub"
    # Such changes are undone before anything runs; those that nobody makes honestly are tampering.
    TAMPERING_FLAGGED = "tampering-flagged"
    # A runner proves with a secret that it came to its own end.
    COMPLETION_TOKEN = "completion-token"
    # A runner first sees a test of its own fail.
    OWN_CONTROLS = "own-controls"
    # What a call returned is compared on the host, as data.
    COMPARED_OUTSIDE = "compared-outside"
    # A command of the case must fail.
    CONTROLS = "controls"
    # The report that a runner wrote must agree with its exit status.
    REPORT_AGREEMENT = "report-agreement"
    # What is printed raises nothing: an exit status decides.
    EXIT_STATUS = "exit-status"
    # An error is judged again without the submission, which decides whose it is.
    JUDGED_WITHOUT_IT = "judged-without-it"

    # The host's own reading and writing (graders, archive.py)

    # Pipes, sockets and devices of a submission are not opened.
    SPECIAL_FILES_LEFT_OUT = "special-files-left-out"
    # Links of a submission are not followed on the host.
    NO_LINKS_FOLLOWED = "no-links-followed"
    # Names in diffs and archives stay inside the workspace.
    STRICT_PATHS = "strict-paths"
    # Names of cases and submissions are quoted before they name files of a run directory.
    QUOTED_NAMES = "quoted-names"
    # No character that a candidate wrote acts on the terminal.
    VISIBLE_TEXT = "visible-text"


# Those that are compiled into the supervisor, at least in part.
COMPILED = frozenset(
    {
        Defence.SYSCALL_FILTER,
        Defence.CANDIDATE_USER,
        Defence.NO_NEW_PRIVILEGES,
        Defence.SUPERVISOR_UNDUMPABLE,
        Defence.OOM_SCORE,
        Defence.GRADER_SHIELDED,
        Defence.KILL_ALL,
        Defence.FORK_SERVER_USER,
        Defence.GRADER_USER,
        Defence.CANDIDATES_KILLED,
        Defence.GRADER_STREAMS,
        Defence.NAMES,
        Defence.ROOM,
        Defence.LENT_FILES,
        Defence.GRADER_STDIN,
    }
)


class Patch(NamedTuple):
    """One attribute of the product that is replaced while a defence is off.

    Attributes:
        owner: The module or class that has the attribute.
        name: The attribute's name.
        weaken: Returns the replacement, given the original.
    """

    owner: Any
    name: str
    weaken: Callable[[Any], Any]


_off: tuple[Defence, ...] = ()


def off() -> tuple[Defence, ...]:
    """Return what is switched off now, in the order of `Defence`."""
    return _off


@contextmanager
def switched_off(*defences: Defence) -> Iterator[None]:
    """Do without some defences, in all threads of this process, until the block ends."""
    global _off  # noqa: PLW0603 - one switch for all threads is what this is
    before = _off
    with ExitStack() as patches:
        for defence in defences:
            for one in () if defence in before else _patches(defence):
                original = one.owner.__dict__[one.name]
                patches.enter_context(patch.object(one.owner, one.name, one.weaken(original)))
        _off = tuple(defence for defence in Defence if defence in {*before, *defences})
        try:
            yield
        finally:
            _off = before


def _patches(defence: Defence) -> Iterator[Patch]:
    yield from PATCHES.get(defence, ())
    if defence in CONTAINER:
        yield Patch(container_request, "create_body", _changed_result(CONTAINER[defence]))
        # The supervisor refuses an engine that does not enforce what was requested.
        yield Patch(guarantees, "broken_promises", _always(()))
    if defence in COMPILED:
        yield Patch(supervisor_build, "FLAGS", lambda flags: (*flags, f"-DGRADEBOX_WITHOUT_{defence.name}"))
        yield Patch(supervisor_build, "SHIPPED", lambda _: Path(os.devnull))
        yield Patch(guarantees, "broken_promises", _always(()))


# Ways to weaken a function


def _always(value: Any) -> Callable[[Any], Callable[..., Any]]:
    """Replace a function by one that returns the same value, whatever it is given."""
    return lambda _: lambda *_args, **_words: value


def _changed_result(change: Callable[[Any], Any]) -> Callable[[Any], Callable[..., Any]]:
    """Replace a function by one that returns something else than the original did."""
    return lambda original: lambda *args, **words: change(original(*args, **words))


def _unchanged(_: Any) -> Callable[[Any], Any]:
    """Replace a function by one that returns its argument."""
    return lambda argument: argument


# The container


def _host_config(**fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda body: {**body, "HostConfig": {**body["HostConfig"], **fields}}


def _with_network(body: dict[str, Any]) -> dict[str, Any]:
    return {**_host_config(NetworkMode="bridge")(body), "NetworkDisabled": False}


def _security(change: Callable[[list[str]], list[str]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda body: _host_config(SecurityOpt=change(body["HostConfig"]["SecurityOpt"]))(body)


def _without_option(start: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what removes an option of every writable file system."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        mounts = body["HostConfig"]["Tmpfs"].items()
        return _host_config(
            Tmpfs={path: ",".join(o for o in options.split(",") if not o.startswith(start)) for path, options in mounts}
        )(body)

    return change


def _without_open_files(body: dict[str, Any]) -> dict[str, Any]:
    return _host_config(Ulimits=[one for one in body["HostConfig"]["Ulimits"] if one["Name"] != "nofile"])(body)


CONTAINER: Mapping[Defence, Callable[[dict[str, Any]], dict[str, Any]]] = {
    Defence.NETWORK: _with_network,
    Defence.READ_ONLY_ROOT: _host_config(ReadonlyRootfs=False),
    # Root's rights as the engine has them by default.
    Defence.CAPABILITIES: _host_config(CapDrop=[], CapAdd=[]),
    Defence.NO_NEW_PRIVILEGES: _security(lambda options: [one for one in options if one != _NO_NEW_PRIVILEGES]),
    Defence.ENGINE_SECCOMP: _security(lambda options: [*options, "seccomp=unconfined"]),
    Defence.CGROUP_NAMESPACE: _host_config(CgroupnsMode="host"),
    Defence.MASKED_PATHS: _host_config(MaskedPaths=[]),
    Defence.MEMORY_LIMIT: _host_config(Memory=0, MemorySwap=0),
    Defence.PROCESS_LIMIT: _host_config(PidsLimit=0),
    Defence.DISK_LIMIT: _without_option("size="),
    Defence.FILE_COUNT_LIMIT: _without_option("nr_inodes="),
    Defence.OPEN_FILES_LIMIT: _without_open_files,
}


# A command


def _command(**changes: Any) -> Patch:
    def weaken(original: Callable[..., bytes]) -> Callable[..., bytes]:
        return lambda command, spec, found: original(replace(command, **changes), spec, found)

    return Patch(payloads, "run_fields", weaken)


def _limits(**changes: Any) -> Patch:
    def weaken(original: Callable[..., bytes]) -> Callable[..., bytes]:
        def run_fields(command: Command, spec: SandboxSpec, found: Any) -> bytes:
            return original(command, replace(spec, limits=replace(spec.limits, **changes)), found)

        return run_fields

    return Patch(payloads, "run_fields", weaken)


def _printed_by_all(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda candidates: original(replace(candidates, own_stdout=False))


def _of_anybody(get: Callable[..., Any]) -> Callable[..., Any]:
    return lambda sandbox, paths, *, limit_bytes, grader=0: get(sandbox, paths, limit_bytes=limit_bytes)


def _read_by_all(original: Callable[..., int]) -> Callable[..., int]:
    return lambda sandbox, entries, **words: original(sandbox, entries, **{**words, "grader": 0})


def _inherited_environment(original: Any) -> property:
    return property(lambda sandbox: {**os.environ, **original.fget(sandbox)})


def _reset_workspace_only(_: Any) -> Callable[..., Any]:
    return lambda sandbox, uid, **_: sandbox._container.supervisor.request(Type.RESET, frames.fields([(Tag.UID, uid)]))


# The rules of grading


def _plan(change: Callable[[Plan], Plan]) -> Patch:
    """Return the patch by which a grading carries out another plan than was made."""

    def weaken(original: Callable[..., None]) -> Callable[..., None]:
        def init(self: Execution, engine: Engine, sandbox: Sandbox, plan: Plan, *args: Any, **words: Any) -> None:
            original(self, engine, sandbox, change(plan), *args, **words)

        return init

    return Patch(Execution, "__init__", weaken)


def _stages(change: Callable[[Stage, Plan], Stage]) -> Callable[[Plan], Plan]:
    return lambda plan: replace(
        plan,
        setup=plan.setup and change(plan.setup, plan),
        stages=tuple(change(stage, plan) for stage in plan.stages),
        teardown=plan.teardown and change(plan.teardown, plan),
    )


def _submitted_files_first(stage: Stage, plan: Plan) -> Stage:
    return replace(stage, delivered=tuple(one for one in stage.delivered if one.path not in plan.laid.entries))


def _everything_delivered(original: Callable[..., Any]) -> Callable[..., Any]:
    def delivered(self: Planner, steps: Any, **how: Any) -> Any:
        wanted = {entry.path: entry for entry in original(self, steps, **how)}
        return tuple({**wanted, **self._files.own.entries}.values())

    return delivered


def _writable_for_all(original: Callable[..., int]) -> Callable[..., int]:
    def put(self: Sandbox, entries: Iterable[Any], *, uid: int = 0, protect: bool = False, grader: int = 0) -> int:
        opened = (replace(entry, mode=entry.mode | 0o777) if protect else entry for entry in entries)
        return original(self, opened, uid=uid, protect=False, grader=grader)

    return put


def _as_it_ended(_: Any) -> Callable[..., Attributed]:
    return lambda _engine, _case, plan, observed, _settings: Attributed(judge(plan, observed), observed)


def _no_interference(_: Any) -> Callable[..., tampering_search.Interference]:
    return lambda *_args: tampering_search.Interference()


# The host


def _read_as_file(original: Callable[..., Any]) -> Callable[..., Any]:
    def entry(path: str, place: Path, status: os.stat_result) -> Any:
        return original(path, place, status) or archive.ArchiveEntry(path, archive.EntryKind.FILE, 0o644, source=place)

    return entry


def _followed(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda path, place, _status: original(path, place, place.stat())


PATCHES: Mapping[Defence, tuple[Patch, ...]] = {
    Defence.OPEN_FILES_LIMIT: (_limits(open_files=_MANY),),
    Defence.FILE_SIZE_LIMIT: (_limits(file_bytes=_MANY),),
    Defence.OUTPUT_LIMIT: (_command(output_bytes=_MANY),),
    Defence.DEADLINE: (_command(wall_seconds=_LONG_SECONDS, cpu_seconds=None),),
    Defence.CLEAN_ENVIRONMENT: (Patch(Sandbox, "env", _inherited_environment),),
    Defence.GRADER_STDOUT: (Patch(payloads, "_candidate_fields", _printed_by_all),),
    Defence.GRADER_FILES: (Patch(Sandbox, "put", _read_by_all),),
    Defence.OWN_REPORT: (Patch(Sandbox, "get", _of_anybody),),
    Defence.SCRATCH_CLEARED: (Patch(Sandbox, "reset", _reset_workspace_only),),
    Defence.RESET: (Patch(Sandbox, "reset", _always(None)),),
    Defence.FRESH_USER: (_plan(_stages(lambda stage, _: replace(stage, user=0))),),
    Defence.HIDDEN_UNTIL_NEEDED: (Patch(Planner, "_delivered", _everything_delivered),),
    Defence.PROTECTED_DELIVERY: (Patch(Sandbox, "put", _writable_for_all),),
    Defence.CLOSED_DIRECTORIES: (Patch(CasePrograms, "closed", _always({})),),
    Defence.LIBRARY_FIRST: (Patch(CasePrograms, "started", lambda _: lambda _self, step, _laid: step),),
    Defence.CLOSED_HOME: (Patch(control_files, "home_files", _always(())), Patch(control_files, "env", _always({}))),
    Defence.EMPTY_STDIN: (Patch(Planner, "runs_candidate", _always(False)),),
    Defence.HIDDEN_TEXT: (Patch(execute, "by_stdin", lambda _: lambda step: (step.argv, step.stdin)),),
    Defence.OWN_FILES_FIRST: (_plan(_stages(_submitted_files_first)),),
    Defence.MODULES_OF_THE_CASE: (
        Patch(planner, "case_modules", lambda original: lambda *given: (*original(*given), "json")),
    ),
    Defence.RESTORE: (_plan(lambda plan: replace(plan, restored=())),),
    Defence.SCRUB: (Patch(Sandbox, "scrub", _always(Scrubbed((), 0))),),
    Defence.TAMPERING_FLAGGED: (Patch(tampering_search, "find", _no_interference),),
    Defence.COMPLETION_TOKEN: (
        Patch(item_protocol, "completed", _always(True)),
        Patch(runner_report, "_judge_end", _always(runner_report.RunnerJudgment())),
    ),
    Defence.OWN_CONTROLS: (
        Patch(item_protocol, "controls", _always(())),
        Patch(runner_report, "_judge_controls", _always(runner_report.RunnerJudgment())),
    ),
    # As if what the submission returns were compared by its own class.
    Defence.COMPARED_OUTSIDE: (
        Patch(
            call, "is_same", lambda same: lambda one, other, near=None: isinstance(one, DataObject) or same(one, other)
        ),
    ),
    Defence.CONTROLS: (Patch(code_grader, "_control_passed", _always(False)),),
    Defence.REPORT_AGREEMENT: (
        Patch(assessment, "_disagreement", _always(assessment.Assessment(1.0, ""))),
        Patch(code_grader, "_overstated", _always("")),
    ),
    Defence.EXIT_STATUS: (
        Patch(grader_json, "parse", lambda parse: lambda outcome: parse(replace(outcome, exit_code=0))),
    ),
    Defence.JUDGED_WITHOUT_IT: (Patch(grade, "attribute", _as_it_ended),),
    Defence.SPECIAL_FILES_LEFT_OUT: (Patch(tree, "_entry", _read_as_file),),
    Defence.NO_LINKS_FOLLOWED: (
        Patch(tree, "_entry", _followed),
        Patch(tree, "_OPEN_FLAGS", lambda flags: flags & ~os.O_NOFOLLOW),
    ),
    Defence.STRICT_PATHS: (Patch(archive, "check_path", _always(None)), Patch(headers, "_problem", _always(""))),
    Defence.QUOTED_NAMES: (Patch(evidence_log, "file_name", _unchanged),),
    Defence.VISIBLE_TEXT: (Patch(text_report, "visible", _unchanged),),
}
