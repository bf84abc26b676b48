"""Controls exceptions in the grader's process: none may hide a failed assertion or end a loop of the tests."""

from __future__ import annotations

import _thread
import contextlib
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.checkpoint import NEXT, Checkpoint
from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.describing import fields_of, is_failure
from gradebox.graders.languages.python.inside.apart.in_grader.constants import Constants
from gradebox.graders.languages.python.inside.apart.in_grader.deeds import Deeds
from gradebox.graders.languages.python.inside.apart.in_grader.lengths import Lengths
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.peer import Peer

# Handlers of these classes catch failed assertions.
_CAUGHT = AssertionError.__mro__[:-1]
# These exceptions decide how a test ends, which a function of the submission must not do.
_ENDS = frozenset(("Skipped", "SkipTest", "Exit", "XFailed", "_ShouldStop"))
# Python treats these as the end of an iteration, `IndexError` in a `__getitem__`. A `BaseException` that is not an
# `Exception` ends a thread or task, perhaps unnoticed.
_SILENT = (StopIteration, StopAsyncIteration, IndexError)
# Without a reference, these still end a test that does not expect them, if raised in the test's own thread.
_LOUD, MAIN = (SystemExit, BaseException), _thread.get_ident()
_MOST_RAISED = 1000
# The characters of texts that name types, such as `dict[str, int] | None`.
_TYPES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,[]|-'\" ")
_AWAITED_STEPS = frozenset(("anext", "asend", "athrow"))


class Errors(Peer):
    """How exceptions enter and leave the grader's process.

    Attributes:
        failures: Failures that functions of the tests raised in the submission and that have not come back, with the
            paths of these functions.
        own_errors: The replacements for `AssertionError` and its base classes.
        causes: Exceptions that caused others, while texts are replaced; messages may name them until the request ends.
        lengths, deeds, constants: What is known of items, of constants, and what the test that runs has done.
    """

    def __init__(self) -> None:
        super().__init__(1, Checkpoint())
        self.failures: list[tuple[BaseException, Any]] = []
        self.own_errors: dict[Any, Any] = {}
        self.causes: list[BaseException] = []
        self.lengths, self.deeds = Lengths(self.checkpoint), Deeds(self.checkpoint)
        self.constants = Constants(self.checkpoint)

    def ask(self, *request: Any) -> Any:
        """Send a request to the candidate's process, and return its answer or raise its exception."""
        handed = _handed(request)
        try:
            kept = self.constants.kept(self, request)
            value = kept[0] if kept else self.deeds.pause(super().ask, *request)
            if handed is not None and value is not None and value is not False:
                # If the function stands in for `__exit__`, a true answer suppresses the failure.
                self.failures.append((handed, link_of(request[1]).paths))  # type: ignore[union-attr]
        except BaseException as error:
            self.failures[:] = [failure for failure in self.failures if failure[0] is not error]
            raise
        finally:
            if not self.waiting:
                self._forget_some()
        self.lengths.asked(request, value)
        self.constants.asked(self, request, value)
        if request[0] == "get" and request[2] == "__annotations__":
            value = self.checked_annotations(value)
        link = link_of(value)
        if link is not None:
            link.is_step = link.is_step is not False and _gives_step(*request[:3])
            link.hidden = _hidden(request)
        return value

    def checked_annotations(self, told: Any) -> dict[Any, Any]:
        """Return a copy of annotations. `get_type_hints` evaluates texts here, so these may only name types.

        Raises:
            TypeError: If a text could call something.
        """
        found = dict(told) if type(told) is dict else {}
        for text in found.values():
            if type(text) is str and not _TYPES.issuperset(text) and not text.isidentifier():
                raise self.checkpoint.limited(f"an annotation of the submission does more than name types: {text:.80}")
        return found

    def _forget_some(self) -> None:
        """Keep only the last exceptions of the tests, which may come back, and drop their tracebacks."""
        self.causes.clear()
        for number in [*self.raised][:-_MOST_RAISED]:
            del self.raised[number]
        if sys.exc_info()[1] is None:
            for error in self.raised.values():
                error.__traceback__ = None

    def keep_end(self, error: BaseException, request: Any) -> None:
        """Record that the candidate's process has ended: the test fails even if it catches the exception."""
        link = link_of(request[1]) if len(request) > 1 else None
        paths = link.paths if link is not None else (("",),)
        if not self.checkpoint.caught(paths, error) and all(error is not kept for kept, _ in self.failures):
            self.failures.append((error, paths))

    def failure(self) -> BaseException | None:
        """Return and forget a failure that the submission has caught, or a refused request; None if there is none."""
        # Include tasks that the submission began without asking for their results.
        self.failures += [(task.exception(), paths) for task, paths in self.loops.forget_ended() if _has_failed(task)]
        caught = [error for error, paths in self.failures if not self.checkpoint.caught(paths, error)]
        found = caught[0] if caught else self.checkpoint.refused
        self.failures.clear()
        self.checkpoint.refused = None
        if found is not None:
            with contextlib.suppress(BaseException):
                # Raise it once, because runners expect a traceback.
                raise found
        return found

    def passed(self, error: BaseException, path: Any, request: Any) -> BaseException:
        """Return the exception that tests get for an exception of the submission.

        An exception that ends an iteration, a task or a thread becomes a RuntimeError, as in a generator (PEP 479). It
        is kept if the request was for an iterator's next item, or if the reference raises it there. One that takes the
        place of a failure counts as catching that.
        """
        checkpoint, kind, hidden = self.checkpoint, _silent(error), _hidden(request)
        if hidden not in (None, error) and not (kind and _is_step(request)):
            self.failures.append((hidden, path))
        self.lengths.raised(request, kind)
        if kind is None or (_is_step(request) and kind in _SILENT) or checkpoint.raises(path, kind.__name__):
            return error
        if checkpoint.words is None and kind in _LOUD and _thread.get_ident() == MAIN:
            return error
        if kind is IndexError and (checkpoint.words is None or not _is_in_getitem()):
            return error
        made = RuntimeError(f"the submission raised {type(error).__name__}")
        made.__cause__ = error
        return made

    def by_name(self, found: Any, reader: Reader) -> Any:
        """Return the object that both sides know by a name.

        Unless the reference gives it there, `AssertionError` or one of its bases becomes a derived class that only
        exceptions of the submission have.
        """
        if reader.is_aside or found not in _CAUGHT:
            return found
        if self.checkpoint.is_told(reader.at(), f"error {found.__name__}"):
            return found
        if found not in self.own_errors:
            self.own_errors[found] = type(found.__name__, (found,), {"__module__": found.__module__})
        return self.own_errors[found]

    def kept_secret(self, known: Any, found: int, reader: Reader) -> Any:
        """Return what a function of the tests gets for an exception of theirs: a failure without its text."""
        is_seen = reader.is_raised or not reader.is_served or found not in self.raised
        return known if is_seen or not is_failure(known) else AssertionError("a failure of the test")

    def kind_of_error(self, kind: Any) -> Any:
        return self.own_errors.get(kind, kind)

    def set_cause(self, error: BaseException, name: str, cause: BaseException) -> None:
        """Set the cause or context of an exception; while texts are replaced, tests get none."""
        if self.checkpoint.rewording:
            self.causes.append(cause)
        else:
            super().set_cause(error, name, cause)

    def put_error(self, writer: Writer, error: BaseException, depth: int) -> Any:
        """Return the tree of an exception; an exception that decides how a test ends gets no text."""
        number = self.new_number()
        self.raised[number] = error
        args, told = ((), {}) if is_failure(error) else (error.args, fields_of(error))
        told.update(self.text_of(error))
        parts = self.put_error_parts(writer, args, {"attributes": told}, depth)
        return ["e", number, self.put_class(writer, type(error), depth), *parts]

    def raising(self, error: BaseException, paths: Any) -> BaseException:
        """Return the exception that the candidate raises for an error of the tests."""
        if isinstance(error, KeyboardInterrupt):
            raise error
        if is_failure(error):
            self.failures.append((error, paths))
        name = type(error).__name__
        return AssertionError(f"a call of the submission raised {name}") if name in _ENDS else error


def _has_failed(task: Any) -> bool:
    return not task.cancelled() and is_failure(task.exception())


def _silent(error: BaseException) -> Any:
    """Return the class by which an exception might go unnoticed in the tests; None if it cannot."""
    if isinstance(error, Exception):
        return next((kind for kind in _SILENT if isinstance(error, kind)), None)
    return next(kind for kind in type(error).__mro__ if link_of(kind) is None)


def _handed(request: Any) -> BaseException | None:
    """Return the failure of a test that a request passes to the submission while it is being handled."""
    if request[0] not in ("call", "method") or link_of(request[1]) is None:
        return None
    for each in request[-2]:
        if isinstance(each, BaseException) and each.__traceback__ is not None and is_failure(each):
            return each
    return None


def _hidden(request: Any) -> BaseException | None:
    """Return the failure that a test handles, as in `finally`, while it makes a request, or made its awaitable."""
    if (handled := sys.exc_info()[1]) is not None and is_failure(handled):
        return handled
    link = link_of(request[1]) if request[0] == "result" else None
    return None if link is None else link.hidden


def _gives_step(what: str, thing: Any = None, name: Any = None) -> bool:
    return what in ("operator", "method") and name in _AWAITED_STEPS


def _is_step(request: Any) -> bool:
    """Whether a request is for an iterator's next item, or for the result of an awaitable of such an item."""
    what, thing, name = (*request, None, None)[:3]
    if what == "result":
        link = link_of(thing)
        return link is not None and link.is_step is True
    return what == "operator" and name in NEXT


def _is_in_getitem() -> bool:
    """Whether a `__getitem__` of the tests is running, where an exception marks the end of the items."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "__getitem__":
        frame = frame.f_back
    return frame is not None


# The first of the private characters of Unicode, how many an exception has, and how many exceptions have their own.
_SIGN, _SIGNS, _SIGNED = 0xF0000, 16, 4094
# Exceptions whose further arguments are no texts.
_OF_PARTS = ("SyntaxError", "IndentationError", "TabError")
ONE_TEXT = 2
"""How texts are replaced: by one text for all of them. Otherwise each time by another one."""


def sign(how: int, count: int, place: int = 0) -> str:
    """Return what replaces a text, by its place in an exception, and by the `count` of exceptions before that.

    No test looks for it by chance, and no text begins like another. Their order is neither ascending nor descending.
    """
    return chr(_SIGN if how == ONE_TEXT else _SIGN + _SIGNS * _in_turn(count, _SIGNED) + _in_turn(place, _SIGNS))


def _in_turn(number: int, most: int) -> int:
    """Return the highest number below `most` for 0, the lowest for 1, the next highest for 2, and so on."""
    half, is_odd = divmod(number % most, 2)
    return half if is_odd else most - 1 - half


def reword(tree: Any, how: int, count: int) -> int:
    """Replace the texts and notes of all exceptions in a message; return their number, and that of `count` others.

    If one text replaces all others, remove the notes: how many there are may be all that a test reads.
    """
    for part in tree.values() if type(tree) is dict else tree if type(tree) is list else ():
        count = reword(part, how, count)
    # A method may have the name "e".
    if type(tree) is not list or len(tree) != 5 or tree[0] != "e" or type(tree[4]) is not dict:
        return count
    notes = ["t", *(tree[4].get("notes") or ())]
    trees: list[Any] = [tree[3], tree[4].get("attributes"), notes]
    places = [(found, place) for found in trees for place in _places_of_texts(found)]
    for number, (found, place) in enumerate(places):
        found[place] = sign(how, count, number)
    if has_only_texts(tree[2], tree[3]):
        tree[3][1:] = tree[3][1:2] if how == ONE_TEXT else [*tree[3][1:], sign(how, count, len(places))]
    tree[4]["notes"] = [] if how == ONE_TEXT else notes[1:]
    return count + 1


def has_only_texts(kind: Any, args: Any) -> bool:
    """Whether an exception has no arguments but texts, and may have more or fewer of these."""
    is_any = kind not in [["k", name] for name in _OF_PARTS]
    return is_any and type(args) is list and args[0] == "t" and all(type(arg) is str for arg in args[1:])


def without_texts(tree: Any) -> Any:
    """Return an exception's arguments or attributes without texts, which honest submissions word differently."""
    places = {*_places_of_texts(tree)}
    return [None if place in places else part for place, part in enumerate(tree)] if places else tree


def _places_of_texts(tree: Any) -> list[int]:
    if type(tree) is not list:
        return []
    # The items of a mapping are keys and values in turn.
    places = range(4, len(tree), 2) if tree[0] == "d" else range(1, len(tree))
    return [place for place in places if type(tree[place]) is str]
