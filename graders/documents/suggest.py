"""Suggestions for unknown names and paths that do not exist."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

# The most entries of a directory that are compared.
_ENTRIES_MAX = 5000
_MOST_NAMES_LISTED = 40
# The similarity from which one name certainly stands for the other.
_SURELY = 0.85
# Other words that people write for our keys.
_SYNONYMS = {
    "assertions": ("checks", "asserts", "tests", "evaluators", "graders", "validations"),
    "input": ("prompt", "question", "task", "instruction", "instructions", "query"),
    "expected_output": ("expected", "answer", "ideal", "reference_answer", "output"),
    "command": ("cmd", "run", "exec", "argv"),
    "cwd": ("workdir", "working_directory", "work_dir", "dir"),
    "env": ("environment", "variables"),
    "threshold": ("pass_threshold", "min_score", "pass_score"),
    "timeout_seconds": ("timeout", "deadline", "time_limit", "max_seconds"),
    "command_timeout_seconds": ("timeout",),
    "stdout": ("expected_stdout",),
    "workspace": ("template", "repo", "files"),
    "reference": ("solution", "golden"),
    "image": ("docker_image", "container"),
    "setup": ("before", "prepare"),
    "teardown": ("after", "cleanup"),
    "id": ("name", "case_id"),
    "items": ("cases",),
    "type": ("kind",),
    "value": ("text", "contains", "pattern"),
}
_PACKAGES = "Packages belong in the image: name it with `image`, or install them in `setup` with `network: setup`."
# Advice for keys that people write although we have no similar key.
_ADVICE = {
    **dict.fromkeys(("pip", "requirements", "packages", "dependencies"), _PACKAGES),
    "dockerfile": "Build it with `docker build -t NAME .`, and write `image: NAME`.",
    "retries": "A command runs once; `execution: {trials: {count: 3}}` of a case grades several tries.",
}


def did_you_mean(path: Path) -> str | None:
    """Return a question that suggests the existing sibling with the name most similar to a missing path's, or None."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only an error needs it

    try:
        names = [entry.name for entry in islice(path.parent.iterdir(), _ENTRIES_MAX)]
    except (OSError, ValueError):
        return None
    close = get_close_matches(path.name, sorted(names), n=1)
    return f"Did you mean {path.with_name(close[0])}?" if close and close[0] != path.name else None


def similar(word: str, names: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    """Return a list with the name that is most similar to a word, empty if none is similar."""
    names = list(names)
    if not names:
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only an error needs it

    return get_close_matches(word, names, n=1, cutoff=cutoff)


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is probably intended, None if none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only an error needs it

    names = sorted(set(known))
    if meant := next((key for key in meanings(name) if key in names), None):
        return meant
    started = [candidate for candidate in names if len(name) > 2 and candidate.startswith(name)]
    # `--sub` begins `--submission` and `--submissions`.
    if started and all(candidate.startswith(started[0]) for candidate in started):
        return started[0]
    folded = {candidate.casefold().replace("_", "-"): candidate for candidate in names}
    written = name[:64].casefold().replace("_", "-")
    # Swapped letters are one mistake, but `difflib` counts several.
    swapped = [candidate for candidate in folded if sorted(candidate) == sorted(written)]
    if len(swapped) == 1:
        return folded[swapped[0]]
    for cutoff in (0.8, 0.6):
        close = get_close_matches(written, folded, n=1, cutoff=cutoff)
        # Similarity alone would take `cmd` for `cwd`, although it stands for `command`.
        longer = [] if close else [candidate for candidate in folded if _shortens(written, candidate)]
        if close or len(longer) == 1:
            return folded[(close or longer)[0]]
    return None


def misspelt(name: str, known: Iterable[str]) -> bool:
    """Return whether a name certainly stands for a known one, as a synonym or with a typing mistake."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and seldom needed

    names = sorted(set(known))
    return (
        any(key in names for key in meanings(name))
        or any(sorted(name) == sorted(candidate) for candidate in names)
        or sum(_shortens(name, candidate) for candidate in names) == 1
        or bool(get_close_matches(name[:64], names, n=1, cutoff=_SURELY))
    )


def meanings(name: str) -> tuple[str, ...]:
    """Return the keys of which a name is a synonym, whatever mapping they belong to."""
    written = name.casefold().replace("-", "_")
    return tuple(key for key, synonyms in _SYNONYMS.items() if written in synonyms)


def _shortens(short: str, long: str) -> bool:
    """Return whether a word of at least three letters is another word with some letters left out."""
    letters = iter(long)
    return len(short) > 2 and short[0] == long[:1] and all(letter in letters for letter in short)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a sentence with advice for an unknown name, with the probably intended name, or with all known names."""
    names = sorted(set(known))
    if not names:
        return ""
    if advice := _ADVICE.get(name.casefold()):
        return advice
    likely = closest(name, names)
    if likely is not None:
        return f"Did you mean `{likely}`?"
    listed = ", ".join(f"`{candidate}`" for candidate in names[:_MOST_NAMES_LISTED])
    return f"Known here: {listed}{', ...' if len(names) > _MOST_NAMES_LISTED else ''}."
