"""Checks, after the candidate's code ran, that Python's built-in functions and testing tools still work.

The objects needed for that are in local variables of a function, which no module leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def controls() -> tuple[Callable[[], list[str]], Callable[[], list[str]]]:
    """Return a function that names replaced built-in functions, and one that names assertions that wrongly pass."""
    import builtins
    import sys

    modules = sys.modules

    deciding = (
        "AssertionError BaseException Exception abs all any bool bytes callable dict enumerate filter float frozenset "
        "getattr hasattr int isinstance issubclass iter len list map max min next range repr reversed round set "
        "sorted str sum tuple type zip"
    ).split()
    originals = [(name, getattr(builtins, name)) for name in deciding]

    def replaced_builtins() -> list[str]:
        """Return the names of built-in functions that were replaced since this process began."""
        return [name for name, original in originals if builtins.__dict__.get(name) is not original]

    def passing_assertions() -> list[str]:
        """Return the names of assertions of the loaded testing tools that must fail but pass."""
        found = []
        unittest, pytest = modules.get("unittest.case"), modules.get("pytest")
        test_case = getattr(unittest, "TestCase", None)
        if test_case is not None:
            found += ["unittest's " + name for name in passing_methods(test_case)]
        if hasattr(pytest, "raises"):
            found += ["pytest's " + name for name in passing_calls(pytest)]
        return found

    def passes(call: Callable[..., object], *arguments: Any, **options: Any) -> bool:
        try:
            call(*arguments, **options)
        except BaseException as error:
            # A skip or an expected failure is no failure.
            return type(error).__name__ in ("Skipped", "SkipTest", "XFailed", "_ShouldStop")
        return True

    def passing_methods(test_case: Any) -> list[str]:
        class Control(test_case):
            def runTest(self) -> None:
                """Do nothing: the other methods are called one by one."""

            def nothing_raised(self) -> None:
                with self.assertRaises(ZeroDivisionError):
                    pass

        case = Control()
        wrong = {
            "assertEqual": (1, 2),
            "assertNotEqual": (1, 1),
            "assertTrue": (False,),
            "assertFalse": (True,),
            "assertIs": (1, None),
            "assertIsNone": (1,),
            "assertIsNotNone": (None,),
            "assertIn": (1, ()),
            "assertNotIn": (1, (1,)),
            "assertIsInstance": (1, bytes),
            "assertAlmostEqual": (1.0, 2.0),
            "assertGreater": (1, 2),
            "assertLess": (2, 1),
            "assertRegex": ("a", "b"),
            "assertListEqual": ([1], [2]),
            "assertDictEqual": ({1: 1}, {1: 2}),
            "assertMultiLineEqual": ("a", "b"),
            "assertCountEqual": ([1], [2]),
            "fail": (),
        }
        found = [name for name, values in wrong.items() if passes(getattr(case, name), *values)]
        return found + (["assertRaises"] if passes(case.nothing_raised) else [])

    def passing_calls(pytest: Any) -> list[str]:
        def raises() -> None:
            with pytest.raises(ZeroDivisionError):
                pass

        def approx() -> None:
            if not (pytest.approx(1.0) == 2.0):
                raise AssertionError

        calls = {"raises": raises, "approx": approx, "fail": lambda: pytest.fail("control")}
        return [name for name, call in calls.items() if hasattr(pytest, name) and passes(call)]

    return replaced_builtins, passing_assertions
