"""Finds which tests unittest was requested to run, independently of unittest, and whether they ran.

If the author selects tests by -k or by name, no particular tests are expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import SimpleNamespace
    from typing import Any


def scope(files: SimpleNamespace, seen: SimpleNamespace) -> SimpleNamespace:
    import fnmatch
    import os
    import re
    import sys
    import types

    real = os.path.realpath
    expected: dict[str, list[tuple[str, ...]]] = {}
    others: dict[str, list[tuple[str, ...]]] = {}
    excused: set[Any] = set()

    def begin(words: list[str]) -> None:
        """Record what unittest was requested to run, and make the tests of those files report their runs."""
        for place, is_all in files_of(words):
            path = real(place)
            if files.is_judges(path) and path not in expected:
                tests = seen.tests_in(path, is_class) if is_all else ()
                expected[path] = [names for names in tests if len(names) == 2]
                seen.compiled(path)
                others[path] = [names for names in seen.others_in(path) if names not in expected[path]]
        seen.observe_imports()

    def files_of(words: list[str]) -> Iterator[tuple[str, bool]]:
        """Yield the files whose tests are requested, and for each whether all of its tests are."""
        if words[:1] and words[0].lower() == "discover":
            options, names = parsed(words[1:])
        else:
            options, names = parsed(words)
        is_all = "-k" not in options
        if names and words[0].lower() != "discover":
            for name in names:
                parts = [name] if name.endswith(".py") else name.split(".")
                for count in range(len(parts), 0, -1):
                    path = name if name.endswith(".py") else "/".join(parts[:count]) + ".py"
                    if os.path.isfile(path):
                        yield path, is_all and count == len(parts)
            return
        places = dict(zip(("-s", "-p", "-t"), names))
        start = options.get("-s") or places.get("-s") or "."
        pattern = options.get("-p") or places.get("-p") or "test*.py"
        for path, directories, found in os.walk(start):
            directories[:] = [name for name in directories if os.path.isfile(os.path.join(path, name, "__init__.py"))]
            for name in found:
                if re.match(r"[_a-z]\w*\.py$", name, re.IGNORECASE) and fnmatch.fnmatch(name, pattern):
                    yield os.path.join(path, name), is_all

    def parsed(words: list[str]) -> tuple[dict[str, str], list[str]]:
        """Return the options that have values, and the other words."""
        options, names, waiting = {}, [], list(words)
        long = {"--start-directory": "-s", "--pattern": "-p", "--top-level-directory": "-t", "--durations": "-d"}
        while waiting:
            word = waiting.pop(0)
            name, equals, value = word.partition("=")
            if name.startswith("-k"):
                options["-k"] = word[2:] or (waiting.pop(0) if waiting else "")
            elif name in long or word in long.values():
                options[long.get(name, word)] = value if equals else waiting.pop(0) if waiting else ""
            elif word[:2] in long.values() and not word.startswith("--"):
                options[word[:2]] = word[2:].lstrip("=")
            elif not word.startswith("-"):
                names.append(word)
        return options, names

    def is_class(node: Any, depth: int) -> bool:
        bases = {getattr(base, "attr", getattr(base, "id", None)) for base in node.bases}
        return not depth and not bases.isdisjoint(("TestCase", "IsolatedAsyncioTestCase"))

    def excuse(test: Any) -> None:
        """Record a test that was skipped by an exception, or a placeholder for all tests of a class or file."""
        method = getattr(test, "_testMethodName", None)
        # The method may belong to a base class.
        excused.update([(kind.__qualname__, method) for kind in type(test).__mro__] if method else [None])

    def expect(test: Any) -> None:
        """Record a test that was expected to fail; it may belong to a base class of its own class."""
        names = type(test).__qualname__, getattr(test, "_testMethodName", None)
        # The tests in `expected` have no mark that says that they fail.
        if seen.is_said("expectedfailure") and names not in expected.get(real(file_of(test)), ()):
            excuse(test)

    def file_of(test: Any) -> str:
        """Return the file of a test, or of a placeholder for all tests of a class or file."""
        code = getattr(getattr(type(test), getattr(test, "_testMethodName", ""), None), "__code__", None)
        if code is not None:
            return str(code.co_filename)
        name = test.id().partition("(")[2].rstrip(")")
        while name and name not in sys.modules:
            name = name.rpartition(".")[0]
        return getattr(sys.modules.get(name), "__file__", None) or ""

    def left_out() -> Iterator[str]:
        """Yield a sentence for each expected test that did not run, or did not run to completion."""
        for path, tests in expected.items():
            # A placeholder for many tests has no reliable name.
            many = None in excused and seen.says(path, "skip")
            for names in tests:
                state = seen.state(path, names)
                if state or many or names in excused or (state is False and seen.is_called(names[-1])):
                    continue
                how = "was left out" if state is None else "passed in spite of an error"
                yield "the test {} in {} {}".format(".".join(names), path, how)
            for names in others[path]:
                if seen.state(path, names) is False and names not in excused and not seen.is_called(names[-1]):
                    yield "the test {} in {} passed in spite of an error".format(".".join(names), path)

    return types.SimpleNamespace(begin=begin, excuse=excuse, expect=expect, file_of=file_of, left_out=left_out)
