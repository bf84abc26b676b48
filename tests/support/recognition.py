"""What tests of test runners share: a command as its adapter runs it, with sources shown by their file names."""

from __future__ import annotations

from collections.abc import Sequence

from gradebox.graders.runners import runners
from gradebox.graders.runners.adapter import AUTO, recognise


def adapted(command: str | Sequence[str], adapter: str = AUTO) -> str | None:
    """Return the command that is run in place of another one, None for one that is run as it is."""
    found = recognise(command.split() if isinstance(command, str) else command, adapter)
    return None if found is None else " ".join(shown(found.argv()))


def shown(words: Sequence[str]) -> list[str]:
    """Return the words of a command with the name of its last file for each source."""
    names = {each.text(): each.files[-1].name for runner in runners().values() for each in runner.sources}
    return [names.get(word, word) for word in words]
