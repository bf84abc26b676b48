"""Compare the verdicts that two versions of gradebox give to every shipped case and submission.

    python benchmarks/same_verdicts.py record verdicts.jsonl --grade "/path/to/grade"
    python benchmarks/same_verdicts.py compare before.jsonl after.jsonl

`record` grades each reference and each submission below ``cases/``. `compare` exits with 1 if any field differs.
Times, ids, hashes and the source text of our own runners are left out. Sentences for people may change from one
version to the next, and later versions add keys: both are listed, once each, and do not count as a difference.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parents[1] / "cases"
# Times, ids, and hashes of the case's content.
VARYING = frozenset({"id", "run", "number", "content", "image_id", "started", "memory", "peak_bytes"})
# Removed on purpose.
GONE = frozenset({"defences_off"})
_NO_KEY = object()
SENTENCES = frozenset({"reason", "reasons", "what", "evidence", "detail", "text", "error"})


def record(output: Path, grade: list[str]) -> int:
    """Grade everything that is shipped, and write a verdict a line."""
    with output.open("w", encoding="utf-8") as stream:
        for case in sorted(path.parent for path in CASES.glob("*/case.yaml")):
            submissions = sorted(path for path in (case / "submissions").iterdir() if path.name != "verdicts.yaml")
            for words in (["--reference"], *(["--submission", str(path)] for path in submissions)):
                ran = subprocess.run(
                    [*grade, "--case", str(case), *words, "--json", "--quiet"],
                    stdout=subprocess.PIPE,
                    text=True,
                    check=False,
                )
                if ran.returncode not in (0, 1) or not ran.stdout:
                    print(f"{case.name} {words[-1]}: exit code {ran.returncode}", file=sys.stderr)
                    return 1
                stream.write(ran.stdout)
    return 0


def compare(before: Path, after: Path) -> int:
    """Print what differs between two records, and return the exit code."""
    left, right = _read(before), _read(after)
    differences = [f"{name}: only in one record" for name in left.keys() ^ right.keys()]
    sentences: dict[tuple[str, str], None] = {}
    added: dict[str, None] = {}
    for name in sorted(left.keys() & right.keys()):
        for path, old, new in _differing(left[name], right[name], ""):
            if _is_sentence(path) and isinstance(old, str) and isinstance(new, str):
                sentences[old, new] = None
            elif old is _NO_KEY:
                added[path.rpartition(".")[2]] = None
            else:
                differences.append(f"{name}{path}: {json.dumps(old)} -> {json.dumps(new, default=lambda _: 'no key')}")
    for old, new in sentences:
        print(f"- {old}\n+ {new}")
    print(*differences, sep="\n")
    found = f"{len(differences)} differences, {len(sentences)} sentences in other words"
    print(f"{len(left)} verdicts, {found}, new keys: {', '.join(added) or 'none'}")
    return 1 if differences else 0


def _read(path: Path) -> dict[str, Any]:
    documents = (json.loads(line, object_hook=_without_sources) for line in path.read_text("utf-8").splitlines())
    return {f"{document['case']}/{document['submission']}": document for document in documents}


def _without_sources(value: dict[str, Any]) -> dict[str, Any]:
    if "argv" not in value:
        return value
    return {**value, "argv": ["<source>" if "\n" in word else word for word in value["argv"]]}


def _differing(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted((old.keys() | new.keys()) - VARYING - GONE):
            if not key.endswith("seconds"):
                yield from _differing(old.get(key, _NO_KEY), new.get(key, _NO_KEY), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differing(one, other, f"{path}[{index}]")
    elif old != new:
        yield path, old, new


def _is_sentence(path: str) -> bool:
    return path.rpartition(".")[2].partition("[")[0] in SENTENCES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("output", type=Path)
    recording.add_argument("--grade", default="grade", help="the command, as a shell would read it")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    asked = parser.parse_args()
    if asked.command == "record":
        return record(asked.output, shlex.split(asked.grade))
    return compare(asked.before, asked.after)


if __name__ == "__main__":
    sys.exit(main())
