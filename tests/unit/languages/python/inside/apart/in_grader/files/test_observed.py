"""Files that tests read are part of the answers, and anything else that they observe makes answers incomparable."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.files import observed
from gradebox.graders.languages.python.inside.apart.in_grader.files.observed import Observed, held_files

ROOT = Path(__file__).parents[8]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> tuple[Observed, list[Any]]:
    found = Observed()
    told: list[Any] = []
    monkeypatch.setattr(found, "told", lambda *parts: told.append(parts))
    return found, told


def _learned(seen: tuple[Observed, list[Any]], event: str, path: Path) -> Any:
    files, told = seen
    files.read(event, str(path))
    return told.pop() if told else None


@pytest.mark.parametrize("event", ["open", "os.stat"])
def test_the_mode_the_size_and_the_number_of_names_of_a_file_are_learned(
    seen: tuple[Observed, list[Any]], tmp_path: Path, event: str
) -> None:
    file = tmp_path / "a"
    file.write_text("one")
    learned = {_learned(seen, event, file), _learned(seen, event, file)}
    file.chmod(0o640)
    learned.add(_learned(seen, event, file))
    file.write_text("longer")
    learned.add(_learned(seen, event, file))
    (tmp_path / "b").hardlink_to(file)
    learned.add(_learned(seen, event, file))
    assert len(learned) == 4


def test_the_content_is_learned_by_who_opens_the_file(seen: tuple[Observed, list[Any]], tmp_path: Path) -> None:
    file = tmp_path / "a"
    found = []
    for text in ("one", "two"):
        file.write_text(text)
        found.append([_learned(seen, event, file) for event in ("open", "os.stat")])
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1]


def test_names_are_learned_by_who_lists_a_directory_in_one_order(
    seen: tuple[Observed, list[Any]], tmp_path: Path
) -> None:
    for name in ("b", "a"):
        (tmp_path / name).touch()
    _, _, *names = _learned(seen, "os.listdir", tmp_path)
    assert [name for name, *_ in names] == ["a", "b"]


def test_a_missing_file_and_the_text_of_a_link_are_learned(seen: tuple[Observed, list[Any]], tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    assert _learned(seen, "os.readlink", link) == ("os.readlink", "nowhere")
    assert _learned(seen, "open", tmp_path / "none") == _learned(seen, "open", link) == ("open", 2)


def test_what_cannot_be_compared_is_said_at_the_end_of_a_part(
    seen: tuple[Observed, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, told = seen
    file = tmp_path / "a"
    file.write_text("one")
    monkeypatch.setattr(observed, "_MOST_READ_BYTES", 2)
    os.mkfifo(tmp_path / "pipe")
    for event, path, is_written in (
        ("sqlite3.connect", file, False),
        ("open", file, False),
        ("open", tmp_path / "pipe", False),
        ("os.stat", file, True),
    ):
        files.read(event, str(path), is_written=is_written)
        assert files.end(is_in_test=True)
        assert not files.end(is_in_test=True)
    assert not told
    assert files.databases == {str(file)}


def test_the_list_of_the_workspace_counts_in_tests_alone() -> None:
    files = Observed()
    for is_in_test in (True, False):
        files.has_listed = True
        assert files.end(is_in_test=is_in_test) is is_in_test


def test_a_test_runner_learns_nothing(
    seen: tuple[Observed, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observed, "INSTALLED", ("/", "<"))
    assert _learned(seen, "os.stat", tmp_path) is None


@pytest.mark.parametrize(
    ("event", "arguments", "is_plain"),
    [
        ("socket.connect", (None, ("localhost", 80)), False),
        ("socket.connect", (None, "the supervisor's"), True),
        ("socket.sendmsg", (None, None), True),
        ("socket.sendto", (None, ("localhost", 80)), False),
        ("subprocess.Popen", ("ls", ["ls"], None, None), False),
        ("mmap.__new__", (3, 64, 1, 0), False),
        ("os.kill", (1, 0), False),
        ("os.mkdir", ("a", 0o777, -1), True),
        ("fcntl.flock", (3, 2), False),
        ("fcntl.fcntl", (3, 2, 1), True),
        ("sys._getframe", (None,), True),
        ("an.event.of.a.library", (), False),
    ],
)
def test_an_event_that_is_not_listed_shows_more_than_answers(
    event: str, arguments: tuple[Any, ...], is_plain: bool
) -> None:
    files = Observed()
    files.hear(event, arguments, "the supervisor's")
    assert files.has_looked is not is_plain


@pytest.mark.parametrize(("path", "is_plain"), [("/proc/7", False), ("/proc/self/fd", True), ("/etc/hosts", True)])
def test_processes_show_themselves_in_files_of_the_system(path: str, is_plain: bool) -> None:
    files = Observed()
    files.see(path)
    assert files.has_looked is not is_plain


def test_the_import_of_a_library_observes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Observed()
    monkeypatch.setattr(observed, "INSTALLED", (str(ROOT),))
    code = compile("files.hear('os.kill', (1, 0), '')", "<frozen importlib._bootstrap>", "exec")
    exec(code, {"files": files})
    assert not files.has_looked


def test_what_a_thread_of_the_library_observes_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Observed()
    monkeypatch.setattr(observed, "INSTALLED", ("/", "<"))
    files.hear("os.kill", (1, 0), "")
    assert not files.has_looked
    thread = threading.Thread(target=files.hear, args=("os.kill", (1, 0), ""))
    thread.start()
    thread.join()
    assert files.has_looked


def test_lent_files_that_are_open_for_reading_are_held(tmp_path: Path) -> None:
    for name, mode in (("r", "r"), ("w", "w"), ("both", "w+")):
        path = tmp_path / name
        path.touch()
        with path.open(mode):
            assert held_files(str(path).__eq__, set()) == [str(path)] * (mode != "w")
            assert held_files(str(path).__eq__, {str(path)}) == held_files(lambda path: False, set()) == []
        assert held_files(str(path).__eq__, set()) == []


def test_copies_and_removals_observe_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Observed()
    # In a sandbox, all modules are one text.
    monkeypatch.setattr(observed, "HERE", observed.__file__)
    code = compile("files.hear('os.listxattr', (1, 0), '')", "shutil.py", "exec")
    exec(code, {"files": files, "__name__": "shutil"})
    assert not files.has_looked
    exec(code, {"files": files, "__name__": "other"})
    assert files.has_looked


def test_files_that_are_read_to_be_compared_are_not_learned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, found = Observed(), []
    monkeypatch.setattr(observed, "_content", lambda event, path: found.append(files.is_reading()) or [])
    files.read("open", str(tmp_path))
    assert [*found, files.is_reading()] == [True, False]
