"""Python as a language of cases."""

from __future__ import annotations

from graders.languages.python import LANGUAGE


def test_a_list_of_directories_is_a_control_file_and_data_is_none() -> None:
    (kind,) = (kind for kind in LANGUAGE.control_files if kind.glob == "*.pth")
    assert kind.signs is not None
    assert kind.signs.search("import evil\n")
    assert not kind.signs.search("\0PTH data")


def test_items_run_without_the_environment_of_the_candidate() -> None:
    assert LANGUAGE.command == ("python3", "-I", "-c")
