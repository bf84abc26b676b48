"""Python as a language of cases."""

from __future__ import annotations

from gradebox.graders.languages.python import LANGUAGE


def test_a_list_of_directories_is_a_control_file_and_ends_no_process() -> None:
    (kind,) = (kind for kind in LANGUAGE.control_files if kind.glob == "*.pth")
    assert kind.tells is not None
    assert kind.tells("import os; os._exit(0)\n")
    assert not kind.tells("src\nimport coverage; coverage.process_startup()\n")
    assert not kind.tells("\0PTH data")


def test_items_run_without_the_environment_of_the_candidate() -> None:
    assert LANGUAGE.command == ("python3", "-I", "-S", "-c")
