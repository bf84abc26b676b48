"""Reads the `services` of a case: programs in separate containers, which the sandbox reaches by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from gradebox.graders.cases.containers.image_documents import WrittenImage, read_image
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.documents.commands import CommandLine, command_spec
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.entries import Entry, optional
from gradebox.graders.documents.fields import Bytes, Count, Env, Name, Pids, Processors, Seconds
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.documents.validators import After, refused
from gradebox.graders.model.case import Case
from gradebox.graders.model.service import DEFAULT_READY_SECONDS, Ready, Service
from gradebox.sandbox.limits import Limits, Network

_HOST = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
# Host names that a sandbox already has.
_TAKEN = frozenset({"localhost", "sandbox", "ip6-localhost", "ip6-loopback"})


def _hosts(value: dict[str, Any]) -> dict[str, Any]:
    for name in value:
        if not _HOST.fullmatch(name) or name in _TAKEN:
            hint = "Use lower-case letters, digits and `-`, such as `db`; `localhost` and `sandbox` are taken."
            raise refused(f"must not name a service `{shown(name)}`, which is the name of a host", hint)
    return value


def _path(text: str) -> str:
    if not re.fullmatch(r"/[!-~]*", text):
        raise refused(f"must be a path such as `/health`, not `{shown(text)}`", "Its host and port are the service's.")
    return text


class ReadyEntry(Entry):
    """How a service shows that it is ready."""

    command: CommandLine | None = optional(
        "A command that succeeds when the service is ready. It runs beside the service, in a container of the same"
        " image."
    )
    port: Annotated[Count, Field(ge=1, le=65535)] | None = optional(
        "A port that accepts connections when the service is ready."
    )
    http: Annotated[Name, After(_path)] | None = optional(
        "A path at `port` that replies with a status of 2xx or 3xx when the service is ready."
    )
    timeout_seconds: Seconds = optional(
        "The longest wall time until the service is ready.", default=DEFAULT_READY_SECONDS
    )


class ServiceLimitsEntry(Entry):
    """Resource limits of the container of a service."""

    memory: Annotated[Bytes, Field(ge=6 * 1024 * 1024)] | None = optional("Memory of the whole container.")
    cpus: Processors | None = optional("Number of processors.")
    pids: Pids | None = optional("Number of processes and threads.")
    disk: Bytes | None = optional(
        "Size of its `/workspace`, which is in memory. Besides that, it can write only to `/tmp`."
    )


class ServiceEntry(Entry):
    """A program that runs beside the sandbox of a case, in a container of its own."""

    image: WrittenImage = Field(description="The image of its container, written like the case's `image`.")
    command: CommandLine = Field(
        description="The command that runs until the service is stopped: a list of words, or a line for `sh -c`."
    )
    env: Env = optional(
        "Variables that are added to its environment; the submission does not see them.", default_factory=dict
    )
    ready: ReadyEntry = Field(
        description="How the service shows that it is ready. The submission starts only after that."
    )
    reset: CommandLine | None = optional(
        "A command that brings the service back to its first state before each submission. It runs beside the "
        "service, in a container of the same image."
    )
    per: Literal["submission", "run"] = optional(
        "`submission`: each submission gets its own service. `run`: one service serves all submissions in turn; it"
        " needs a `reset`.",
        default="submission",
    )
    limits: ServiceLimitsEntry | None = optional("Resource limits of its container. Default: those of a sandbox.")


Services = Annotated[dict[str, ServiceEntry], After(_hosts)]


def read_services(
    reader: Reader, entries: dict[str, ServiceEntry] | None, path: DocumentPath, directory: Path
) -> tuple[Service, ...]:
    """Return the services of a case, in their order, and report mistakes."""
    lasting = {entry.per for entry in (entries or {}).values()}
    found = []
    for name, entry in (entries or {}).items():
        at = (*path, name)
        if len(lasting) > 1 and entry.per == "run":
            message = "some services last for the run, and some for a submission"
            reader.error((*at, "per"), message, "They share a network, so write the same `per` for all of them.")
        if entry.per == "run" and entry.reset is None:
            hint = "Add a `reset` command, or remove `per: run`."
            reader.error((*at, "per"), "a service that serves several submissions has no `reset`", hint)
        image = read_image(reader, entry.image, (*at, "image"), directory)
        if image is not None and (ready := _ready(reader, entry.ready, (*at, "ready"))):
            found.append(
                Service(
                    name,
                    image,
                    _words(entry.command),
                    ready,
                    env=dict(entry.env),
                    reset=_words(entry.reset),
                    limits=_limits(entry.limits or ServiceLimitsEntry()),
                    lasts=entry.per == "run",
                )
            )
    return tuple(found)


def _ready(reader: Reader, entry: ReadyEntry, path: DocumentPath) -> Ready | None:
    if entry.command is None and entry.port is None:
        message = "`http` needs a `port`" if entry.http else "`ready` has neither `command` nor `port`"
        reader.error(path, message, "Such as `port: 5432`.")
        return None
    if entry.command is not None and entry.port is not None:
        reader.error(path, "`ready` has both `command` and `port`", "Keep one of the two.")
        return None
    return Ready(_words(entry.command), entry.port or 0, entry.http or "", entry.timeout_seconds)


def _words(written: str | list[str] | None) -> tuple[str, ...]:
    return command_spec(written).argv if written else ()


def _limits(entry: ServiceLimitsEntry) -> Limits:
    written = {"memory_bytes": entry.memory, "cpus": entry.cpus, "pids": entry.pids, "disk_bytes": entry.disk}
    stated: dict[str, Any] = {name: value for name, value in written.items() if value}
    return Limits(**stated, file_bytes=max(Limits().file_bytes, entry.disk or 0), stated=frozenset(stated))


def check_services(findings: Findings, case: Case) -> None:
    """Report what is incompatible with the services of a case: a network, and checks that name a missing service."""
    names = [service.name for service in case.services]
    if names and case.limits.network is not Network.NONE:
        hint = "Remove `network`; what `setup` downloads belongs into the image (docs/images.md)."
        findings.error(
            case.place, f"a case with services has no network, but `network` is {case.limits.network}", hint=hint
        )
    for check in evaluation.every(case.checks):
        if not isinstance(check, CodeGrader):
            continue
        if check.service and not check.after:
            findings.error(check.place, "`service` goes with `after: candidate`", hint="Add it, or remove `service`.")
        elif check.service and check.service not in names:
            message = f"the case has no service `{shown(check.service)}`"
            findings.error(check.place, message, hint=suggestion(check.service, names))
        elif check.after and not names:
            findings.error(check.place, "`after: candidate` needs a service", hint="Add `services` to the case.")
        elif check.after and not check.service and len(names) > 1:
            hint = f"Add `service`; there are {', '.join(f'`{name}`' for name in names)}."
            findings.error(check.place, "`after: candidate` does not say beside which service", hint=hint)
