"""Says which limit of judging apart may have made a test fail."""

from __future__ import annotations

from typing import Any

# Matches the message of a failed `is` between two values that are printed alike.
_VALUE = r"""(?:[-\d.'"(]|b['"]|(?:frozenset|Decimal|Fraction|datetime\.\w+|UUID|PosixPath)\().*"""
_IDENTICAL = rf"(?m)(?:assert )?({_VALUE}) is (?:not )?\1$"
_COPIED = "tuples, texts, numbers and the like are copied each time that they cross, so `is` does not hold for them"
# Matches the message of a failed comparison of two objects that are printed alike.
_ALIKE = r"(?m)(?:assert )?((?:namespace|Namespace|array|time\.struct_time)\(.*) == \1$"
_EQUAL = "an object of the library is equal to those of the submission alone, so compare its attributes or items"
_MOST_NAMES = 20
_REFUSED = {
    "threads": "a thread of the submission used an object of the tests between two calls",
    "classes": "a submission cannot derive a class from one of the tests",
    "copies": "a submission cannot copy an object of the tests",
    "parallel": "functions of the tests run one at a time, and to their end, in all threads of the submission",
    "timeouts": "a timeout of the submission does not end a function of the tests: it comes when that has ended",
    "contexts": "a context variable of the submission has one value in all tasks of the tests",
}


def limit_met(candidate: Any, error: Any = None) -> str:
    """Return the limit of judging apart that may have made a test fail, "" if there is none."""
    import re

    if type(error) is AssertionError and re.match(_IDENTICAL, str(error)):
        return str(candidate.checkpoint.limit(_COPIED))
    if type(error) is AssertionError and re.match(_ALIKE, str(error)):
        return str(candidate.checkpoint.limit(_EQUAL))
    try:
        names, refused = candidate.ask("kept") if candidate.connection >= 0 else ([], "")
        names = [name for name in names[:_MOST_NAMES] if type(name) is str and name.isidentifier()]
    except Exception:
        candidate.failures.clear()
        return ""
    what, is_threaded, candidate.was_threaded = "", candidate.is_threaded or candidate.was_threaded, False
    if candidate.lending.is_torn:
        what = "what a submission writes is lost after a test has opened the file meanwhile"
    elif type(refused) is str and refused in _REFUSED:
        what = _REFUSED[refused]
    elif is_threaded and type(error) is AssertionError:
        what = "all threads of the tests are one thread in the submission, with one `threading.local`"
    elif names:
        what = f"what a submission sets on an object of the tests is seen by itself alone: {', '.join(names)}"
    return str(candidate.checkpoint.limit(what)) if what else ""
