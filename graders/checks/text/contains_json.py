"""`contains-json`: the text contains a JSON object or list. If there is a JSON Schema, the JSON meets it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from gradebox.graders.checks.text import json_schema
from gradebox.graders.checks.text.is_json import IsJson
from gradebox.graders.documents import strict_json

# Searching a crafted text could take hours.
SECONDS = 3.0
_DECODER = json.JSONDecoder()


class ContainsJson(IsJson):
    """The text contains a JSON object or list."""

    type = "contains-json"

    def unmet(self, text: str) -> str:
        wrong = "it holds no JSON object and no list"
        for data in found_in(text):
            wrong = "" if self.schema is None else json_schema.violation(self.schema, data)
            if not wrong:
                return ""
        return wrong


def found_in(text: str, *, seconds: float = SECONDS) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists in a text, in order, for at most `seconds`."""
    end = time.monotonic() + seconds
    at = 0
    while time.monotonic() < end:
        starts = [start for opening in "{[" if (start := text.find(opening, at)) >= 0]
        if not starts:
            return
        at = min(starts)
        try:
            data, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if not strict_json.is_deep(data):
            yield data
