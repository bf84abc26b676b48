"""How the command line reads: help, examples, mistakes, completion, a closed pipe, and how little it takes to start."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from gradebox.graders.authoring.templates import with_template
from gradebox.graders.cli.commands.grade import app
from gradebox.graders.cli.help import examples_of, listed, repeated_submissions
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode

ROOT = Path(__file__).parents[3]
# Starting would take several times as long with these; no help needs them.
HEAVY = {
    "docker", "gradebox.graders.cases", "gradebox.graders.runs.request", "jsonschema", "pydantic", "regex",
    "requests", "rich", "structlog", "tenacity", "yaml",
}  # fmt: skip


def commands(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    context = command.context_class(command)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from commands(command.get_command(context, name), *path, name)


COMMANDS = dict(commands(typer.main.get_command(app)))


def manual() -> ModuleType:
    spec = importlib.util.spec_from_file_location("manual", ROOT / ".ci" / "manual.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["manual"] = module
    spec.loader.exec_module(module)
    return module


def test_all_commands_are_found() -> None:
    assert len(COMMANDS) > 15
    assert ("images", "build") in COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_help_of_every_command_shows_examples_that_it_takes(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*path, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    shown = examples_of(COMMANDS[path].epilog)
    assert shown
    for example in shown:
        assert f"    {example}\n" in out
        line = re.split(r" [|>] ", example)
        (words,) = [shlex.split(one) for one in line if one.startswith("grade ")]
        # Of a group it is one of its commands that the example calls.
        assert tuple(words[1 : 1 + len(path)]) == path
        called = max((key for key in COMMANDS if tuple(words[1 : 1 + len(key)]) == key), key=len)
        COMMANDS[called].make_context(words[0], words[1 + len(called) :])


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_fits_80_columns_and_leaves_no_sentence_out(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run([*path, "--help"])
    _usage, _, text = capsys.readouterr().out.partition("  Examples:")[0].partition("\n")
    assert [line for line in text.splitlines() if len(line) > 80 or line.endswith("...")] == []


@pytest.mark.parametrize(
    ("line", "message", "remedy"),
    [
        ("validte", 'There is no command "validte".', "Did you mean `validate`?"),
        ("images biuld", 'There is no command "images biuld".', "Did you mean `build`?"),
        ("xyzzy", 'There is no command "xyzzy".', "`grade --help` lists the commands."),
        ("--sumbission work", 'There is no option "--sumbission".', "Did you mean `--submission`?"),
        ("--sub work", 'There is no option "--sub".', "Did you mean `--submission`?"),
        ("report RUN --fromat html", 'There is no option "--fromat".', "Did you mean `--format`?"),
        ("images build --hots x", 'There is no option "--hots".', "Did you mean `--host`?"),
        ("list cases -z", 'There is no option "-z".', "`grade list --help` lists the options."),
        (
            "-c case --display lvie",
            "--display takes auto, live, plain, dots or none, not lvie.",
            "Did you mean `live`?",
        ),
        ("-c case --log-format jsn", "--log-format takes text or json, not jsn.", "Did you mean `json`?"),
        ("-c case --report juint=x", "There is no report format juint.", "Did you mean `junit`?"),
        ("--resume RUN --rerun fail", "--rerun takes failed or error, not fail.", "Did you mean `failed`?"),
        ("schema verdcit", "KIND takes case, suite or verdict, not verdcit.", "Did you mean `verdict`?"),
        (
            "init case -l pyhton",
            f"--language takes {listed(with_template(), 'or')}, not pyhton.",
            "Did you mean `python`?",
        ),
        ("completion fsh", "SHELL takes bash, zsh or fish, not fsh.", "Did you mean `fish`?"),
        ("-c case --jobs 0", "--jobs must be at least 1.", "`grade --help` shows the usage."),
        ("-c case -j 1000", "--jobs must be at most 256.", "`grade --help` shows the usage."),
        ("show RUN --repeat x", "--repeat must be a whole number.", "`grade show --help` shows the usage."),
        ("images", "Missing command.", "`grade images --help` shows the usage."),
        ("--case", "Option '--case' requires an argument.", "`grade --help` shows the usage."),
    ],
)
def test_a_mistake_in_the_command_line_is_told_with_what_was_probably_meant(
    line: str, message: str, remedy: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(line.split()) == ExitCode.USAGE
    assert capsys.readouterr() == ("", f"grade: {message}\n  {remedy}\n")


def test_a_path_in_place_of_a_command_is_told_with_the_option_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fix-null").mkdir()
    assert run(["fix-null"]) == run(["images", "fix-null"]) == ExitCode.USAGE
    first, second = re.findall(r"^  (.*)$", capsys.readouterr().err, re.MULTILINE)
    assert first == "To grade it, write `grade --case fix-null`."
    assert second == "`grade images --help` lists the commands."


def test_a_profile_that_is_not_there_is_told_with_the_nearest_one() -> None:
    from gradebox.graders import Grader
    from gradebox.graders.errors import UsageRefused

    with pytest.raises(UsageRefused, match=r"There is no sandbox profile strct\. Did you mean `strict`\?"):
        Grader(profile="strct")


@pytest.mark.parametrize("arguments", [["--help"], ["validate", "--help"]])
def test_help_imports_nothing_that_takes_long(arguments: list[str]) -> None:
    script = (
        f"import sys; from gradebox.graders.cli.main import run; run({arguments}); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = set(ran.stderr.split())
    assert "gradebox.graders.cli.main" in imported
    # Newer versions of Typer convert the words before a command with pydantic.
    assert imported & (HEAVY if len(arguments) == 1 else HEAVY - {"pydantic"}) == set()


@pytest.mark.parametrize(("place", "page"), [("MAN", "man"), ("REFERENCE", "markdown"), ("EXIT_CODES", "exit_codes")])
def test_what_is_generated_from_the_commands_is_up_to_date(place: str, page: str) -> None:
    module = manual()
    assert getattr(module, place).read_text("utf-8") == getattr(module, page)(), "run: make manual"


def test_the_man_page_has_every_command_and_option() -> None:
    text = (ROOT / "docs" / "man" / "grade.1").read_text("utf-8").replace("\\-", "-")
    assert [" ".join(path) for path in COMMANDS if f"grade {' '.join(path)}".strip() not in text] == []
    options = {name for command in COMMANDS.values() for word in command.params for name in word.opts}
    hidden = {"--install-completion", "--show-completion"}
    assert [name for name in options - hidden if name.startswith("-") and f"{name}" not in text] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_calls_the_command(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    out = capfd.readouterr().out
    assert f"_GRADE_COMPLETE=complete_{shell}" in out
    assert shell != "zsh" or out.startswith("#compdef grade\n")


def test_bash_completes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wanted = {
        "grade va": ["validate"],
        "grade --sub": ["--submission", "--submissions"],
        "grade --display p": ["plain"],
        "grade report runs/x --format j": ["json", "junit"],
        # Where nothing is offered, bash completes paths.
        "grade --case ca": [],
    }
    assert run(["completion", "bash"]) == 0
    script = [capfd.readouterr().out]
    for line in wanted:
        words = line.split()
        script.append(f"COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}; _grade_completion grade")
        script.append('echo "${COMPREPLY[@]}"')
    script.append("complete -p grade")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(script)], env={"PATH": path}, capture_output=True, text=True, check=True
    )
    *offered, declared = ran.stdout.splitlines()
    assert dict(zip(wanted, map(str.split, offered), strict=True)) == wanted
    assert declared == "complete -o default -F _grade_completion grade"


def closed_early(tmp_path: Path, command: str) -> tuple[list[str], str]:
    """Run a pipeline whose reader takes one line; return its exit codes and what was said on stderr."""
    ran = subprocess.run(
        ["bash", "-c", f"{command} | {{ read -r line; exec <&-; sleep 0.1; }}; echo ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.split(), ran.stderr


def test_a_reader_that_has_enough_ends_the_command_quietly(tmp_path: Path) -> None:
    # More than a pipe holds.
    kept = "x" * 2000
    cases = (f"  - {{id: {n}, assertions: [{{type: contains, value: a}}], description: {kept}}}\n" for n in range(100))
    (tmp_path / "cases.eval.yaml").write_text("".join(["tests:\n", *cases]))
    assert closed_early(tmp_path, "grade list cases.eval.yaml --json") == (["141"], "")


def test_the_end_of_a_reader_is_no_other_broken_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("gradebox.graders.cases.repository.load_repository", broken)
    assert run(["validate", "x"]) == ExitCode.INTERNAL_ERROR
    assert "Internal error in gradebox (BrokenPipeError" in capsys.readouterr().err


def test_several_paths_after_one_option_are_what_a_shell_has_expanded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()

    def words(line: str) -> str:
        return " ".join(repeated_submissions(line.split(), ["plan", "check"]))

    assert words("-c case -s a b c --json") == "-c case -s a -s b -s c --json"
    assert words("--submission a b -s c") == "--submission a --submission b -s c"
    # What is not a path stays a command, known or not, and the words after a command are its own.
    assert words("-s a check b") == "-s a check b"
    assert words("-s a missing") == "-s a missing"
    assert words("plan -s a b") == "plan -s a b"
    assert words("-s") == "-s"


def test_only_options_that_were_given_are_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    command: Any = typer.main.get_command(app)
    converted: list[str] = []
    for parameter in command.params:
        process = parameter.process_value

        def noted(ctx: Any, value: Any, name: str = parameter.name, process: Any = process) -> Any:
            converted.append(name)
            return process(ctx, value)

        monkeypatch.setattr(parameter, "process_value", noted)
    given = command.make_context("grade", ["--case", "x", "--repeat", "2"]).params
    assert converted == ["_version", "case", "repeat"]
    assert (given["case"], given["repeat"], given["jobs"], given["profile"]) == ([Path("x")], 2, None, "default")
