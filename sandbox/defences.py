"""The defences that hold a hostile submission, and the switch by which tests show that each of them bites.

A test that an attack fails proves little as long as nobody has seen it succeed. Tests therefore repeat an attack with
one defence switched off, in their own process: there is no option, variable or case by which anybody else could.
Defences in the supervisor are left out when it is compiled (`GRADEBOX_WITHOUT_...`, see `supervisor_build`), so the
binary that sandboxes get has no switch at all. A verdict that came about with something switched off says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum


class Defence(StrEnum):
    """What a hostile submission has to get past, one by one."""

    # The container (hardening.py)

    # Nothing but loopback: no network can be reached.
    NETWORK = "network"
    # Nothing outside the workspace and the scratch directories can be written.
    READ_ONLY_ROOT = "read-only-root"
    # Root's rights are six: whoever got to be root in a sandbox can neither mount nor make devices.
    CAPABILITIES = "capabilities"
    # No setuid program gives rights to whoever starts it.
    NO_NEW_PRIVILEGES = "no-new-privileges"
    # The engine's own filter of system calls.
    ENGINE_SECCOMP = "engine-seccomp"
    # The names of groups on the host, and so of containers, cannot be read.
    CGROUP_NAMESPACE = "cgroup-namespace"
    # What /proc and /sys tell of the machine is hidden, in the profile `strict` more of it.
    MASKED_PATHS = "masked-paths"
    MEMORY_LIMIT = "memory-limit"
    PROCESS_LIMIT = "process-limit"
    # The size of the workspace and of each scratch directory.
    DISK_LIMIT = "disk-limit"
    FILE_COUNT_LIMIT = "file-count-limit"

    # The supervisor (supervisor/), compiled in

    # Another, tighter filter of system calls, which does not depend on the engine.
    SYSCALL_FILTER = "syscall-filter"
    # A command is a user without rights: it cannot touch what is root's, the supervisor first of all.
    CANDIDATE_USER = "candidate-user"
    # The memory and descriptors of the supervisor cannot be read, not even by its own user.
    SUPERVISOR_UNDUMPABLE = "supervisor-undumpable"
    # When memory runs out, the kernel ends the candidate's processes and not the supervisor.
    OOM_SCORE = "oom-score"
    # No process outlives its command.
    KILL_ALL = "kill-all"

    # A command (session.py, answers.py)

    OPEN_FILES_LIMIT = "open-files-limit"
    FILE_SIZE_LIMIT = "file-size-limit"
    # A flood ends the command that prints it.
    OUTPUT_LIMIT = "output-limit"
    DEADLINE = "deadline"
    # Nothing of the host's environment reaches a command.
    CLEAN_ENVIRONMENT = "clean-environment"
    # Nothing that a check leaves in a scratch directory is there for the next.
    SCRATCH_CLEARED = "scratch-cleared"

    # The rules of grading (graders)

    # Every check begins from the same workspace.
    RESET = "reset"
    # A check has a user of its own, who cannot use what another left.
    FRESH_USER = "fresh-user"
    # Files of the case are in the sandbox only while a check runs that names them.
    HIDDEN_UNTIL_NEEDED = "hidden-until-needed"
    # They are root's there, so that nobody can change or replace them.
    PROTECTED_DELIVERY = "protected-delivery"
    # They win over what a submission brings at the same path.
    OWN_FILES_FIRST = "own-files-first"
    # Files of the workspace that belong to the judge are put back.
    RESTORE = "restore"
    # Files that steer a runner or an interpreter are removed.
    SCRUB = "scrub"
    # Whoever did that is named in the verdict, which fails.
    MEDDLING_SEEN = "meddling-seen"
    # A runner proves with a secret that it came to its own end.
    COMPLETION_TOKEN = "completion-token"  # noqa: S105 - the name of a defence
    # A runner first sees a test of its own fail.
    OWN_CONTROLS = "own-controls"
    # A command of the case must fail.
    CONTROLS = "controls"
    # What a runner wrote down must say what its exit status says.
    REPORT_AGREEMENT = "report-agreement"
    # What is printed raises nothing: an exit status decides.
    EXIT_STATUS = "exit-status"

    # The host's own reading and writing (graders, archive.py)

    # Pipes, sockets and devices of a submission are not opened.
    SPECIAL_FILES_LEFT_OUT = "special-files-left-out"
    # Links of a submission are not followed on the host.
    NO_LINKS_FOLLOWED = "no-links-followed"
    # Names in diffs and archives lead nowhere else.
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
        Defence.KILL_ALL,
    }
)

_off: frozenset[Defence] = frozenset()


def is_on(defence: Defence) -> bool:
    """Say whether a defence holds: always, but in a test that switched it off."""
    return defence not in _off


def off() -> tuple[Defence, ...]:
    """Return what is switched off, in the order of `Defence`: nothing, but in such a test."""
    return tuple(defence for defence in Defence if defence in _off)


@contextmanager
def switched_off(*defences: Defence) -> Iterator[None]:
    """Do without some defences, in all threads of this process, until the block ends. For tests only."""
    global _off  # noqa: PLW0603 - one switch for all threads is what this is
    before = _off
    _off |= frozenset(defences)
    try:
        yield
    finally:
        _off = before
