"""Python source is parsed by several threads at a time."""

import ast
import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gradebox.graders.documents.python_source import mistakes, parse_python

SOURCE = "\n".join(f"def f{number}(a, b):\n    return [x + {number} for x in (a, b) if x]" for number in range(100))


@pytest.fixture
def switching() -> Iterator[None]:
    """Let another thread run whenever garbage is collected, and collect often."""

    def switch(phase: str, info: dict[str, int]) -> None:
        time.sleep(0)

    thresholds = gc.get_threshold()
    gc.callbacks.append(switch)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(switch)


@pytest.mark.usefixtures("switching")
def test_threads_that_parse_at_the_same_time_do_not_disturb_each_other() -> None:
    with ThreadPoolExecutor(4) as threads:
        trees = list(threads.map(parse_python, [SOURCE] * 20))
    assert {len(tree.body) for tree in trees} == {100}


def test_a_mistake_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        parse_python("def f(:")


def test_warnings_of_the_text_are_not_printed(recwarn: pytest.WarningsRecorder) -> None:
    assert isinstance(parse_python("'\\d' is 1"), ast.Module)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("sources", "wrong"),
    [
        (["f(1)", "x = [1]"], []),
        (["x = [f(1]", "x"], [(0, "closing parenthesis ']' does not match opening parenthesis '('")]),
        # Together they would be one long string.
        (["x = '''", "'''"], [(0, "unterminated triple-quoted string literal (detected at line 1)"),
                              (1, "unterminated triple-quoted string literal (detected at line 1)")]),
        (["\0"], [(0, "source code string cannot contain null bytes")]),
    ],
)  # fmt: skip
def test_each_of_several_sources_that_is_not_python_is_found(sources: list[str], wrong: list[tuple[int, str]]) -> None:
    assert list(mistakes(sources)) == wrong
