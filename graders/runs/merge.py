"""Merges runs of one request into a run that has each verdict once.

The runs must have the same version, options and cases. Among several verdicts of one grading, a judged verdict wins
over an error, and an original verdict wins over one that was reused from another run. Two verdicts that differ become
an error that names both, and later merges keep that error. Merging a merged run again changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.cases.select import Selection
from gradebox.graders.errors import RunLost, RunRefused, UsageRefused
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.model.crossing import Crossing
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.model.verdict_document import VerdictDocument, document, result_of
from gradebox.graders.runs.evidence_log import NO_WORK, SavedEvidence, Work
from gradebox.graders.runs.request import OPTIONS, PATHS
from gradebox.graders.runs.saved_run import SavedRun, owner_of, read_run
from gradebox.graders.runs.settled import Name, listed, recorded
from gradebox.graders.runs.shards import Shard
from gradebox.graders.runs.store import RECORD, Store, write_record

CONFLICT = "runs do not agree about this grading"
_SHOWN = 3


class Merged(NamedTuple):
    """The result of a merge."""

    added: int  # How many verdicts are new in the directory.
    conflicts: tuple[str, ...]  # A sentence for each grading whose verdicts differ.
    missing: tuple[str, ...]  # A sentence for each thing that the merged run lacks.
    images: tuple[str, ...]  # A sentence for each image that differs between runs.


class _Found(NamedTuple):
    run: SavedRun
    verdict: VerdictDocument


class _Runs(NamedTuple):
    """Runs of one request. Only the first keeps its whole record."""

    saved: list[SavedRun]
    case_hashes: dict[str, str]  # Of all runs.
    crossings: dict[Name, Crossing]  # Of all runs.


def merge(runs: Sequence[Path], output: Path) -> Merged:
    """Merge runs into a run directory, which is made, or completed if it is a run already.

    Raises RunRefused if a run cannot be read, the runs are not of one request, or the directory cannot be used.
    """
    completed = (output / RECORD).is_file()
    if not completed and output.is_dir() and any(output.iterdir()):
        raise RunRefused(f"{output} is not empty and not a run directory.", remedy="Name another with --output.")
    others = (path for path in dict.fromkeys(map(Path.resolve, runs)) if path != output.resolve())
    saved, hashes, crossings = _read([*([output] if completed else []), *others])
    before = saved[0] if completed else None
    request = _request(saved, hashes) | listed(crossings)
    chosen = _chosen_of(saved)
    store = Store.reopen(output) if before else Store.create(output.parent, request, name=output.resolve().name)
    added = 0
    conflicts: list[str] = []
    images: dict[str, dict[str, None]] = {}
    try:
        if before is None or before.requested != request:
            write_record(store.directory, request, saved[0].other_version)
        for run in saved:
            kept = SavedEvidence(run.directory)
            for key, other in chosen[run.directory].items():
                verdict = run.verdicts[key]
                if other:
                    verdict = _conflict(_Found(run, verdict), _Found(other, other.verdicts[key]))
                if _is_conflict(verdict):
                    conflicts.append(f"{verdict.case} {verdict.submission}: {' '.join(verdict.reasons)}")
                if verdict.image_id:
                    images.setdefault(verdict.image, {})[verdict.image_id] = None
                if before is None or key not in before.verdicts or before.verdicts[key].id != verdict.id:
                    line = json.dumps(verdict.model_dump(mode="json") | {"run": store.id}, separators=(",", ":"))
                    evidence, work = _pieces(kept, verdict, store.has)
                    store.append(evidence, line.encode() + b"\n", work)
                    added += 1
    except OSError as error:
        raise RunLost(f"{output} cannot be written: {error.strerror or error}.", remedy="Merge again.") from error
    finally:
        store.close()
    differing = tuple(
        f"the image {image} was not the same everywhere: {', '.join(found)}"
        for image, found in images.items()
        if len(found) > 1
    )
    missing = tuple(_missing(request, saved, sum(map(len, chosen.values()))))
    return Merged(added, tuple(conflicts), missing, differing)


def _read(directories: Iterable[Path]) -> _Runs:
    """Read runs. Raises RunRefused if one cannot be read or its record holds no request, or their requests differ."""
    found = _Runs([], {}, {})
    # What must be equal in all runs, with its value in the first run that has it.
    had: dict[str, tuple[Any, Path]] = {}
    for directory in directories:
        run = read_run(directory, light=True)
        hashes = run.requested.get("case_hashes") or {}
        try:
            fixed = [*_fixed(run)]
            _request([run], hashes), [*_missing(run.requested, [run], 0)]
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError, UsageRefused) as error:
            raise RunRefused(f"The record of {directory} does not hold its request: {error!r}.") from error
        shards = _shards(run.requested)
        if (others := {key.case for key in run.verdicts} - {*hashes}) and shards.of_all:
            raise RunRefused(
                f"{directory} has verdicts of {', '.join(sorted(others)[:_SHOWN])}, which it was not asked to grade."
            )
        if len(run.verdicts) > (most := sum(shards.tasks.values())) and shards.of_all:
            raise RunRefused(
                f"{directory} has verdicts of {len(run.verdicts)} gradings, but was asked to grade {most}.",
                remedy="Remove what does not belong to it, or grade this shard again.",
            )
        for what, value in fixed:
            first, other = had.setdefault(what, (value, directory))
            if first != value:
                raise RunRefused(
                    f"{other} and {directory} cannot be merged: {_difference(what, first, value)}.",
                    remedy="Merge runs of one request.",
                )
        found.case_hashes.update(hashes)
        found.crossings.update(recorded(run.requested))
        # A record names every submission of the whole run, and there may be hundreds of records.
        own = {name: run.requested.get(name) for name in ("shard", "shards", "tasks")} if found.saved else run.requested
        found.saved.append(replace(run, requested=own))
    return found


def _pieces(evidence: SavedEvidence, verdict: VerdictDocument, has: Callable[[str], bool]) -> tuple[bytes, Work]:
    """Return a verdict's evidence, and its submission unless kept already. Raises RunRefused if unreadable."""
    owner, submitted = owner_of(verdict), verdict.submission_hash
    try:
        return evidence.piece(owner), NO_WORK if has(submitted) else evidence.work(submitted)
    except OSError as error:
        raise RunRefused(
            f"The evidence of {evidence.directory / owner.place} cannot be read: {error.strerror or error}.",
            remedy="Merge again when it can be read.",
        ) from error


def _chosen_of(saved: Sequence[SavedRun]) -> dict[Path, dict[Key, SavedRun | None]]:
    """Return the verdicts of each run that count, each with a run whose verdict differs, None without one.

    Raises RunRefused if the verdicts of one grading are about different files, images, profiles or runtimes.
    """
    having: dict[Key, tuple[SavedRun, ...]] = {}
    for run in saved:
        for key in run.verdicts:
            having[key] = (*having.get(key, ()), run)
    chosen: dict[Path, dict[Key, SavedRun | None]] = {run.directory: {} for run in saved}
    for key, runs in having.items():
        run, other = _chosen([_Found(run, run.verdicts[key]) for run in runs]) if len(runs) > 1 else (runs[0], None)
        chosen[run.directory][key] = other
    return chosen


def _chosen(found: list[_Found]) -> tuple[SavedRun, SavedRun | None]:
    """Return the run whose verdict of a grading counts, and a run whose verdict differs, None without one."""
    for one in found:
        if _is_conflict(one.verdict):
            return one.run, None
    judged = [one for one in found if one.verdict.verdict != Status.ERROR.value] or found
    known = [one for one in judged if one.verdict.content]
    for one in known[1:]:
        _refuse_other_content(known[0], one)
    first, *others = sorted(judged, key=lambda one: (bool(one.verdict.reused), one.verdict.started, one.verdict.id))
    return first.run, next((one.run for one in others if _meaning(one.verdict) != _meaning(first.verdict)), None)


def _meaning(verdict: VerdictDocument) -> object:
    if verdict.verdict == Status.ERROR.value:
        return verdict.verdict
    return verdict.verdict, verdict.score, [(check.name, check.verdict, check.score) for check in verdict.checks]


def _is_conflict(verdict: VerdictDocument) -> bool:
    return verdict.verdict == Status.ERROR.value and verdict.reasons[:1] == [CONFLICT]


def _conflict(first: _Found, second: _Found) -> VerdictDocument:
    pair = sorted((first, second), key=lambda one: (one.run.id, one.verdict.id))
    said = " and ".join(f"{verdict.verdict} with score {verdict.score} in {run.id}" for run, verdict in pair)
    reasons = (CONFLICT, f"It is {said}. Grade it again.")
    result = result_of(first.verdict)
    decided = Verdict(Status.ERROR, None, None, None, first.verdict.threshold, (), reasons=reasons)
    name = sha256(" ".join(one.verdict.id for one in pair).encode()).hexdigest()[:16]
    return document(replace(result, id=name, verdict=decided, own_steps=()))


def _refuse_other_content(one: _Found, other: _Found) -> None:
    a, b = one.verdict, other.verdict
    if a.content == b.content:
        return
    fields = ("image_id", "profile", "runtime")
    what = next((name for name in fields if getattr(a, name) != getattr(b, name)), "")
    where = f" ({what}: {getattr(a, what)} and {getattr(b, what)})" if what else ""
    raise RunRefused(
        f"{one.run.directory} and {other.run.directory} cannot be merged: {a.submission} for {a.case} is not the same "
        f"in both{where or ': the files of the case or of the submission differ'}.",
        remedy="Grade it again in one of them, or merge runs of the same files and images.",
    )


def _fixed(run: SavedRun) -> Iterator[tuple[str, Any]]:
    """Yield the values that must be equal in all runs, each with a name for messages."""
    yield "the version of gradebox", run.other_version or "this one"
    asked = _comparable(run.requested)
    for name, option in OPTIONS.items():
        if name == "selection":
            yield option, [asked.get(part) or [] for part in Selection.__dataclass_fields__]
        elif name != "shard":
            yield option, asked.get(name)
    if of_all := _shards(run.requested).of_all:
        yield "the number of shards", of_all
    for case, found in (run.requested.get("case_hashes") or {}).items():
        yield f"the case {case} with its files", found
    for case, crossing in recorded(run.requested).items():
        yield f"`isolation` of {case[0]}", str(crossing.isolation)


def _difference(what: str, first: Any, second: Any) -> str:
    if not isinstance(first, list) or not isinstance(second, list):
        return f"{what} is {first} and {second}"
    only = [str(one) for one in (*first, *second) if one not in first or one not in second]
    more = f" and {len(only) - _SHOWN} more" if len(only) > _SHOWN else ""
    return f"{what} differs in {', '.join(only[:_SHOWN]) or 'its order'}{more}"


def _comparable(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with its paths relative to the directory in which it was made."""
    below = f"{asked.get('directory')}/"

    def relative(path: Any) -> Any:
        if not path or not str(path).startswith("/"):
            return path
        # Equals `os.path.relpath`, but is ten times as fast.
        if path.startswith(below) and "/." not in path:
            return path[len(below) :]
        return os.path.relpath(path, asked["directory"])

    if not asked.get("directory"):
        return dict(asked)
    paths = {name: relative(asked.get(name)) for name in PATHS}
    lists = {name: [relative(path) for path in asked.get(name) or ()] for name in ("cases", "submissions")}
    return {**asked, **paths, **lists}


class _Shards(NamedTuple):
    of_all: int
    tasks: Mapping[str, int]


def _shards(asked: Mapping[str, Any]) -> _Shards:
    """Return the total number of shards, and the tasks of each shard that a run has; 0 for a run without shards."""
    if asked.get("shard"):
        shard = Shard.read(str(asked["shard"]))
        return _Shards(shard.of_all, {str(shard.number): int(asked.get("tasks", 0))})
    known = asked.get("shards") or {"tasks": {}}
    tasks = {Shard.read(f"{name}/{known['of']}"): int(number) for name, number in known["tasks"].items()}
    return _Shards(next((shard.of_all for shard in tasks), 0), {str(each.number): tasks[each] for each in tasks})


def _request(saved: Sequence[SavedRun], case_hashes: Mapping[str, str]) -> dict[str, Any]:
    """Return the request of the whole run, with the shards that these runs have graded."""
    of_shards = ("tasks", "shards", "case_hashes")
    asked = {name: value for name, value in saved[0].requested.items() if name not in of_shards}
    shards = [_shards(run.requested) for run in saved]
    if any(not one.of_all for one in shards):
        # One of them is the whole run.
        return {**asked, "shard": None}
    tasks = sorted((item for one in shards for item in one.tasks.items()), key=lambda item: int(item[0]))
    known = {"of": shards[0].of_all, "tasks": dict(tasks)}
    return {**asked, "shard": None, "shards": known, "case_hashes": dict(sorted(case_hashes.items()))}


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
