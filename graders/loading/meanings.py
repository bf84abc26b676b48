"""What fields of case files mean, where their models do not say it: a line for each, for the schema and the reference.

A model that has room says it itself, in the ``description`` of its field, and that counts. A test wants every field to
have a meaning, and every meaning a field.
"""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, Mapping[str, str]] = {
    "ItemEntry": {
        "name": "Shown in reports; its number where it is not given.",
        "code": "Source in the case's language; for bash, a command line.",
        "weight": "Its share of the check.",
        "setup": "Runs before it, in the same program.",
        "teardown": "Runs after it, in the same program.",
    },
    "HooksEntry": {
        "before_all": "Before the first case.",
        "before_each": "Before each case is judged.",
        "after_each": "After each case was judged.",
        "after_all": "After the last case.",
    },
    "WorkspaceEntry": {
        "isolation": "Each case has its own copy, whatever is written here.",
        "repos": "Repositories; not fetched by this version.",
        "hooks": "Commands around cases.",
        "docker": "The image and its limits under other names.",
        "env": "Added to the environment of every command.",
    },
    "TargetEntry": {
        "name": "Shown in reports.",
        "use_target": "The definition that it stands for, where that has another name.",
        "hooks": "Commands around its cases.",
    },
    "ExecutionEntry": {
        "target": "The one target that it is run with.",
        "targets": "The targets that it is run with, each with a verdict of its own.",
    },
    "CaseEntry": {
        "rubrics": "What success is, point by point.",
        "examples": "Pieces of source that must run without an error, each in a process of its own.",
        "examples_setup": "Runs before each example; loads the candidate's code.",
        "examples_teardown": "Runs after each example.",
        "unit_tests": "As `examples`, a check of its own.",
        "unit_tests_setup": "Runs before each unit test; loads the candidate's code.",
        "unit_tests_teardown": "Runs after each unit test.",
        "imports": "What examples and unit tests import; the image must have it.",
        "language": "Of examples and unit tests; chooses the image where none is named.",
        "setup": "Commands that run in the sandbox before the first check.",
        "teardown": "Commands that run after the last check.",
        "workspace": "The tree that it starts from; without it `workspace/` beside the case, else the suite's.",
        "protect": "Globs of workspace files that are put back before every check.",
        "allow": "Globs of files that steer test runners and that submissions may bring.",
        "env": "Added to the environment of every command.",
        "image": "What the sandbox is made from; by the language where it is not given.",
        "execution": "How it is run.",
        "limits": "What its sandbox may use.",
        "reference_solution": "The author's solution: a path, or its text; without it `reference/` beside the case.",
        "conversation_id": "Kept and shown.",
        "description": "Shown in lists.",
        "note": "For judges and people; never for the candidate.",
        "category": "Kept and shown.",
        "tags": "For `--tag` and `--exclude-tag`.",
        "metadata": "Whatever else is to be kept.",
        "depends_on": "Ids of cases that come before it.",
        "on_dependency_failure": "What happens to it when one of them does not pass.",
    },
    "SuiteEntry": {
        "name": "Shown in reports.",
        "description": "Shown in lists.",
        "version": "Of the suite.",
        "tags": "Of each of its cases, too.",
        "metadata": "Merged into that of each case.",
        "workspace": "The tree that its cases start from.",
        "image": "What their sandboxes are made from.",
        "language": "Of their examples and unit tests.",
        "env": "Added to the environment of every command.",
        "execution": "How its cases are run.",
        "limits": "What their sandboxes may use.",
        "input": "Messages before those of each case.",
        "hooks": "Commands around its cases.",
        "assertions": "Checks that come after each case's own.",
        "tests": "The cases: a list, a file, a glob, or a directory of case directories.",
    },
    "CheckEntry": {
        "type": "Which type of check it is.",
    },
    "ExpectEntry": {
        "exit_code": "The exit status that passes.",
        "stdout": "The exact text that it must print.",
        "stderr": "The exact text that it must print on stderr.",
        "stdout_regex": "What must be found in what it prints.",
    },
    "CodeGraderEntry": {
        "command": "What is run: words, or a line for `sh -c`.",
        "setup": "Run before it, in the same state.",
        "teardown": "Run after it.",
        "protocol": "`exit`: exit status 0 scores 1. `json`: one JSON object on stdout has the score.",
        "expect": "Narrows the protocol `exit`.",
        "report": "A test report that the command writes.",
        "config": "Handed to the command.",
    },
    "ItemsEntry": {
        "items": "Pieces of source, each in a process of its own.",
        "language": "Of the items.",
        "setup": "Runs before each item.",
        "teardown": "Runs after each item.",
        "imports": "What the items import.",
        "isolation": "`process`: each item in a process of its own. `shared`: all in one, in order.",
    },
    "CommandEntry": {
        "command": "Words, or a line for `sh -c`.",
    },
    "MessageEntry": {
        "role": "Who says it.",
        "content": "Text, or a list of blocks.",
        "name": "Of who says it.",
        "tool_call_id": "The call that it answers.",
        "tool_calls": "The tools that it calls.",
    },
    "ToolCall": {
        "id": "Of the call.",
        "function": "The function that is called.",
        "tool": "The tool that is called.",
        "input": "What it gets.",
        "output": "What it returned.",
        "status": "How it ended.",
        "duration_ms": "How long it took.",
        "type": "Of the shape with `function`.",
    },
    "FunctionCall": {
        "name": "Of the function.",
        "arguments": "As JSON text.",
    },
    "TextBlock": {
        "type": "Which kind of block it is.",
        "value": "The text.",
    },
    "FileBlock": {
        "type": "Which kind of block it is.",
        "value": "Its path.",
    },
    "ImageBlock": {
        "type": "Which kind of block it is.",
        "value": "The image.",
    },
    "JsonBlock": {
        "type": "Which kind of block it is.",
        "value": "The data.",
    },
}
