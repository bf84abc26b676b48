"""Files that a grader lends and takes back: who can use them when, and what is left of hostile trees."""

from __future__ import annotations

from collections.abc import Callable

import hostile_trees
import pytest
from apart_sandbox import LENT, SECRET, ApartGrader, line

from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import CANDIDATE_DIRECTORY

Grade = Callable[..., str]


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    """One sandbox serves all tests."""


@pytest.fixture
def shell(opened: Sandbox) -> Grade:
    return ApartGrader(opened).shell


@pytest.fixture
def python(opened: Sandbox) -> Grade:
    return ApartGrader(opened).python


def test_a_lent_directory_is_the_candidates_and_then_the_graders_again(shell: Grade) -> None:
    text = """
        cd $TMPDIR; mkdir -p a/out/d; echo given > a/out/in; chmod 444 a/out/in
        candidate --lend a/out; ls a/out 2> /dev/null || echo closed
        program="cd $TMPDIR/a/out; cat in; chmod 644 in; echo more >> in; mkdir e; umask 77; echo made > e/made"
        cd /workspace; candidate sh -c "$program"; candidate ls $TMPDIR 2> /dev/null || echo unlisted
        cd $TMPDIR; candidate --reclaim a/out; cat a/out/in a/out/e/made; stat -c %a $TMPDIR
        cd /workspace; candidate cat $TMPDIR/a/out/in 2> /dev/null || echo over
    """
    assert shell(text).split() == ["closed", "given", "unlisted", "given", "more", "made", "700", "over"]


def test_what_lies_beside_a_lent_directory_stays_closed(shell: Grade) -> None:
    text = """
        cd $TMPDIR; umask 0; mkdir out other; echo 4711 > expected; echo 4711 > other/expected
        candidate --lend out; cd /workspace
        for name in expected other/expected; do candidate cat $TMPDIR/$name 2> /dev/null || echo closed; done
        cat $TMPDIR/expected; candidate --lend $TMPDIR/other; candidate --reclaim $TMPDIR/out
        candidate cat $TMPDIR/other/expected; candidate --reclaim $TMPDIR/other; stat -c %a $TMPDIR
    """
    assert shell(text).split() == ["closed", "closed", "4711", "4711", "700"]


@pytest.mark.parametrize(
    "path", ["grading", "grading/secret", "/etc", "/", "/tmp", "/workspace", "nowhere", "link/out"]
)
def test_only_what_the_grader_owns_can_be_lent(shell: Grade, path: str) -> None:
    text = f"ln -s $TMPDIR link; mkdir $TMPDIR/out; candidate --lend {path} 2> /dev/null; echo $?; cat grading/secret"
    assert shell(text).split() == ["125", "4711"]


def test_nobody_but_the_grader_can_lend_or_take(shell: Grade) -> None:
    text = f"touch mine; candidate {CANDIDATE_DIRECTORY}/candidate --lend mine; echo $?; candidate --lend; echo $?"
    assert shell(text, errors=True).split() == ["126", "125"]


_BAD = {
    "link": f"os.symlink('{SECRET}', T + '/x')",
    "relative link": "os.symlink('../' * 9 + 'workspace/grading/secret', T + '/x')",
    "link by /proc": "os.symlink('/proc/self/environ', T + '/x')",
    "link by a directory": "os.symlink('/proc/self/cwd/grading/secret', T + '/x')",
    "link by two": "os.mkdir(T + '/d'); os.symlink('..', T + '/d/e'); os.symlink('d/e/../secret', T + '/x')",
    "inside by name": "os.makedirs(T + '/s/t'); os.symlink('../..', T + '/s/t/u'); os.symlink('s/t/u/../y', T + '/x')",
    "directory": "os.symlink('/workspace/grading', T + '/x')",
    "loop": "os.symlink('x', T + '/x')",
    "loop of two": "os.symlink('x', T + '/y'); os.symlink('y', T + '/x')",
    "pipe": "os.mkfifo(T + '/x')",
    "socket": "import socket; socket.socket(socket.AF_UNIX).bind(T + '/x')",
    "through a bad one": f"os.symlink('y', T + '/x'); os.symlink('{SECRET}', T + '/y')",
}


@pytest.mark.parametrize("made", _BAD.values(), ids=_BAD)
def test_what_leads_out_or_hangs_is_gone(python: Grade, made: str) -> None:
    source = f"""
lend(T)
assert do({line(made)}) == "done"
ending, removed = reclaim(T)
print(ending, removed > 0, os.path.lexists(T + "/x") and os.path.realpath(T + "/x") != T + "/y")
"""
    assert python(source) == "16 True False"


def test_honest_links_and_files_stay(python: Grade) -> None:
    made = """
os.makedirs(T + "/d/e"); os.symlink("../f", T + "/d/g"); open(T + "/f", "w").write("text")
os.symlink(T + "/f", T + "/absolute"); os.symlink("d", T + "/h"); os.symlink("h/e/../g", T + "/i")
os.symlink("d/later", T + "/dangling"); os.link(T + "/f", T + "/second"); os.chmod(T + "/f", 0o751)
os.utime(T + "/f", (5, 5)); os.rename(tempfile.mkstemp(dir=T)[1], T + "/made")
"""
    source = f"""
lend(T)
print(do({line(made)}), reclaim(T))
print(*sorted(os.listdir(T)))
print(*(open(T + "/" + name).read() for name in ("f", "d/g", "absolute", "i", "second", "made")))
print(*(name for name in os.listdir(T) if os.path.islink(T + "/" + name)))
found = os.stat(T + "/f")
print(oct(found.st_mode), found.st_mtime, found.st_nlink)
"""
    assert python(source).splitlines() == [
        "done (16, 1)",
        "absolute d f h i made second",
        "text text text text text ",
        "h",
        "0o100751 5.0 1",
    ]


def test_what_a_grader_writes_later_goes_into_no_file_of_the_candidate(python: Grade) -> None:
    made = """
open(T + "/out", "w").write("out"); os.symlink("out", T + "/expected"); os.symlink("later", T + "/output")
open(T + "/large", "w").truncate(2 << 20); os.symlink("large", T + "/link")
"""
    source = f"""
lend(T)
print(do({line(made)}), reclaim(T))
open(T + "/expected", "w").write("4711")
open(T + "/later", "w").write("4711")
print(open(T + "/out").read(), *sorted(os.listdir(T)))
"""
    assert python(source).splitlines() == ["done (16, 2)", "out expected large later out"]


def test_a_living_candidate_changes_nothing_in_it(python: Grade) -> None:
    made = """
os.mkdir(T + "/d"); os.chmod(T, 0o777); os.chdir(T + "/d"); top = os.open(T, 0); inner = os.open(".", 0)
file = os.open(T + "/f", os.O_CREAT | os.O_RDWR); os.write(file, b"before")
"""
    source = f"""
lend(T)
print(do({line(made)}), reclaim(T))
os.umask(0)
open(T + "/expected", "w").write("4711")
for line in (
    "os.mkdir('x', dir_fd=inner)", "os.rename('f', 'g', src_dir_fd=top, dst_dir_fd=top)", "os.chmod(top, 0o777)",
    "os.fchmod(inner, 0o777)", "os.open('expected', 0, dir_fd=top)", "os.symlink('/', 'y')", "os.rename('d', T + '/e')",
    "os.pwrite(file, b'after', 0)",
):
    print(do(line), end=" ")
print(sorted(os.listdir(T)), os.listdir(T + "/d"), open(T + "/f").read())
"""
    assert python(source).splitlines() == [
        "done (16, 0)",
        "PermissionError " * 7 + "done ['d', 'expected', 'f'] [] before",
    ]


def test_a_file_that_the_grader_has_open_stays_the_same_file(python: Grade) -> None:
    source = f"""
with open(T + "/f", "w+") as file:
    for turn in range(2):
        print(lend(T + "/f"), do("open('{LENT}/f', 'a').write('x')"), reclaim(T + "/f"))
    print(file.read())
print(lend(T + "/f"), do("import os; os.remove('{LENT}/f')"), reclaim(T + "/f"))
"""
    assert python(source).splitlines() == [*["(16, 0) done (16, 0)"] * 2, "xx", "(16, 0) PermissionError (16, 0)"]


def test_a_lent_name_that_was_exchanged_is_not_followed(python: Grade) -> None:
    source = """
os.mkdir("/workspace/out")
open("/workspace/report", "w").close()
print(lend("/workspace/out", "/workspace/report"))
print(do("import os; os.rename('out', 'away'); os.symlink('grading', 'out'); os.remove('report'); os.mkfifo('report')"))
print(reclaim("/workspace/out", "/workspace/report"), os.path.lexists("/workspace/out"), os.path.lexists("report"))
"""
    assert python(source).splitlines() == ["(16, 0)", "done", "(16, 2) False False"]


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("d/file", "mine"),
        ("/workspace/d/link", "mine"),
        ("grading/secret", "gone"),
        ("/proc/self/environ", "gone"),
        ("/etc/passwd", "gone"),
        ("d", "gone"),
        ("pipe", "gone"),
    ],
)
def test_a_link_in_the_workspace_is_taken_as_the_file_that_it_leads_to(python: Grade, target: str, found: str) -> None:
    made = """
os.mkdir("d"); open("d/file", "w").write("mine"); os.symlink("file", "d/link"); os.mkfifo("pipe")
"""
    source = f"""
print(do({line(made)}), do({line(f'os.symlink({target!r}, "out")')}), reclaim("/workspace/out")[0])
print("gone" if not os.path.lexists("out") else os.path.islink("out") or open("out").read(), open("d/file").read())
"""
    assert python(source).splitlines() == ["done done 16", f"{found} mine"]


_BUSY = f"""
import os
while True:
    try: os.chdir("{LENT}")
    except OSError: continue
    for act in ("os.mkdir('a')", "os.mkdir('a/b')", "open('a/b/f', 'w').write('x')", "os.rename('a/b', 'c')",
                "os.symlink('/workspace/grading', 'a/b')", "os.rename('a', 'd')", "os.symlink('grading', 'a')",
                "os.symlink('/workspace/grading/secret', 'd/f')", "os.rename('c', 'd/c')", "os.rename('a', 'd/g')",
                "os.symlink('/etc/passwd', 'd/c/h')", "os.rename('d', 'a')", "os.chdir('a')", "os.chdir('..')"):
        try: exec(act)
        except OSError: pass
"""


def test_directories_that_move_under_way_lead_nowhere(python: Grade) -> None:
    """A process that exchanges directories and links all the time, while its grader lends and takes back."""
    source = f"""
lend(T)
side = subprocess.Popen(["candidate", "python3", "-c", {_BUSY!r}])
end = time.monotonic() + 3
turns = names_seen = 0
while time.monotonic() < end:
    time.sleep(0.002)
    assert reclaim(T)[0] == 16
    for place, directories, names in os.walk(T):
        for name in directories + names:
            path = os.path.join(place, name)
            names_seen += 1
            assert os.path.realpath(path).startswith(T), path
            assert os.path.islink(path) or os.lstat(path).st_uid == os.getuid(), path
    turns += 1
    assert lend(T)[0] == 16
side.kill()
print(turns > 100, names_seen > 100)
"""
    assert python(source) == "True True"


@pytest.mark.parametrize("seed", [0, 1000])
def test_random_trees_are_taken_back_clean(python: Grade, seed: int) -> None:
    known = f"BUILDER, SEED, ROUNDS = {hostile_trees.BUILDER!r}, {seed}, 4\n"
    assert python(known + hostile_trees.LENDER) == "done"


def test_a_tree_that_is_too_large_is_closed_for_good(python: Grade) -> None:
    source = f"""
lend(T)
print(do("for i in range(20_001): open('{LENT}/' + str(i), 'w').close()"))
begun = time.monotonic()
print(reclaim(T), time.monotonic() - begun < 10)
try: os.listdir(T)
except PermissionError: print("closed")
"""
    assert python(source).splitlines() == ["done", "(18, 7) True", "closed"]


def test_a_tree_that_is_too_deep_is_closed_for_good(python: Grade) -> None:
    deep = f"import os; os.chdir('{LENT}'); [(os.mkdir('d' * 99), os.chdir('d' * 99)) for i in range(99)]"
    assert python(f"lend(T)\nprint(do({deep!r}), reclaim(T))") == "done (18, 7)"


def test_lending_is_fast(python: Grade) -> None:
    """A small directory, which a living candidate has written to."""
    source = f"""
for i in range(3): open(T + f"/{{i}}", "w").write("text")
taken = []
do("import os")
for turn in range(200):
    begun = time.perf_counter()
    lend(T)
    half = time.perf_counter()
    do("open('{LENT}/out', 'w').write('text')")
    again = time.perf_counter()
    reclaim(T)
    taken.append((half - begun, time.perf_counter() - again))
lending, reclaiming = (sorted(each)[100] * 1e6 for each in zip(*taken))
assert lending < 1000 and reclaiming < 1000, (lending, reclaiming)
print(lending, reclaiming)
"""
    assert python(source)


def test_many_can_be_lent_and_one_many_times(python: Grade) -> None:
    source = """
for i in range(200):
    os.mkdir(T + f"/{i}")
    assert lend(T + f"/{i}", T + f"/{i}") == (16, 0)
    assert reclaim(T + f"/{i}", T + f"/{i}") == (16, 0)
print(oct(os.stat(T).st_mode), oct(os.stat(os.environ["TMPDIR"]).st_mode))
"""
    assert python(source) == "0o40755 0o40700"


@pytest.mark.parametrize("size", ["0", "1", "2**16", "2**32 - 1"])
def test_a_request_whose_size_is_wrong_lends_nothing(python: Grade, size: str) -> None:
    source = f"""
s = socket.socket(socket.AF_UNIX)
s.connect("{CANDIDATE_DIRECTORY}/socket")
s.sendall(struct.pack("QQIIQ", 0, 0, {size}, 1, 2) + T.encode() + b"\\0")
print(struct.unpack("2i", s.recv(8))[0], os.stat(T).st_uid == os.getuid(), ask(2, "relative")[0], ask(3, "")[0])
"""
    assert python(source) == "18 True 18 18"
