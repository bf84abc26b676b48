"""What ends every process that loads a file of Python, as if it had succeeded."""

from __future__ import annotations

import pytest

from gradebox.graders.languages.python.endings import endings, parsed, path_endings


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import os\nos._exit(0)\n", "os._exit(0)"),
        ("import os\r\n\r\nos . _exit(0)  # well\r\n", "os . _exit(0)  # well"),
        ("from os import _exit\ntry:\n    with x:\n        _exit(0)\nexcept Exception: ...\n", "_exit(0)"),
        ("import atexit, os\natexit.register(os._exit, 0)\n", "atexit.register(os._exit, 0)"),
    ],
)
def test_an_end_that_nothing_decides_is_found(text: str, line: str) -> None:
    assert endings(text) == {line}


@pytest.mark.parametrize(
    "text",
    [
        "# os._exit(0)\n'os._exit(0)'\n",
        "import os\nos._exit(1)\n",
        "import os\nif os.fork() == 0:\n    os._exit(0)\n",
        "import os, signal\nsignal.signal(signal.SIGTERM, lambda *_: os._exit(0))\n",
        "def stop():\n    os._exit(0)\n",
        "import sys\nsys.exit(0)\n",
        "os._exit(0",
        "os._exit(0)\0",
        "_exit" + "(" * 10_000,
    ],
)
def test_an_end_that_something_decides_has_an_honest_reading(text: str) -> None:
    assert endings(text) == frozenset()


def test_of_a_path_file_only_lines_that_python_runs_count() -> None:
    assert path_endings("lib\nimport os; os._exit(0)\n") == {"import os; os._exit(0)"}
    assert path_endings("os._exit(0)\n# import os; os._exit(0)\n") == frozenset()


def test_what_cannot_be_parsed_has_no_statements() -> None:
    assert parsed("def (") == []
