"""Translates between the frames of a supervisor and `sandbox.types`: the RUN request, and every reply. Pure."""

from __future__ import annotations

from collections.abc import Callable

from gradebox.sandbox.capture import REPORT, STDERR, STDOUT, Captures
from gradebox.sandbox.ending import decide
from gradebox.sandbox.errors import ProtocolError, SandboxError, WorkspaceRefused
from gradebox.sandbox.guarantees import Guarantees, TmpfsSize
from gradebox.sandbox.linux import Errno, error_text
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Cause, Frame, Tag, Type
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import (
    CANDIDATE_TMPDIR,
    GRADER_HOME,
    GRADER_TMPDIR,
    HOME,
    Candidates,
    Command,
    Ending,
    Filter,
    Outcome,
    ResourceUsage,
    SandboxSpec,
)
from gradebox.sandbox.users import CANDIDATES
from gradebox.sandbox.walls import Wall

FILTERS = (Filter.NONE, Filter.DEFAULT, Filter.STRICT)

# The supervisor reports at most this many files that a command replaced, and this many that were removed.
_NAMED_MAX = 100
# The largest error number of Linux.
_LAST_ERRNO = 4095


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """The entries that a scrub removed: the first paths, and the total number."""

    paths: tuple[str, ...]
    count: int


def reset_fields(uid: int, grader: int = 0) -> list[tuple[Tag, str | int]]:
    """Return the fields of the RESET request that concern its users; `grader` is 0 if there is none."""
    fields: list[tuple[Tag, str | int]] = [(Tag.UID, uid), (Tag.HOME, HOME)]
    if grader:
        fields += [(Tag.HOME, CANDIDATE_TMPDIR), (Tag.GRADER, grader)]
        fields += [(Tag.GRADER_HOME, GRADER_HOME), (Tag.GRADER_HOME, GRADER_TMPDIR)]
    return fields


def run_fields(command: Command, spec: SandboxSpec, guarantees: Guarantees) -> bytes:
    """Return the payload of the RUN request for a command.

    Args:
        command: The command to run.
        spec: The sandbox in which it runs.
        guarantees: The supervisor's guarantees; a command cannot have more open files than the supervisor.
    """
    most_files = guarantees.open_files or spec.limits.open_files
    return frames.fields(
        [
            *((Tag.ARG, word) for word in command.argv),
            *((Tag.ENV, f"{name}={value}") for name, value in command.env.items()),
            (Tag.CWD, command.cwd),
            (Tag.UID, command.uid),
            (Tag.WALL_US, max(1, round(command.wall_seconds * 1e6))),
            (Tag.PATIENCE_US, round(command.patience_seconds * 1e6)),
            *([] if command.cpu_seconds is None else [(Tag.CPU_US, max(1, round(command.cpu_seconds * 1e6)))]),
            (Tag.OUTPUT, command.output_bytes),
            (Tag.CAPTURE, command.capture_bytes),
            (Tag.REPORT, int(command.report)),
            *([(Tag.PROTECT, 1)] if command.shielded else []),
            *([(Tag.FORKS, 1)] if command.forks else []),
            *([(Tag.INPUT_FILE, 1)] if command.input_file else []),
            (Tag.NOFILE, min(spec.limits.open_files, most_files)),
            (Tag.FSIZE, spec.limits.file_bytes),
            *([(Tag.NPROC, spec.limits.pids)] if guarantees.limits_users else []),
            *(_candidate_fields(command.candidates) if command.candidates else []),
        ]
    )


def _candidate_fields(candidates: Candidates) -> list[tuple[Tag, str | int]]:
    return [
        (Tag.CANDIDATE, candidates.first_uid),
        (Tag.CANDIDATES, CANDIDATES),
        *((Tag.CANDIDATE_ENV, f"{name}={value}") for name, value in candidates.env.items()),
        (Tag.OWN_STDOUT, int(candidates.own_stdout)),
    ]


def head_taker(captures: Captures) -> Callable[[Frame], None]:
    """Return a function that receives the OUT frames of a command and raises `ProtocolError` for any other."""

    def take(frame: Frame) -> None:
        if frame.type is not Type.OUT:
            raise ProtocolError(f"The supervisor sent {frame.type.name} while a command ran.")
        stream = 0
        for tag, value in frames.parse_fields(frame.payload):
            if tag is Tag.STREAM:
                stream = frames.number(value)
            elif tag is Tag.HEAD:
                captures.head(stream, value)
            elif tag is Tag.TAIL:
                captures.tail(stream, value)

    return take


def outcome(command: Command, answer: list[tuple[Tag, bytes]], captures: Captures) -> Outcome:
    """Return the outcome of a command, from the fields of its DONE frame.

    Raises:
        ProtocolError: If the reply lacks a field or contradicts itself.
    """
    stream = total = 0
    for tag, value in answer:
        if tag is Tag.STREAM:
            stream = frames.number(value)
        elif tag is Tag.TOTAL:
            total = frames.number(value)
        elif tag is Tag.SHA256:
            captures.total(stream, total, value.hex())
    known = dict(answer)
    try:
        cause = Cause(number(answer, Tag.CAUSE))
    except ValueError:
        raise ProtocolError("The supervisor sent an unknown cause.") from None
    user_us, system_us = (optional(known, tag) or 0 for tag in (Tag.USER_US, Tag.SYSTEM_US))
    cpu_us = optional(known, Tag.CPU_US)
    usage = ResourceUsage(
        wall_seconds=number(answer, Tag.TIME_US) / 1e6,
        user_seconds=user_us / 1e6,
        system_seconds=system_us / 1e6,
        cpu_seconds=(user_us + system_us if cpu_us is None else cpu_us) / 1e6,
        held_up_seconds=(optional(known, Tag.HELD_US) or 0) / 1e6,
        peak_rss_bytes=optional(known, Tag.RSS) or 0,
        memory_bytes=optional(known, Tag.MEMORY),
        oom_kills=optional(known, Tag.OOM) or 0,
        pids_refused=optional(known, Tag.PIDS_REFUSED) or 0,
        killed_processes=optional(known, Tag.LEFT) or 0,
    )
    errno = _errno(known)
    refused = known.get(Tag.MESSAGE, b"").decode("utf-8", "replace")
    decided = decide(
        cause,
        optional(known, Tag.STATUS) or 0,
        command=command,
        usage=usage,
        within_limit=bool(optional(known, Tag.WITHIN_LIMIT)),
        message=_not_started(command, refused, errno),
    )
    return Outcome(
        ending=decided.ending,
        exit_code=decided.exit_code,
        signal=decided.signal,
        stdout=captures.result(STDOUT),
        stderr=captures.result(STDERR),
        report=captures.result(REPORT),
        usage=usage,
        detail=decided.detail,
        errno=errno,
        refused=refused,
        replaced=_named(answer, Tag.PATH),
        removed=_named(answer, Tag.REMOVED),
    )


def _named(answer: list[tuple[Tag, bytes]], wanted: Tag) -> tuple[str, ...]:
    named = [value for tag, value in answer if tag is wanted][:_NAMED_MAX]
    return tuple(value.decode("utf-8", "surrogateescape") for value in named)


def _not_started(command: Command, refused: str, errno: int) -> str:
    what = {
        "cwd": f"The working directory {command.cwd} cannot be entered",
        "interpreter": f"The interpreter that {command.argv[0]} names in its first line cannot run",
    }.get(refused, f"{command.argv[0]} cannot run")
    follows = " A link is not followed." if (refused, errno) == ("cwd", Errno.ENOTDIR) else ""
    return f"{what}: {error_text(errno)}.{follows}"


def lost(captures: Captures, ending: Ending, detail: str) -> Outcome:
    """Return the outcome of a command whose sandbox vanished, with the output received so far."""
    return Outcome(
        ending,
        stdout=captures.partial(STDOUT),
        stderr=captures.partial(STDERR),
        report=captures.partial(REPORT),
        detail=detail,
    )


def guarantees(answer: list[tuple[Tag, bytes]]) -> Guarantees:
    """Return the guarantees in a READY frame.

    Raises:
        ProtocolError: If the supervisor speaks another version of the protocol.
    """
    known = dict(answer)
    version = number(answer, Tag.VERSION)
    if version != frames.PROTOCOL_VERSION:
        raise ProtocolError(f"The supervisor speaks version {version} of the protocol, not {frames.PROTOCOL_VERSION}.")
    return Guarantees(
        interfaces=interfaces(answer),
        seccomp=bool(optional(known, Tag.SECCOMP)),
        no_new_privileges=bool(optional(known, Tag.NNP)),
        capabilities=optional(known, Tag.CAPS) or 0,
        root_read_only=bool(optional(known, Tag.ROOT_RO)),
        memory_limit_bytes=optional(known, Tag.MEMORY_LIMIT),
        pids_limit=optional(known, Tag.PIDS_LIMIT),
        swap_bytes=optional(known, Tag.SWAP_LIMIT),
        cpus=cpus / 1e6 if (cpus := optional(known, Tag.CPUS)) is not None else None,
        open_files=optional(known, Tag.NOFILE),
        filter=_filter(optional(known, Tag.FILTER) or 0),
        tmpfs_sizes=_tmpfs_sizes(answer),
        own_kernel=bool(optional(known, Tag.OWN_KERNEL)),
        kernel=_text(known, Tag.KERNEL),
        processor=_text(known, Tag.PROCESSOR),
        lacks=_lacks(optional(known, Tag.LACKS) or 0, interfaces(answer)),
    )


def _text(known: dict[Tag, bytes], tag: Tag) -> str:
    return known.get(tag, b"").decode("ascii", "replace")


def _lacks(bits: int, interfaces: tuple[str, ...]) -> tuple[Wall, ...]:
    # A sandbox without a network interface needs no network wall.
    return tuple(wall for wall in Wall.of(bits) if interfaces or wall is not Wall.NETWORK)


def interfaces(answer: list[tuple[Tag, bytes]]) -> tuple[str, ...]:
    """Return the network interfaces in a reply."""
    return tuple(value.decode("ascii", "replace") for tag, value in answer if tag is Tag.IFACE)


def _filter(level: int) -> Filter:
    if level >= len(FILTERS):
        raise ProtocolError(f"The supervisor sent the unknown filter level {level}.")
    return FILTERS[level]


def _tmpfs_sizes(answer: list[tuple[Tag, bytes]]) -> dict[str, TmpfsSize]:
    found: dict[str, TmpfsSize] = {}
    path, size = "", 0
    for tag, value in answer:
        if tag is Tag.PATH:
            path = value.decode("utf-8", "replace")
        elif tag is Tag.BYTES:
            size = frames.number(value)
        elif tag is Tag.COUNT:
            found[path] = TmpfsSize(size, frames.number(value))
    return found


def refusal(frame: Frame) -> SandboxError:
    """Return the exception for an ERR frame."""
    known = dict(frames.parse_fields(frame.payload))
    message = known.get(Tag.MESSAGE, b"").decode("utf-8", "replace")
    errno = _errno(known)
    if frame.id == 0:
        return ProtocolError(f"The supervisor gave up: {message}.")
    reason = f" ({error_text(errno)})" if errno else ""
    return WorkspaceRefused(f"The sandbox refused: {message}{reason}.", errno=errno)


def _errno(known: dict[Tag, bytes]) -> int:
    """Return the error number in a reply, 0 if it has none.

    Raises:
        ProtocolError: If the number is not a possible one.
    """
    found = optional(known, Tag.ERRNO) or 0
    if found > _LAST_ERRNO:
        raise ProtocolError(f"The supervisor sent the impossible error number {found}.")
    return found


def optional(known: dict[Tag, bytes], tag: Tag) -> int | None:
    """Return a number field, None if it is missing."""
    return frames.number(known[tag]) if tag in known else None


def number(answer: list[tuple[Tag, bytes]], tag: Tag) -> int:
    """Return a required number field.

    Raises:
        ProtocolError: If the field is missing.
    """
    found = optional(dict(answer), tag)
    if found is None:
        raise ProtocolError(f"The supervisor left out {tag.name}.")
    return found
