"""The recorded tree: the names and contents of its files, and how to find them. Reads and writes files.

    <root>/<category>/<name>/<model>/conversation__PROMPT__STRATEGY__yyyymmdd_HHMMSS__NNN.json
    <root>/<category>/<name>/<model>/evaluation__PROMPT__STRATEGY__yyyymmdd_HHMMSS__NNN.json

``<name>`` is the definition's name; the root to read may be any directory above or below it. A model's name may hold
``:`` and ``/``, where ``/`` adds a directory level, and a strategy may hold ``__``. Both files are hostile input: their
contents become data, never a path.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from gradebox.graders.documents import strict_json
from gradebox.graders.documents.paths import file_name
from gradebox.graders.errors import SubmissionRefused
from gradebox.sandbox.records import dataclass

MAX_BYTES = 16 * 1024 * 1024
CONVERSATION = "conversation"
EVALUATION = "evaluation"
ANSWER = "aimessage"

_FILE = re.compile(
    r"(?P<kind>conversation|evaluation)__(?P<prompt>.+?)__(?P<strategy>.+)__(?P<timestamp>[0-9]{8}_[0-9]{6}(?:__[0-9]+)?)\.json"
)
_PART = re.compile(r"[^\0/]{1,255}")
# In bytes. A file name holds two labels and a timestamp.
_LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True)
class Recording:
    """The parts of the names of an answer's files in the tree."""

    name: str  # The definition's name.
    model: str  # The model's name as reported, with `:` and `/`.
    prompt: str  # The prompt's label.
    strategy: str  # `1SHOT`, or more.
    timestamp: str  # `yyyymmdd_HHMMSS`, usually followed by `__NNN`.

    def path(self, kind: str) -> Path:
        """Return the path of its file of a kind, relative to the directory of the category.

        Raises SubmissionRefused if a part cannot be a file or directory name.
        """
        file = f"{kind}__{self.prompt}__{self.strategy}__{self.timestamp}.json"
        parts = (self.name, *self.model.split("/"), file)
        for part in parts:
            if part in (".", "..") or not _PART.fullmatch(part):
                raise SubmissionRefused(f"{part!r} cannot be the name of a file or of a directory.")
        return Path(*parts)

    def as_files(self) -> Recording:
        """Return a copy with valid file names: invalid ones are quoted."""
        return replace(
            self,
            name=_as_file(self.name),
            model="/".join(map(_as_file, self.model.split("/"))),
            prompt=_as_file(self.prompt, _LONGEST_LABEL),
            strategy=_as_file(self.strategy, _LONGEST_LABEL),
        )

    @property
    def origin(self) -> dict[str, Any]:
        """The origin of the answer, for `Submission.origin`."""
        return {
            "model": self.model,
            "prompt_label": self.prompt,
            "prompt_strategy": self.strategy,
            "timestamp": self.timestamp,
        }


def _as_file(text: str, longest: int = 255) -> str:
    # JSON text may hold half a surrogate pair, which UTF-8 cannot encode.
    data = text.encode("utf-8", "replace")
    fits = text not in (".", "..") and _PART.fullmatch(text) and len(data) <= longest and data.decode() == text
    return text if fits else file_name(text)[:longest]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer."""

    file: Path  # The conversation.
    recording: Recording  # The parts of its file name.


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: messages with ``content`` and ``_type``, the last of which is the answer."""

    messages: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)  # Unchanged from the file.

    @property
    def answer(self) -> str:
        """The content of the last message."""
        content = self.messages[-1].get("content") if self.messages else None
        return content if isinstance(content, str) else ""

    @property
    def last(self) -> Mapping[str, Any]:
        """The last message, empty if there is none."""
        return self.messages[-1] if self.messages else {}


def is_conversation(name: str) -> bool:
    """Return whether a file of this name is a recorded conversation."""
    return _recording(name, "", "") is not None


def _recording(file: str, name: str, model: str) -> Recording | None:
    """Return the `Recording` of a conversation with this file name, None if the name is not one of a conversation."""
    found = _FILE.fullmatch(file)
    if found is None or found["kind"] != CONVERSATION:
        return None
    return Recording(name, model, found["prompt"], found["strategy"], found["timestamp"])


def read_conversation(data: bytes) -> Conversation:
    """Read a conversation. Raises SubmissionRefused if the data is no conversation."""
    try:
        messages = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SubmissionRefused(f"The conversation cannot be read: {error}.") from error
    if strict_json.is_deep(messages):
        raise SubmissionRefused("The conversation is nested too deeply.")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise SubmissionRefused("The conversation is not a list of messages.")
    return Conversation(tuple(messages))


def find_recorded(root: Path, names: Collection[str]) -> tuple[Recorded, ...]:
    """Find the recorded conversations of some definitions at and below a directory, sorted by their paths.

    `root` may be the root of a tree, a directory above it, or the directory of a single definition. Links below it are
    not followed.

    Raises SubmissionRefused if `root` is not a directory.
    """
    if not root.is_dir():
        raise SubmissionRefused(f"{root} is not a directory of recorded answers.")
    return tuple(sorted(_found(root, names), key=lambda found: os.fsencode(found.file)))


def recorded_file(file: Path, name: str) -> Recorded | None:
    """Return the recorded conversation in a file, None if it is none; the evaluation beside it names the model."""
    recording = _recording(file.name, name, file.absolute().parent.name)
    if recording is None:
        return None
    model = str(read_evaluation(Recorded(file, recording)).get("model", recording.model))
    return Recorded(file, replace(recording, model=model))


def _found(root: Path, names: Collection[str]) -> Iterator[Recorded]:
    above = root.resolve().name
    for directory, _, files in os.walk(root):
        below = Path(directory).relative_to(root).parts
        # If `root` is a definition's directory, the definition's name is not among the parts below it.
        parts = (above, *below) if above in names else below
        at = next((number for number, part in enumerate(parts) if part in names), None)
        if at is None:
            continue
        # In the original tree, some definitions' directories contain a directory of the same name with the answers.
        while parts[at + 1 : at + 2] == parts[at : at + 1]:
            at += 1
        if not parts[at + 1 :]:
            continue
        for file in files:
            recording = _recording(file, parts[at], "/".join(parts[at + 1 :]))
            if recording is not None and not Path(directory, file).is_symlink():
                yield Recorded(Path(directory, file), recording)


def read_evaluation(recorded: Recorded) -> Mapping[str, Any]:
    """Return the evaluation beside a conversation, empty if none can be read."""
    file = recorded.file.with_name(recorded.file.name.replace(CONVERSATION, EVALUATION, 1))
    try:
        with file.open("rb") as stream:
            evaluation = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return evaluation if isinstance(evaluation, dict) and not strict_json.is_deep(evaluation) else {}


def write(root: Path, recording: Recording, evaluation: Mapping[str, Any], conversation: Conversation) -> Path:
    """Write the two files of an answer below the directory of a category, and return the evaluation's path.

    Raises SubmissionRefused if a part of their names is invalid, and OSError if they cannot be written.
    """
    for kind, content in ((CONVERSATION, list(conversation.messages)), (EVALUATION, dict(evaluation))):
        file = root / recording.path(kind)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        # JSON text may hold lone surrogates, which UTF-8 cannot encode.
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
    return file
