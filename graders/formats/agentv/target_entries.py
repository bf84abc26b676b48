"""AgentV's ``.agentv/targets.yaml``: where it lies, and its entries as gradebox writes targets.

The nearest file counts, from the directory of the suite up to the repository's root. Most providers of AgentV are
models or agents behind keys. gradebox runs none of these: it says so of the target that is used, and of no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.documents.paths import exists, searched

DIRECTORY = ".agentv"
TARGETS = ("targets.yaml", "targets.yml")
# Where a command leaves its answer in the workspace; no part of its work.
ANSWER_FILE = ".agentv-answer.md"
# A prompt is one word of a line, whatever it holds.
_PLACEHOLDERS = {
    "{PROMPT}": '"$(cat {prompt_file})"',
    "{PROMPT_FILE}": "{prompt_file}",
    "{OUTPUT_FILE}": ANSWER_FILE,
    "{FILES}": "",
    "{ATTEMPT}": "0",
}


class Converted(NamedTuple):
    """An entry as gradebox writes it, or why it cannot be run."""

    entry: dict[str, Any]
    problem: str = ""


def targets_file(directory: Path) -> Path | None:
    """Return the file of targets for the suites in a directory, None without one."""
    candidates = (parent / DIRECTORY / name for parent in searched(directory) for name in TARGETS)
    return next(filter(exists, candidates), None)


def is_agentv_file(file: Path) -> bool:
    """Return whether a file of targets is AgentV's."""
    return file.parent.name == DIRECTORY


def converted(entry: Mapping[str, Any]) -> Converted:
    """Return an entry of AgentV's file as gradebox writes it; its `name` is kept."""
    name, provider = {"name": entry.get("name")}, entry.get("provider")
    if provider == "mock":
        return Converted({**name, "provider": "mock", "output": entry.get("response", "")})
    if provider == "replay":
        return Converted({**name, "provider": "agentv-replay", "fixtures": entry.get("fixtures")})
    if provider == "cli" and isinstance(command := entry.get("command"), (str, list)):
        made: dict[str, Any] = {**name, "provider": "cli", "command": _filled(command)}
        if ANSWER_FILE in str(made["command"]):
            made["output_file"] = ANSWER_FILE
        kept = {key: entry[key] for key in ("timeout_seconds", "env", "image", "network") if key in entry}
        return Converted({**made, **kept})
    what = f"the alias of `{entry.get('use_target')}`" if provider is None else f"the provider `{provider}`"
    return Converted({}, f"gradebox does not run {what}")


def _filled(command: Any) -> Any:
    if isinstance(command, list):
        return [_filled(word) if isinstance(word, str) else word for word in command]
    for placeholder, text in _PLACEHOLDERS.items():
        command = command.replace(placeholder, text)
    return command
