"""Every name of every field, in one table: the first name, and the others that are read in its place.

The loaders rename what they read to the first name before anything else looks at it. Two spellings of one field in
one place are an error. A spelling with a dot lies inside another field of the same object: ``execution.evaluators``
in a case is the case's ``assertions``. Only reading needs the others; everything we write uses the first name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

Names = Mapping[str, tuple[str, ...]]


def _table(entries: Mapping[str, Iterable[str]]) -> Names:
    return MappingProxyType({name: tuple(others) for name, others in entries.items()})


_OF_CASE_AND_SUITE: Mapping[str, tuple[str, ...]] = {
    "assertions": ("assert", "execution.assertions", "execution.evaluators", "evaluators"),
    "image": ("workspace.docker.image",),
    "limits": ("execution.limits",),
    "limits.memory": ("execution.memory", "workspace.docker.memory"),
    "limits.cpus": ("execution.cpus", "workspace.docker.cpus"),
    "limits.pids": ("execution.pids",),
    "limits.disk": ("execution.disk",),
    "limits.output": ("execution.output",),
    "limits.network": ("execution.network",),
    "limits.command_timeout_seconds": ("execution.command_timeout_seconds", "workspace.docker.timeout"),
}

_OF_CHECK: Mapping[str, tuple[str, ...]] = {"name": ("metric",)}

FIELDS: Mapping[str, Names] = MappingProxyType(
    {
        "case": _table(
            {
                "criteria": ("expected_outcome",),
                "input": ("input_messages",),
                "expected_output": ("expected_messages",),
                **_OF_CASE_AND_SUITE,
            }
        ),
        "suite": _table(
            {
                "tests": ("evalcases", "eval_cases", "cases"),
                "input": ("input_messages",),
                **_OF_CASE_AND_SUITE,
            }
        ),
        "check": _table(_OF_CHECK),
        "code-grader": _table({**_OF_CHECK, "command": ("script",)}),
        "is-json": _table({**_OF_CHECK, "schema": ("value",)}),
        "files": _table({**_OF_CHECK, "paths": ("path", "files", "file")}),
        "cost": _table({**_OF_CHECK, "budget": ("threshold",)}),
        "rubrics": _table({**_OF_CHECK, "rubrics": ("criteria",)}),
        "llm-grader": _table({**_OF_CHECK, "prompt": ("value", "criteria")}),
        "composite": _table(
            {
                **_OF_CHECK,
                "assertions": ("assert", "evaluators"),
                "weights": ("aggregator.weights",),
                "threshold": ("aggregator.threshold",),
                "command": ("script", "aggregator.command", "aggregator.script"),
                "protocol": ("aggregator.protocol",),
            }
        ),
        "items": _table(
            {
                **_OF_CHECK,
                "items": ("examples", "unit_tests"),
                "setup": ("examples_setup", "unit_tests_setup"),
                "teardown": ("examples_teardown", "unit_tests_teardown"),
            }
        ),
        "rubric": _table(
            {
                "expected_outcome": ("outcome", "criteria"),
                "min_score": ("required_min_score",),
            }
        ),
        "command": _table({"command": ("script",)}),
    }
)

CHECK_TYPES: Names = _table(
    {
        "code-grader": ("code-judge", "script"),
        "examples": (),
        "unit-tests": (),
        "rubrics": ("rubric",),
        "llm-grader": ("llm-judge", "llm-rubric"),
        "contains": (),
        "icontains": (),
        "contains-any": (),
        "contains-all": (),
        "icontains-any": (),
        "icontains-all": (),
        "starts-with": (),
        "ends-with": (),
        "equals": (),
        "regex": (),
        "is-json": (),
        "file-exists": (),
        "file-contains": (),
        "file-changes": (),
        "field-accuracy": (),
        "tool-trajectory": (),
        "execution-metrics": (),
        "latency": (),
        "cost": (),
        "token-usage": (),
        "composite": ("assert-set",),
        "check": (),
    }
)
NEGATED_PREFIX = "not-"
NEGATABLE = frozenset(
    {
        "contains",
        "icontains",
        "contains-any",
        "contains-all",
        "icontains-any",
        "icontains-all",
        "starts-with",
        "ends-with",
        "equals",
        "regex",
        "is-json",
    }
)

_FIRST_TYPE = {other: first for first, others in CHECK_TYPES.items() for other in (first, *others)}
_SPELLINGS: dict[str, tuple[str, ...]] = {}
for _names in FIELDS.values():
    for _first, _others in _names.items():
        _SPELLINGS[_first] = tuple(dict.fromkeys((*_SPELLINGS.get(_first, ()), *_others)))


def spellings(first: str) -> tuple[str, ...]:
    """Return the other spellings of a field, whatever object it belongs to."""
    return _SPELLINGS.get(first, ())


def spelled_in(holder: str) -> tuple[str, ...]:
    """Return the keys of an object, such as ``execution``, that are other names of its owner's fields."""
    others = (other for names in FIELDS.values() for spelled in names.values() for other in spelled)
    return tuple(dict.fromkeys(other.rpartition(".")[2] for other in others if other.rpartition(".")[0] == holder))


def first_type(written: str) -> str | None:
    """Return the first name of a check type, None for an unknown one; ``_`` and ``-`` are alike."""
    return _FIRST_TYPE.get(written.replace("_", "-"))


def known_types() -> tuple[str, ...]:
    """Return every spelling of every check type."""
    return tuple(_FIRST_TYPE) + tuple(NEGATED_PREFIX + name for name in sorted(NEGATABLE))
