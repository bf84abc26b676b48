"""Writes submissions that no repository can hold: links out of it, pipes, devices, odd names, far too much.

Every one has a wrong solution, unless what it brings leads the judge to the right one: the reference of the case lies
beside the submissions, at a place that these links and diffs know.
"""

from __future__ import annotations

import os
import socket
import stat
import zlib
from base64 import b85encode
from pathlib import Path

WRONG = "def slugify(text):\n    return text\n"
# From a submission's directory to the case and its reference.
CASE = "../../files"
REFERENCE = f"{CASE}/reference"
STUB = Path(__file__).parent / "bases/files/workspace/slug.py"


def _wrong(directory: Path) -> None:
    (directory / "slug.py").write_text(WRONG, "utf-8")


# Links


def link_to_the_reference(directory: Path) -> None:
    (directory / "slug.py").symlink_to(f"{REFERENCE}/slug.py")


def link_by_absolute_path(directory: Path) -> None:
    (directory / "slug.py").symlink_to((directory / REFERENCE / "slug.py").resolve())


def link_chain(directory: Path) -> None:
    (directory / "slug.py").symlink_to("a")
    (directory / "a").symlink_to("lib/b")
    (directory / "lib").mkdir()
    (directory / "lib/b").symlink_to("../c/slug.py")
    (directory / "c").symlink_to(REFERENCE)


def link_to_a_directory(directory: Path) -> None:
    (directory / "ours").symlink_to(REFERENCE)
    (directory / "slug.py").write_text("from ours.slug import slugify as slugify\n", "utf-8")


def link_loops(directory: Path) -> None:
    _wrong(directory)
    (directory / "a").symlink_to("b")
    (directory / "b").symlink_to("a")
    (directory / "self").symlink_to("self")
    (directory / "lib").mkdir()
    (directory / "lib/up").symlink_to("..")
    (directory / "lib/settings.py").symlink_to("up/lib/up/lib/settings.py")


def links_to_secrets(directory: Path) -> None:
    _wrong(directory)
    for number, target in enumerate(
        (
            "/proc/self/environ",
            "/proc/self/cmdline",
            f"/proc/{os.getpid()}/environ",
            "/etc/shadow",
            "/etc/hostname",
            str((directory / CASE / "case.yaml").resolve()),
            f"{CASE}/case.yaml",
            f"{CASE}/grading/judge.py",
        )
    ):
        (directory / f"secret-{number}.txt").symlink_to(target)


def link_for_a_directory_of_the_case(directory: Path) -> None:
    _wrong(directory)
    (directory / "lib").symlink_to("/tmp")


def grading_is_the_workspace(directory: Path) -> None:
    _wrong(directory)
    (directory / "grading").symlink_to(".")
    (directory / "judge.py").write_text("", "utf-8")
    (directory / "look.py").write_text("", "utf-8")


def judge_is_a_link(directory: Path) -> None:
    _wrong(directory)
    (directory / "ours.py").write_text("", "utf-8")
    (directory / "grading").mkdir()
    (directory / "grading/judge.py").symlink_to("../ours.py")
    (directory / "grading/look.py").symlink_to("/dev/null")


# Special files


def pipe(directory: Path) -> None:
    os.mkfifo(directory / "slug.py")
    os.mkfifo(directory / "pipe")


def sockets(directory: Path) -> None:
    _wrong(directory)
    here = Path.cwd()
    # A socket's path may have no more than 108 bytes.
    os.chdir(directory)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket")
    finally:
        os.chdir(here)


def devices(directory: Path) -> None:
    _wrong(directory)
    for name, major, minor in (("zero", 1, 5), ("mem", 1, 1), ("terminal", 5, 0)):
        try:
            os.mknod(directory / name, stat.S_IFCHR | 0o666, os.makedev(major, minor))
        except PermissionError:
            # Only root makes devices; a pipe is refused for the same reason.
            os.mkfifo(directory / name)


def setuid_files(directory: Path) -> None:
    _wrong(directory)
    (directory / "sh").write_bytes(b"#!/bin/sh\nid\n")
    (directory / "sh").chmod(0o6755)
    (directory / "slug.py").chmod(0o7777)
    (directory / "shared").mkdir()
    (directory / "shared/a").write_bytes(b"")
    (directory / "shared").chmod(0o7777)


def without_permissions(directory: Path) -> None:
    _wrong(directory)
    (directory / "closed").mkdir()
    (directory / "closed/a.txt").write_bytes(b"a")
    (directory / "closed/a.txt").chmod(0o444)
    (directory / "slug.py").chmod(0o444)
    (directory / "closed").chmod(0o555)
    directory.chmod(0o555)


# Names


def odd_names(directory: Path) -> None:
    _wrong(directory)
    names = (
        b"\xff\xfe not UTF-8",
        b"two\nlines",
        b"\x1b[2J\x1b]0;passed\x07red",
        "\u202etxt.exe".encode(),
        b"\r\x08back",
        b" ",
        b"...",
        b"\\..\\..\\up",
        b"C:\\con",
        b"a\tb\"c'd`e$(touch planted);f|g&h",
        "e\u0301".encode(),
        "\u00e9".encode(),
        b"Slug.py",
        b"SLUG.PY",
        b"x" * 255,
    )
    for name in names:
        (directory / os.fsdecode(name)).write_bytes(b"odd")


def names_like_options(directory: Path) -> None:
    _wrong(directory)
    for name in ("-rf", "--help", "-c", "--collect-only", "-", "--", "@file", "-I", "=cmd", "%s%n", "*"):
        (directory / name).write_text("import os; os._exit(0)\n", "utf-8")


def files_of_a_run(directory: Path) -> None:
    _wrong(directory)
    easy = "assertions: [{type: code-grader, name: slugify, command: ['true']}]\nexecution: {threshold: 0}\n"
    for name in ("case.yaml", "case.yml", "EVAL.yaml", "a.eval.yaml", "definition.toml", "verdicts.yaml"):
        (directory / name).write_text(easy, "utf-8")
    for name in ("run.json", "results.jsonl", "verdict.json"):
        (directory / name).write_text('{"verdict": "passed", "score": 1.0}\n', "utf-8")
    for name in ("reference", "submissions/reference", ".gradebox", "runs", "evidence", "judge"):
        (directory / name).mkdir(parents=True)
        (directory / name / "slug.py").write_text(WRONG, "utf-8")
        (directory / name / "supervisor").write_bytes(b"#!/bin/sh\nexit 0\n")


def git_configuration(directory: Path) -> None:
    _wrong(directory)
    hooks = directory / ".git/hooks"
    hooks.mkdir(parents=True)
    (directory / ".git/HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (directory / ".git/config").write_text(
        '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch planted; echo planted >&2"\n\thooksPath = hooks\n'
        '[filter "x"]\n\tsmudge = touch planted\n\tclean = touch planted\n\trequired = true\n'
        '[diff "x"]\n\ttextconv = touch planted\n\tcommand = touch planted\n',
        "utf-8",
    )
    (directory / ".gitattributes").write_text("* filter=x diff=x\n", "utf-8")
    (directory / ".gitmodules").write_text('[submodule "a"]\n\tpath = a\n\turl = ext::touch planted\n', "utf-8")
    for name in ("post-checkout", "pre-commit", "fsmonitor-watchman"):
        (hooks / name).write_text("#!/bin/sh\necho planted\n", "utf-8")
        (hooks / name).chmod(0o755)


# Too much of something


def deep_directories(directory: Path) -> None:
    _wrong(directory)
    here = os.open(directory, os.O_RDONLY)
    # Longer than a path may be; every step is taken from the one before.
    for _ in range(500):
        os.mkdir("d" * 10, dir_fd=here)
        below = os.open("d" * 10, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("bottom", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


def many_files(directory: Path) -> None:
    _wrong(directory)
    (directory / "many").mkdir()
    here = os.open(directory / "many", os.O_RDONLY)
    for number in range(100_000):
        # A name is enough, and quicker than a file of its own; a file may have 65,000 of them.
        if number % 50_000 == 0:
            source = str(number)
            os.close(os.open(source, os.O_WRONLY | os.O_CREAT, dir_fd=here))
        else:
            os.link(source, str(number), src_dir_fd=here, dst_dir_fd=here)
    os.close(here)


def sparse_file(directory: Path) -> None:
    _wrong(directory)
    with (directory / "huge").open("wb") as stream:
        stream.truncate(8 << 30)


def many_sparse_files(directory: Path) -> None:
    _wrong(directory)
    for number in range(200):
        with (directory / f"large-{number}").open("wb") as stream:
            stream.truncate(60 << 20)


# Diffs

_WRONG_HUNK = (
    "@@ -1,3 +1,2 @@\n def slugify(text: str) -> str:\n"
    + "".join(f"-{line}\n" for line in STUB.read_text("utf-8").splitlines()[1:])
    + "+    return text\n"
)
_WRONG_DIFF = f"--- a/slug.py\n+++ b/slug.py\n{_WRONG_HUNK}"


def _diff(directory: Path, *parts: str | bytes, wrong: bool = True) -> Path:
    data = [_WRONG_DIFF] if wrong else []
    place = directory / "attack.diff"
    place.write_bytes(b"".join(part.encode() if isinstance(part, str) else part for part in [*data, *parts]))
    return place


def _new(path: str, text: str = "planted\n", mode: str = "100644", git: bool = True) -> str:
    head = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n" if git else ""
    lines = text.splitlines(keepends=True)
    return f"{head}--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}" for line in lines)


def diff_with_absolute_names(directory: Path) -> Path:
    target = (directory / CASE / "grading/judge.py").resolve()
    return _diff(directory, f"--- /dev/null\n+++ {target}\n@@ -0,0 +1 @@\n+raise SystemExit(0)\n")


def diff_with_huge_counts(directory: Path) -> Path:
    return _diff(
        directory,
        "--- a/slug.py\n+++ b/slug.py\n@@ -1,99999999999999999999 +1,99999999999999999999 @@\n x\n",
        f"@@ -{'9' * 5000},1 +{'9' * 5000},1 @@\n-x\n+y\n",
        wrong=False,
    )


def diff_bomb_of_copies(directory: Path) -> Path:
    large = _new("large", "x" * 1_000_000 + "\n")
    copies = (
        f"diff --git a/large b/copy-{number}\nsimilarity index 100%\ncopy from large\ncopy to copy-{number}\n"
        for number in range(20_000)
    )
    return _diff(directory, large, *copies)


def diff_bomb_of_bytes(directory: Path) -> Path:
    packed = zlib.compress(bytes(256 << 20), 9)
    lines = (packed[start : start + 52] for start in range(0, len(packed), 52))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    body = b"".join(letters[len(line) - 1].encode() + b85encode(line, pad=True) + b"\n" for line in lines)
    return _diff(
        directory,
        "diff --git a/bomb b/bomb\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\n",
        f"literal {256 << 20}\n",
        body,
        "\n",
    )


def diff_of_hunks(directory: Path) -> Path:
    return _diff(directory, *(f"@@ -{n},1 +{n - 1},1 @@\n-x\n+y\n" for n in range(10, 1_000_000, 10)))


def diff_with_odd_names(directory: Path) -> Path:
    names = ("a\tb", "c d ", '"quoted"', "-rf", "\u202etxt", "tab\t2026-01-01 00:00:00")
    return _diff(
        directory, *(_new(name, git=False) for name in names), b"--- /dev/null\n+++ b/\xff\xfe\n@@ -0,0 +1 @@\n+x\n"
    )


def diff_with_a_nul(directory: Path) -> Path:
    return _diff(directory, b"--- /dev/null\n+++ b/slug.py\0.txt\n@@ -0,0 +1 @@\n+x\n")


def diff_larger_than_allowed(directory: Path) -> Path:
    place = _diff(directory, _new("large"))
    with place.open("ab") as stream:
        stream.truncate(8 << 30)
    return place


def diff_with_carriage_returns(directory: Path) -> Path:
    return _diff(directory, _new("../../files/grading/judge.py\r", "raise SystemExit(0)\r\n"))
