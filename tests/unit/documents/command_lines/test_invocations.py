"""Which programs a command starts, behind which launchers, and which file each runs."""

from __future__ import annotations

import shlex

import pytest
from command_forms import FORMS, Form

from gradebox.graders.documents.command_lines.invocations import invocations, only_invocation, words_of


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.line)
def test_what_is_read_of_a_command(form: Form) -> None:
    for argv in (shlex.split(form.line), ["sh", "-c", form.line]):
        (found,) = invocations(argv)
        assert found.words[0] == form.program
        assert "".join(found.files[:1]) == form.file
        assert (" ".join(found.launchers), found.module, found.reads) == (form.launchers, form.module, form.reads)
        # `time` is a word of shells, too.
        assert only_invocation(argv) == found or form.launchers == "time"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("./run.sh a b", [("./run.sh",)]),
        ("A=1 npx tsx check.ts && ls", [("check.ts",), ("ls",)]),
        ("node scripts/check.js --quick out.txt", [("scripts/check.js", "out.txt")]),
        ("node --test tests", [()]),
        ("python3 -m check; bash run.sh", [(), ("run.sh",)]),
        ("timeout 5 bash -lc 'cd src && python3 app.py' | diff - a", [("cd",), ("app.py",), ("diff",)]),
        ("bash -eo pipefail -c 'a.sh | b'", [("a.sh",), ("b",)]),
        ("sh -c; sh run.sh -e", [("run.sh",)]),
        ("candidate sh -c 'python3 app.py'; python3 -c 'a.b()'", [("candidate",), ()]),
        ("set -e\npython3 a.py \\\n  b\n./c", [("set",), ("a.py", "b"), ("./c",)]),
        ("python3 - <<'E' > out\n./no.sh\nE\n./c < in", [(), ("./c",)]),
        ('test "$(candidate python3 -c "import f; print(f.g(2))")" = 4', [("test",), ("candidate",)]),
        ('x="$(sh -c "cd \\"$1\\"; (./a)" "$(cat "it\'s")")" && ./b', [("./b",), ("cd",), ("./a",), ("cat",)]),
        ('echo "$(a "$(b)" \'c)\')"; e "\\$(f"', [("echo",), ("e",), ("a",), ("b",), ("f",)]),
        ('echo "$(a "b', [("echo",), ("a",)]),
        ('if ! test "$(python3 a.py)" = x; then exit; fi', [("test",), ("exit",), ("fi",), ("a.py",)]),
    ],
)
def test_the_files_of_the_programs_of_a_line(line: str, found: list[tuple[str, ...]]) -> None:
    assert [each.files for each in invocations(("sh", "-c", line))] == found


def test_a_line_may_be_nested_deeply() -> None:
    line = "echo " + '"$(' * 3000 + "./a" + ')"' * 3000
    assert next(each.files for each in invocations(("sh", "-c", line))) == ("echo",)


def test_a_line_changes_the_directory_until_its_subshell_ends() -> None:
    line = "cd \"$X\" && cd ~; cd app && cd ./lib; sh -c 'cd in; ./a'; (cd x && ./b); ./c"
    found = {each.words[0]: each.directory for each in invocations(("sh", "-c", line)) if each.words[0] != "cd"}
    assert found == {"./a": "app/./lib/in", "./b": "app/./lib/x", "./c": ""}


@pytest.mark.parametrize("line", ["a; b", "a | b", 'python3 "$X"', "./run-*.sh", "", "timeout 5"])
def test_what_may_start_something_else_is_no_only_invocation(line: str) -> None:
    assert only_invocation(("sh", "-c", line)) is None


def test_the_only_invocation_of_a_line_may_change_the_directory_and_redirect() -> None:
    found = only_invocation(("sh", "-c", "cd app && python3 x.py > out"))
    assert found is not None
    assert (found.files, found.directory) == (("x.py",), "app")


def test_the_words_of_a_line_whose_quotes_do_not_match_are_split_at_blanks() -> None:
    assert words_of("a && b") == ["a", "&&", "b"]
    assert words_of("it's a") == ["it's", "a"]
