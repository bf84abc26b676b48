"""Runs of one request put together: each verdict once, whichever runs have it.

What the runs were to do has to be the same: version, options, cases. Of several verdicts of one grading an error gives
way to what could be judged, and a verdict that was taken over to the one that it was taken from. Two that differ become
an error that names both, and stay one whatever is merged later. To merge what was merged changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from graders.errors import RunLost, RunRefused, UsageRefused
from graders.grading.fingerprint import Key
from graders.model.verdict import Status, Verdict
from graders.model.verdict_document import VerdictDocument, document, result_of
from graders.runs.evidence_log import packed
from graders.runs.request import OPTIONS, PATHS
from graders.runs.saved_run import SavedRun, owner_of, read_run
from graders.runs.shards import Shard
from graders.runs.store import RECORD, Store, write_record

CONFLICT = "runs do not agree about this grading"
_MAX_BYTES = 1 << 30
_SHOWN = 3


class Merged(NamedTuple):
    """What came of it."""

    run: SavedRun
    added: int  # How many verdicts the directory did not have before.
    conflicts: tuple[VerdictDocument, ...]  # The verdicts that two runs do not agree about.
    missing: tuple[str, ...]  # What the run lacks, a sentence each.
    images: tuple[str, ...]  # Images that were not the same everywhere, a sentence each.


class _Found(NamedTuple):
    run: SavedRun
    verdict: VerdictDocument


class _Chosen(NamedTuple):
    run: SavedRun
    conflict: VerdictDocument | None


def merge(runs: Sequence[Path], output: Path) -> Merged:
    """Put runs together in a run directory, which is made, or completed if it is a run itself.

    Raises RunRefused if a run cannot be read, the runs are not of one request, or the directory cannot be written.
    """
    before = _read(output) if (output / RECORD).is_file() else None
    if before is None and output.is_dir() and any(output.iterdir()):
        raise RunRefused(f"{output} is not empty and no run directory.", remedy="Name another with --output.")
    others = (path for path in dict.fromkeys(map(Path.resolve, runs)) if path != output.resolve())
    saved = [*([before] if before else []), *map(_read, others)]
    _refuse_different(saved)
    request = _request(saved)
    chosen = _chosen_of(saved)
    store = Store.reopen(output) if before else Store.create(output.parent, request, name=output.resolve().name)
    added = 0
    images: dict[str, dict[str, None]] = {}
    try:
        if before is None or before.requested != request:
            write_record(store.directory, request, saved[0].other_version)
        for key, (run, conflict) in chosen.items():
            verdict = conflict or run.verdicts[key]
            if verdict.image_id:
                images.setdefault(verdict.image, {})[verdict.image_id] = None
            if before is None or key not in before.verdicts or before.verdicts[key].id != verdict.id:
                _copy(run, verdict, store)
                added += 1
    except OSError as error:
        raise RunLost(f"{output} cannot be written: {error.strerror or error}.", remedy="Merge again.") from error
    finally:
        store.close()
    conflicts = tuple(conflict for _, conflict in chosen.values() if conflict)
    differing = tuple(
        f"the image {image} was not the same everywhere: {', '.join(found)}"
        for image, found in images.items()
        if len(found) > 1
    )
    return Merged(read_run(output), added, conflicts, tuple(_missing(request, saved, len(chosen))), differing)


def _read(directory: Path) -> SavedRun:
    """Read a run whose record holds a request. Raises RunRefused if it cannot be."""
    run = read_run(directory)
    try:
        [*_fixed(run)], _request([run]), [*_missing(run.requested, [run], 0)]
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError, UsageRefused) as error:
        raise RunRefused(f"The record of {directory} does not hold its request: {error!r}.") from error
    return run


def _copy(run: SavedRun, verdict: VerdictDocument, store: Store) -> None:
    owner = owner_of(verdict)
    kept = run.evidence.member(owner) or packed(
        owner, ((file.name, file.head) for file in run.evidence.files(owner, lambda _: _MAX_BYTES))
    )
    line = json.dumps(verdict.model_dump(mode="json") | {"run": store.id}, separators=(",", ":"))
    store.append(kept, line.encode() + b"\n")


def _chosen_of(saved: Iterable[SavedRun]) -> dict[Key, _Chosen]:
    """Return which run has the verdict of each grading that counts. Raises RunRefused if they are not of the same."""
    having: dict[Key, list[SavedRun]] = {}
    for run in saved:
        for key in run.verdicts:
            having.setdefault(key, []).append(run)
    chosen = {}
    for key, runs in having.items():
        found = _chosen([_Found(run, run.verdicts[key]) for run in runs])
        # Tens of thousands of verdicts are not kept in memory.
        chosen[key] = _Chosen(found.run, found.verdict if _is_conflict(found.verdict) else None)
    return chosen


def _chosen(found: list[_Found]) -> _Found:
    """Return the verdict of a grading that counts."""
    for one in found:
        if _is_conflict(one.verdict):
            return one
    judged = [one for one in found if one.verdict.verdict != Status.ERROR.value] or found
    known = [one for one in judged if one.verdict.content]
    for one in known[1:]:
        _refuse_other_content(known[0], one)
    first, *others = sorted(judged, key=lambda one: (bool(one.verdict.reused), one.verdict.started, one.verdict.id))
    other = next((one for one in others if _meaning(one.verdict) != _meaning(first.verdict)), None)
    return first if other is None else _conflict(first, other)


def _meaning(verdict: VerdictDocument) -> object:
    if verdict.verdict == Status.ERROR.value:
        return verdict.verdict
    return verdict.verdict, verdict.score, [(check.name, check.verdict, check.score) for check in verdict.checks]


def _is_conflict(verdict: VerdictDocument) -> bool:
    return verdict.verdict == Status.ERROR.value and verdict.reasons[:1] == [CONFLICT]


def _conflict(first: _Found, second: _Found) -> _Found:
    pair = sorted((first, second), key=lambda one: (one.run.id, one.verdict.id))
    said = " and ".join(f"{verdict.verdict} with score {verdict.score} in {run.id}" for run, verdict in pair)
    reasons = (CONFLICT, f"It is {said}. Grade it again.")
    result = result_of(first.verdict)
    decided = Verdict(Status.ERROR, None, None, None, first.verdict.threshold, (), reasons=reasons)
    name = sha256(" ".join(one.verdict.id for one in pair).encode()).hexdigest()[:16]
    return _Found(first.run, document(replace(result, id=name, verdict=decided, own_steps=())))


def _refuse_other_content(one: _Found, other: _Found) -> None:
    a, b = one.verdict, other.verdict
    if a.content == b.content:
        return
    fields = ("image_id", "profile", "runtime")
    what = next((name for name in fields if getattr(a, name) != getattr(b, name)), "")
    where = f" ({what}: {getattr(a, what)} and {getattr(b, what)})" if what else ""
    raise RunRefused(
        f"{one.run.directory} and {other.run.directory} cannot be merged: they graded something else as {a.submission} "
        f"for {a.case}{where or ', other files of case or submission'}.",
        remedy="Grade it again in one of them, or merge runs of the same files and images.",
    )


def _refuse_different(saved: Sequence[SavedRun]) -> None:
    """Refuse runs of different requests. Raises RunRefused and says what differs."""
    # What must be the same, and which run had it first.
    had: dict[str, tuple[Any, SavedRun]] = {}
    for run in saved:
        for what, value in _fixed(run):
            first, other = had.setdefault(what, (value, run))
            if first != value:
                raise RunRefused(
                    f"{other.directory} and {run.directory} cannot be merged: {_difference(what, first, value)}.",
                    remedy="Merge runs of one request.",
                )


def _fixed(run: SavedRun) -> Iterator[tuple[str, Any]]:
    """Yield what has to be the same in all runs, by its name."""
    yield "the version of gradebox", run.other_version or "this one"
    asked = _comparable(run.requested)
    for name, option in OPTIONS.items():
        if name == "selection":
            yield option, [asked.get(part) or [] for part in ("ids", "tags", "excluded", "where")]
        elif name != "shard":
            yield option, asked.get(name)
    if of_all := _shards(run.requested).of_all:
        yield "the number of shards", of_all
    for case, found in (run.requested.get("case_hashes") or {}).items():
        yield f"the case {case} with its files", found


def _difference(what: str, first: Any, second: Any) -> str:
    if not isinstance(first, list) or not isinstance(second, list):
        return f"{what} is {first} and {second}"
    only = [str(one) for one in (*first, *second) if one not in first or one not in second]
    more = f" and {len(only) - _SHOWN} more" if len(only) > _SHOWN else ""
    return f"{what} differs in {', '.join(only[:_SHOWN]) or 'its order'}{more}"


def _comparable(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request in which paths are relative to the directory where it was made."""

    def relative(path: Any) -> Any:
        return os.path.relpath(path, asked["directory"]) if path and str(path).startswith("/") else path

    if not asked.get("directory"):
        return dict(asked)
    paths = {name: relative(asked.get(name)) for name in PATHS}
    lists = {name: [relative(path) for path in asked.get(name) or ()] for name in ("cases", "submissions")}
    return {**asked, **paths, **lists}


class _Shards(NamedTuple):
    of_all: int
    tasks: Mapping[str, int]


def _shards(asked: Mapping[str, Any]) -> _Shards:
    """Return of how many shards a run has how many tasks each, by their numbers; 0 for one without shards."""
    if asked.get("shard"):
        shard = Shard.read(str(asked["shard"]))
        return _Shards(shard.of_all, {str(shard.number): int(asked.get("tasks", 0))})
    known = asked.get("shards") or {"tasks": {}}
    tasks = {Shard.read(f"{name}/{known['of']}"): int(number) for name, number in known["tasks"].items()}
    return _Shards(next((shard.of_all for shard in tasks), 0), {str(each.number): tasks[each] for each in tasks})


def _request(saved: Sequence[SavedRun]) -> dict[str, Any]:
    """Return the request that the runs are parts of, with the shards that they are."""
    asked = {name: value for name, value in saved[0].requested.items() if name != "tasks"}
    shards = [_shards(run.requested) for run in saved]
    hashes: dict[str, str] = {}
    tasks: dict[str, int] = {}
    for run, one in zip(saved, shards, strict=True):
        hashes |= run.requested.get("case_hashes") or {}
        tasks |= one.tasks
    if any(not one.of_all for one in shards):
        # One of them is the whole run.
        return {**asked, "shard": None}
    known = {"of": shards[0].of_all, "tasks": dict(sorted(tasks.items(), key=lambda item: int(item[0])))}
    return {**asked, "shard": None, "shards": known, "case_hashes": dict(sorted(hashes.items()))}


def _missing(request: Mapping[str, Any], saved: Iterable[SavedRun], count: int) -> Iterator[str]:
    shards = _shards(request)
    absent = [f"{number}/{shards.of_all}" for number in range(1, shards.of_all + 1) if str(number) not in shards.tasks]
    if absent:
        yield f"{len(absent)} of {shards.of_all} shards missing: {', '.join(absent)}"
    wanted = sum(shards.tasks.values())
    if count < wanted:
        short = [run.id for run in saved if len(run.verdicts) < int(run.requested.get("tasks") or 0)]
        where = f": continue {', '.join(short)} with --resume, and merge again" if short else ""
        yield f"{wanted - count} of {wanted} gradings of these shards have no verdict{where}"
