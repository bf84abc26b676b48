"""The outcomes in one sandbox, kept so that they can be judged again without one, such as with another threshold.

The file is JSON, for the same version of gradebox or a newer one; the dataclasses describe its fields.
"""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

from pydantic import ConfigDict, TypeAdapter, ValidationError

from gradebox.graders.errors import RunRefused
from gradebox.graders.model.evidence import Outcomes, StepOutcome

# A longer word of a command is the source of one of our runners.
_WORD_MAX = 500


# In a tuple, since a dataclass at the top would have to define the config for bytes itself.
_ADAPTER = TypeAdapter(
    tuple[Outcomes], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", defer_build=True)
)


def encode(outcomes: Outcomes) -> bytes:
    """Return outcomes as the content of a file."""
    slim = replace(outcomes, done={name: tuple(map(_slim, done)) for name, done in outcomes.done.items()})
    # Half a surrogate pair in a name becomes a question mark, which affects no verdict.
    text = json.dumps(_ADAPTER.dump_python((slim,), mode="json"), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def decode(data: bytes) -> Outcomes:
    """Return the outcomes in the content of a file. Raises RunRefused if `encode` did not write it."""
    try:
        return _ADAPTER.validate_json(data)[0]
    except (ValidationError, ValueError) as error:
        raise RunRefused(f"The saved outcomes cannot be read: {error}.") from error


def words(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command with its long words, which are sources, replaced by their hash."""
    return tuple(
        word if len(word) <= _WORD_MAX else f"sha256:{sha256(word.encode('utf-8', 'surrogatepass')).hexdigest()}"
        for word in argv
    )


def _slim(done: StepOutcome) -> StepOutcome:
    return replace(done, step=replace(done.step, argv=words(done.step.argv), stdin=b"", input=None, mentions=()))
