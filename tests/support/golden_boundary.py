"""The golden vectors of docs/explanation/boundary.md, which every reader and writer of values runs.

`tests/golden/boundary.jsonl` has one object of JSON on each line:

    {"languages": [...], "tree": TREE, "python" | "javascript" | "julia": SOURCE, "is": TEXT}
    {"languages": [...], "malformed": TREE | TEXT | {"text": [[TEXT, COUNT], ...]}, "why": TEXT}

The candidate writes, and the grader reads: objects have the numbers -1, -2, ... in the order in which they begin.
SOURCE is an expression, in Python with the modules of the table imported. A malformed TEXT stands in place of a value,
a byte for each character.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.javascript import apart
from gradebox.graders.languages.language import INSIDE

TABLE: dict[str, Any] = json.loads((INSIDE / "boundary.json").read_text("utf-8"))
VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "golden" / "boundary.jsonl").read_text("ascii").splitlines()
]
VALUES = [vector for vector in VECTORS if "tree" in vector]
MALFORMED = [vector for vector in VECTORS if "malformed" in vector]


def text_of(vector: dict[str, Any]) -> bytes:
    """Return the bytes of a value, or of what is none."""
    held = vector.get("malformed", "")
    if isinstance(held, dict) and "text" in held:
        return "".join(text * count for text, count in held["text"]).encode("latin-1")
    if isinstance(held, str) and "tree" not in vector:
        return held.encode("latin-1")
    return json.dumps(vector.get("tree", held), separators=(",", ":")).encode()


def same_trees(one: Any, other: Any) -> bool:
    """Return whether two trees are the same, where 1 is not 1.0 and not true."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_trees, one, other))
    return type(one) is type(other) and one == other


def javascript_program() -> str:
    """Return the program that runs the vectors with the readers and writers of JavaScript, and fuzzes them."""
    of_language = [vector for vector in VECTORS if "javascript" in vector["languages"]]
    golden = [
        vector if "tree" in vector else {**vector, "text": text_of(vector).decode("latin-1")} for vector in of_language
    ]
    source = bundle(*apart("node"), Path(__file__).with_name("fuzz_apart.js"))
    return f"const GOLDEN = {json.dumps(golden)};\n{source}"
