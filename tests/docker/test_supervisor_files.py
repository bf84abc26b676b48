"""The supervisor and files: archives in and out, protection, snapshots, and trees that were laid out to resist."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pytest
from wire import UID, Wire, archive, contents, member

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.protocol.frames import Tag, Type

LONGEST = "/".join(["d" * 250] * 16) + "/" + "e" * 78
ODD = "\udcff\n\\ \x01é*"

# Prints everything about each file but what time it was looked at.
LISTING = """
import os, stat, hashlib
for folder, folders, files in sorted(os.walk(b".")):
    for name in sorted(folders + files):
        path = os.path.join(folder, name)
        found = os.lstat(path)
        link = os.readlink(path) if stat.S_ISLNK(found.st_mode) else b""
        regular = stat.S_ISREG(found.st_mode) and os.access(path, os.R_OK)
        data = hashlib.sha256(open(path, "rb").read()).hexdigest() if regular else ""
        print(path, oct(found.st_mode), found.st_uid, found.st_gid, found.st_mtime_ns, link, data)
"""


@pytest.fixture
def wire(engine: DockerEngine, python_image: str) -> Iterator[Wire]:
    limits = Limits(memory_bytes=512 * MIB, pids=16, disk_bytes=64 * MIB, disk_files=150_000)
    with Wire(engine, python_image, limits) as wire:
        yield wire


def listing(wire: Wire, *, uid: int = UID) -> list[str]:
    return wire.shell(f"python3 -c '{LISTING}'", uid=uid, capture=2 * MIB).splitlines()


def get(wire: Wire, *paths: str, limit: int = 64 * MIB) -> dict[str, object]:
    answer = wire.ask(Type.GET, (Tag.LIMIT, limit), *((Tag.PATH, path) for path in paths))
    assert answer.type is Type.OK
    return dict(contents(answer))


def reset(wire: Wire, *, uid: int = UID) -> None:
    scratch = [(Tag.SCRATCH, path) for path in ("/tmp", "/dev/shm", "/nosuch")]
    assert wire.ask(Type.RESET, (Tag.UID, uid), (Tag.HOME, "/tmp/home"), *scratch).type is Type.OK


@pytest.mark.parametrize("piece", [64 << 10, 513, 7])
def test_names_and_contents_come_back_as_they_went_in(wire: Wire, piece: int) -> None:
    sizes = (0, 1, 511, 512, 513, 70_000)
    sent = archive(
        *(member(f"size{size}", bytes(size)) for size in sizes),
        member("n" * 255, b"long"),
        member(LONGEST, b"deep"),
        member(f"{ODD}/{ODD}", b"odd", mode=0o751),
        member("link", link="t" * 4000),
        member("./empty/", None, mode=0o700),
        member("./", None, mode=0o700),
    )
    answer = wire.put(sent, piece=piece)
    assert (answer.type, answer.number(Tag.COUNT)) == (Type.OK, len(sizes) + 5)
    found = contents(wire.ask(Type.GET, (Tag.LIMIT, 64 * MIB), (Tag.PATH, ".")))
    assert [found[f"size{size}"].size for size in sizes] == list(sizes)
    assert found[LONGEST].size == 4
    assert found[f"{ODD}/{ODD}"].mode == 0o751
    assert found["link"].linkname == "t" * 4000
    assert (found["empty"].mode, found["empty"].mtime) == (0o700, 1_600_000_000)
    assert wire.shell("stat -c '%A %u' .") == "drwxrwxrwt 0\n"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        *((archive(member(name, b"x")), "absolute") for name in ("/abs", "")),
        *((archive(member(name, b"x")), "not allowed") for name in ("..", "../up", "a/../b", "a/..", "a//b", "a/./b")),
        *(
            (archive(member("a", kind=kind, link="b")), "supported in archives")
            for kind in (b"1", b"3", b"4", b"6", b"S")
        ),
        (archive(member("pax", b"11 path=abc\n", kind=b"x")), "PAX headers are not supported"),
        (archive(member("x" * 256, b"x")), "not allowed"),
        (archive(member("././@LongLink", b"x" * 5000, kind=b"L"), member("a")), "too long"),
        (archive(member("././@LongLink", b"a\0b\0", kind=b"L"), member("a")), "holds a NUL byte"),
        (b"x" * 1024, "checksum"),
        (b"", "ends early"),
        (member("a", b"x" * 600)[:700], "ends early"),
        (member("a", b"x"), "ends early"),
    ],
)
def test_an_archive_that_is_not_clean_is_refused_by_name(wire: Wire, data: bytes, what: str) -> None:
    answer = wire.put(archive(member("before", b"x"))[:-1024] + data)
    assert answer.type is Type.ERR
    assert what in answer.text(Tag.MESSAGE)
    # What came before the failure stays, with the directories on the way to what failed.
    assert {"before"} <= set(get(wire, ".")) <= {"before", "a"}


def test_a_hostile_name_in_a_message_is_plain_ascii(wire: Wire) -> None:
    answer = wire.put(archive(member(f"{ODD}{'x' * 200}/..", b"")))
    assert answer.text(Tag.MESSAGE).isascii()
    assert answer.text(Tag.MESSAGE).isprintable()


def test_what_does_not_fit_says_so_after_the_whole_archive(wire: Wire) -> None:
    answer = wire.put(archive(member("big", bytes(65 * MIB)), member("after")))
    assert (answer.type, answer.number(Tag.ERRNO)) == (Type.ERR, errno.ENOSPC)
    reset(wire)
    assert listing(wire) == []


def test_whatever_is_in_the_way_is_replaced_and_nothing_is_written_through(wire: Wire) -> None:
    wire.shell("""
mkdir -p target deep/a/b run.sh/c; echo mine > target/file; echo mine > run.sh/c/d
ln -s target dir; mkfifo pipe; ln -s /etc/passwd link; echo kept > kept; ln kept hard; chmod 0 run.sh""")
    sent = [member(name, b"new") for name in ("dir/file", "pipe/x", "link", "hard", "run.sh", "deep/a/b")]
    assert wire.put(archive(*sent), uid=0, protect=True).type is Type.OK
    printed = wire.shell("cat target/file kept dir/file pipe/x link hard run.sh deep/a/b; stat -c %F dir link")
    assert printed == "mine\nkept\n" + "new" * 6 + "directory\nregular file\n"


def test_protected_files_have_directories_that_give_nothing_away(wire: Wire) -> None:
    wire.put(archive(member("tests/old.py", b"old"), member("grading/evil.py", b"evil")))
    wire.put(
        archive(
            member("tests/test.py", b"real"), member("grading", None), member("grading/sub/run", b"real", mode=0o700)
        ),
        uid=0,
        protect=True,
    )
    assert wire.shell("stat -c '%n %a %u' tests tests/* grading grading/* grading/sub/*").splitlines() == [
        "tests 1777 0",
        f"tests/old.py 644 {UID}",
        "tests/test.py 444 0",
        "grading 755 0",
        "grading/sub 755 0",
        "grading/sub/run 555 0",
    ]
    wire.shell("""
exec 2>/dev/null
for file in tests/test.py grading/sub/run; do
  echo x > $file; rm -f $file; mv $file away; chmod 777 $file; touch $file; echo x > away; mv -f away $file
done
for dir in tests grading grading/sub; do mv $dir away; chmod 777 $dir; mkdir away; mv -T away $dir; rm -rf $dir; done
echo x > grading/conftest.py; echo x > grading/sub/conftest.py; echo x > tests/beside.py; true""")
    # Unprotected archives that name the directories do not open them again.
    wire.put(archive(member("tests", None, mode=0o777), member("grading", None, mode=0o777)))
    assert wire.shell("cat tests/test.py grading/sub/run") == "realreal"
    assert wire.shell("find tests grading -user 0 -newermt 2021-01-01 -type f") == ""
    assert "grading/conftest.py" not in get(wire, "grading")
    assert wire.shell("stat -c %a tests grading") == "1777\n755\n"


def test_a_snapshot_keeps_everything_but_owners_and_special_files(wire: Wire) -> None:
    done = wire.python("""
import os
os.makedirs("a/b/c"); os.makedirs("/".join(["d" * 250] * 15))
open("a/b/x", "w").write("1"); open("a/y", "w").write("2" * 100000); open("a/b/hidden", "w")
os.symlink("../nowhere", "a/link")
for path, ns in (("a/y", 1234567890123456789), ("a/b/x", 7), ("a/link", 1600000000999999999)):
    os.utime(path, ns=(5, ns), follow_symlinks=False)
os.utime("a/b", ns=(5, 1500000000000000001)); os.utime("a", ns=(5, 1500000000000000007))
os.chmod("a/y", 0o741); os.chmod("a/b/hidden", 0); os.chmod("a/b", 0o500); os.chmod("a/b/c", 0)
""")
    assert done.number(Tag.STATUS) == 0, done.streams(Tag.HEAD)
    before = listing(wire)
    wire.shell("mkfifo fifo")
    assert wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 10 * MIB)).type is Type.OK
    refused = wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 100_000))
    assert (refused.type, refused.number(Tag.ERRNO)) == (Type.ERR, errno.EFBIG)
    wire.shell("chmod -R 700 .; rm -rf a d*; echo junk > junk", uid=UID)
    reset(wire)
    assert listing(wire) == before
    reset(wire, uid=UID + 1)
    assert {line.split()[2] for line in listing(wire, uid=UID + 1)} == {str(UID + 1)}


def test_home_and_scratch_are_as_new_after_a_reset(wire: Wire) -> None:
    reset(wire)
    wire.python("""
import ctypes, os
os.makedirs("/tmp/a/b"); os.chmod("/tmp/a", 0); os.symlink("/", "/tmp/root")
open("/tmp/home/x", "w"); open("/dev/shm/x", "w")
libc = ctypes.CDLL(None)
assert libc.mq_open(b"/queue", os.O_CREAT, 0o666, None) >= 0
assert min(libc.shmget(0, 4096, 0o1666), libc.msgget(0, 0o1666), libc.semget(0, 1, 0o1666)) >= 0
""")
    assert wire.shell("tail -qn +2 /proc/sysvipc/*; ls /dev/mqueue", uid=UID + 1) == "queue\n"
    reset(wire, uid=UID + 1)
    assert wire.shell("ls /tmp /dev/shm /dev/mqueue; stat -c '%a %u' ~", uid=UID + 1).split() == [
        *("/dev/mqueue:", "/dev/shm:", "/tmp:", "home", "700", str(UID + 1))
    ]


def test_depth_and_number_of_files_are_no_obstacle(wire: Wire) -> None:
    """If directories are nested far beyond what a path can name, then they are searched and removed all the same."""
    done = wire.python("""
import os
for number in range(100): open(f"x{number}", "w")
for number in range(20000):
    os.mkdir("d"); os.mkdir(f".{number}"); open(f"conftest.py", "w"); os.chmod(f".{number}", 0); os.chdir("d")
    if number % 2: os.chmod("..", 0o300)
""")
    assert done.number(Tag.STATUS) == 0, done.streams(Tag.HEAD)
    for kind, items in (Type.SNAPSHOT, ()), (Type.GET, ((Tag.PATH, "."),)):
        refused = wire.ask(kind, (Tag.LIMIT, 1 << 30), *items)
        assert (refused.type, refused.number(Tag.ERRNO)) == (Type.ERR, errno.ENAMETOOLONG)
    scrubbed = wire.ask(Type.SCRUB, (Tag.PATTERN, "conftest.py"))
    assert scrubbed.number(Tag.COUNT) == 20_000
    assert len([tag for tag, _ in scrubbed.fields if tag is Tag.PATH]) == 1000
    assert wire.put(archive(member("d", b"a file now"))).type is Type.OK
    assert len(get(wire, ".")) == 102
    reset(wire)
    assert listing(wire) == []


def test_getting_leaves_out_what_is_missing_special_or_behind_a_link(wire: Wire) -> None:
    wire.shell(
        "mkdir a; echo x > a/file; ln -s /etc link; ln -s /etc/passwd a/link; mkfifo a/fifo; truncate -s 50M sparse"
    )
    found = get(wire, "a/", "missing", "link/passwd", "link", "a/file/x", "a/fifo", limit=20_000)
    assert set(found) == {"a", "a/file", "a/link", "link"}
    assert get(wire) == {}
    for path in ("/etc", "..", "a/../b", "", "a//file", "x" * 5000):
        assert wire.ask(Type.GET, (Tag.LIMIT, MIB), (Tag.PATH, path)).type is Type.ERR
    refused = wire.ask(Type.GET, (Tag.LIMIT, MIB), (Tag.PATH, "sparse"))
    assert (refused.number(Tag.ERRNO), refused.before) == (errno.EFBIG, [])


def test_scrubbing_keeps_what_it_was_told_to_and_what_leads_there(wire: Wire) -> None:
    names = (
        "conftest.py",
        "a/conftest.py",
        "a/keep/conftest.py",
        "x.pth/y",
        "k.pth/q/conftest.py",
        "k.pth/other",
        ".hidden",
    )
    wire.put(archive(*(member(name) for name in names), member("n/link.pth", link="/etc")))
    patterns = [(Tag.PATTERN, pattern) for pattern in ("conftest.py", "*.pth")]
    keep = [(Tag.KEEP, path) for path in ("a/keep/conftest.py", "./k.pth/q/conftest.py", "missing")]
    answer = wire.ask(Type.SCRUB, *patterns, *keep)
    removed = {value.decode() for tag, value in answer.fields if tag is Tag.PATH}
    assert removed == {"conftest.py", "a/conftest.py", "x.pth", "n/link.pth"}
    files = {name for name in get(wire, ".") if "." in name.rsplit("/", 1)[-1] or name.endswith("other")}
    assert files == {"a/keep/conftest.py", "k.pth", "k.pth/q/conftest.py", "k.pth/other", ".hidden"}


def test_two_snapshots_are_kept_apart(wire: Wire) -> None:
    wire.shell("touch first", uid=UID)
    assert wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 10 * MIB)).type is Type.OK
    wire.shell("touch second", uid=UID)
    assert wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 10 * MIB), (Tag.SLOT, 1)).type is Type.OK
    for slot, names in ((0, "first\n"), (1, "first\nsecond\n"), (0, "first\n")):
        assert wire.ask(Type.RESET, (Tag.UID, UID), (Tag.SLOT, slot)).type is Type.OK
        assert wire.shell("ls") == names
    assert wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 10 * MIB), (Tag.SLOT, 2)).type is Type.ERR
    assert wire.ask(Type.RESET, (Tag.UID, UID), (Tag.SLOT, 2)).type is Type.ERR
