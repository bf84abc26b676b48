"""The images of a Docker Engine, by docker-py, which only this module imports. No request is sent twice."""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import docker
import docker.errors
import docker.utils
import requests

from gradebox.sandbox.engines.docker.connection import CONFLICT, NOT_FOUND
from gradebox.sandbox.engines.docker.http_client import refused
from gradebox.sandbox.engines.docker.unreachable import unreachable
from gradebox.sandbox.engines.engine import OnLine, StoredImage
from gradebox.sandbox.errors import EngineRefused, ImageUnavailable

# A pull that has started may be slow, but one that is silent for this long is dead.
_STALLED_SECONDS = 120.0
_PIECE_BYTES = 1024 * 1024


@contextmanager
def translated() -> Iterator[None]:
    """Translate the exceptions of docker-py and requests into ours."""
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise ImageUnavailable(str(error.explanation or error)) from error
    except docker.errors.APIError as error:
        raise refused(error.status_code or 0, str(error.explanation or error)) from error
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise unreachable(error) from error


def context_paths(directory: Path, dockerfile: str) -> list[str]:
    """Return the relative paths of a directory that its ``.dockerignore`` does not exclude from a build, sorted.

    Raises:
        OSError: If the directory or the ``.dockerignore`` cannot be read.
    """
    ignore = directory / ".dockerignore"
    lines = ignore.read_text("utf-8", "replace").splitlines() if ignore.is_file() else []
    patterns = [text for line in lines if (text := line.strip()) and not text.startswith("#")]
    return sorted(docker.utils.exclude_paths(str(directory), patterns, dockerfile=dockerfile) - {""})


class DockerImages:
    """The images of one engine.

    Args:
        address: The engine's address.
        timeout_seconds: How long one answer may take.
        client: A `docker.APIClient` to use instead of a new one, in the calling thread and in a thread that pulls.
    """

    def __init__(self, address: str, timeout_seconds: int, client: Any = None) -> None:
        arguments: dict[str, Any] = {**docker.utils.kwargs_from_env(), "base_url": address}
        with translated():
            self.client = client or docker.APIClient(version="auto", timeout=timeout_seconds, **arguments)

    def find(self, reference: str) -> StoredImage | None:
        try:
            with translated():
                answer = self.client.inspect_image(reference)
        except ImageUnavailable:
            return None
        return StoredImage(
            id=str(answer["Id"]),
            tags=tuple(answer.get("RepoTags") or ()),
            labels=(answer.get("Config") or {}).get("Labels") or {},
            size_bytes=int(answer.get("Size") or 0),
            created=_seconds(answer.get("Created")),
            platform="/".join(str(answer[key]) for key in ("Os", "Architecture", "Variant") if answer.get(key)),
        )

    def labelled(self, label: str) -> tuple[StoredImage, ...]:
        with translated():
            answers = self.client.images(filters={"label": label})
        return tuple(
            StoredImage(
                id=str(answer["Id"]),
                # An engine may call an image without a name "<none>:<none>".
                tags=tuple(tag for tag in answer.get("RepoTags") or () if not tag.startswith("<none>")),
                labels=answer.get("Labels") or {},
                size_bytes=int(answer.get("Size") or 0),
                created=float(answer["Created"]),
            )
            for answer in answers
        )

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine, platform: str = "") -> str | None:
        # docker-py reads the answer without a deadline, and an engine whose packets are dropped takes minutes to report
        # that. The thread is a daemon: if we give up, it ends with the process or when the engine gives up.
        events: queue.SimpleQueue[Mapping[str, Any] | Exception | None] = queue.SimpleQueue()
        threading.Thread(target=self._pull, args=(reference, platform, events), daemon=True).start()
        patience = patience_seconds
        while True:
            try:
                event = events.get(timeout=patience)
            except queue.Empty:
                return f"it did not answer within {patience:.0f} seconds"
            if event is None:
                return None
            if isinstance(event, (EngineRefused, ImageUnavailable)):
                return event.message
            if isinstance(event, Exception):
                raise event
            if "error" in event:
                return str(event["error"])
            if line := _line(event):
                on_line(line)
            patience = max(patience_seconds, _STALLED_SECONDS)

    def _pull(
        self, reference: str, platform: str, events: queue.SimpleQueue[Mapping[str, Any] | Exception | None]
    ) -> None:
        """Put each event of a pull into `events`, and finally None or the exception that ended the pull."""
        name, tag = docker.utils.parse_repository_tag(reference)
        try:
            with translated():
                pulled = self.client.pull(
                    name, tag=tag or "latest", stream=True, decode=True, platform=platform or None
                )
                for event in pulled:
                    events.put(event)
            events.put(None)
        except Exception as error:  # noqa: BLE001 - the waiting thread returns or raises it
            events.put(error)

    def import_image(self, tar: Path, reference: str, *, labels: Mapping[str, str]) -> str:
        changes = [f"LABEL {key}={value}" for key, value in labels.items()]
        with translated():
            # The tag is part of the name, which the API allows, because Podman looks for it only there.
            self.client.import_image_from_file(str(tar), repository=reference, changes=changes)
        return self._id(reference)

    def build(
        self,
        context: bytes | BinaryIO,
        references: Sequence[str],
        *,
        arguments: Mapping[str, str],
        labels: Mapping[str, str],
        fresh: bool,
        on_line: OnLine,
        dockerfile: str = "Dockerfile",
        target: str = "",
        platform: str = "",
    ) -> str:
        image = ""
        with translated():
            events = self.client.build(
                fileobj=io.BytesIO(context) if isinstance(context, bytes) else context,
                custom_context=True,
                tag=references[0],
                network_mode="host",
                dockerfile=dockerfile,
                target=target or None,
                platform=platform or None,
                buildargs=dict(arguments),
                labels=dict(labels),
                nocache=fresh,
                rm=True,
                forcerm=True,
                decode=True,
            )
            for event in events:
                if reason := event.get("error"):
                    raise ImageUnavailable(str(reason).rstrip("."))
                for line in str(event.get("stream") or event.get("status") or "").splitlines():
                    if line.strip():
                        on_line(line.rstrip())
                image = str((event.get("aux") or {}).get("ID") or image)
            # Tag by id: another process may have given the first name to its own build meanwhile.
            image = image or self._id(references[0])
            for reference in references[1:]:
                name, _, tag = reference.rpartition(":")
                self.client.tag(image, name, tag)
        return image

    def export(self, image: str, labels: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the root filesystem of an image as an archive, from a container that is never started."""
        body = {"Image": image, "Cmd": ["/never-started"], "NetworkDisabled": True, "Labels": dict(labels)}
        with translated():
            container = self.client.create_container_from_config(body)["Id"]
            try:
                yield from self.client.export(container)
            finally:
                self.client.remove_container(container, v=True, force=True)

    def save(self, references: Sequence[str]) -> Iterator[bytes]:
        # docker-py saves only one image at a time, so shared layers would be saved several times.
        address = f"{self.client.base_url}/v{self.client.api_version}/images/get"
        with translated(), self.client.get(address, params={"names": list(references)}, stream=True) as answer:
            if not answer.ok:
                raise refused(answer.status_code, answer.text)
            yield from answer.iter_content(_PIECE_BYTES)

    def load(self, archive: BinaryIO) -> None:
        with translated():
            for event in self.client.load_image(archive):
                if reason := event.get("error"):
                    raise ImageUnavailable(f"The images cannot be loaded: {str(reason).rstrip('.')}.")

    def remove(self, reference: str) -> bool:
        try:
            with translated():
                self.client.remove_image(reference)
        except ImageUnavailable:
            return False
        except EngineRefused as error:
            if error.status == NOT_FOUND:
                return False
            if error.status == CONFLICT:
                raise ImageUnavailable(
                    f"{reference} cannot be removed: {error.message}", remedy="First remove everything that uses it."
                ) from error
            raise
        return True

    def _id(self, reference: str) -> str:
        with translated():
            return str(self.client.inspect_image(reference)["Id"])


def _line(event: Mapping[str, Any]) -> str:
    """Return the text to show for an event, empty for the many that only move a progress bar."""
    status = str(event.get("status") or "")
    if not status or event.get("progressDetail"):
        return ""
    return f"{event['id']}: {status}" if event.get("id") else status


def _seconds(stamp: object) -> float | None:
    with suppress(ValueError, TypeError):
        return datetime.fromisoformat(str(stamp)).timestamp()
    return None
