"""Finds lines of shell scripts that let an answer decide its own verdict. Reads the text alone, and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

RUNS_CODE = "text from the submission would run as the grader"
UNPACKS = "a link in the archive can lead the grader to what the submission cannot read, such as a golden file"
GIVES_REST = "the submission can read what this loop has not read yet"
MIXES = "what the submission prints there is among the grader's own lines"
PUBLIC = "the submission runs at the same time, and can read the arguments of every process"
SHARED = "the submission can read what is there"
MEASURES = "it measures `candidate`, and not the program that this starts"

# A shell that reads a script from such a path reads a file that no submission can write.
_OF_THE_CASE = ("/", "grading/", "$(dirname")
_SCRIPT = re.compile(r"(?m)^\s*(?:\w+=\S*\s+)*(?P<call>eval|source|\.)\s+(?P<what>\S+)")
_WORD = r"""(?:[^\s"'|;&()<>`]|"(?:[^"\\]|\\.)*"|'[^']*'|\\.)+"""
_INTERPRETER = re.compile(
    r"(?<![\w./$-])(?P<call>[gm]?awk|jq|sh|bash|python[\d.]*|perl|ruby|node|bun|julia)"
    rf"(?P<words>(?:(?:[ \t]|\\\n)+{_WORD})+)"
)
# Options that take words of their own: how many.
_TAKES = {**dict.fromkeys(("-v", "-F", "--from-file"), 1), **dict.fromkeys(("--arg", "--argjson", "--slurpfile"), 2)}
_EXPANDS = re.compile(r"(?<!\\)(?:\$(?!(?:TMPDIR|HOME|PWD)\b|\{(?:TMPDIR|HOME|PWD)\})[\w{(@*]|`)")
_UNPACKS = re.compile(
    r"(?m)^(?![ \t]*#)[^\n]*?(?<![\w/.-])(?<!candidate )"
    r"(?P<call>(?:bsd)?tar(?= +(?:-C +\S+ +|--\S+ +)*-?[A-Za-z]*x)|unzip|git (?:clone|apply|am))(?= )"
)
_LOOP = re.compile(r"(?s)(?P<before>\|\s*)?\bwhile\b[^\n]*?\bread\b(?P<body>.*?)\bdone\b(?P<after>[^\n]*)")
_BLOCK = re.compile(
    r"(?ms)^[^\S\n]*(?:\{|for\b|while\b)(?P<body>.*?)(?:\}|\bdone)[^\S\n]*(?P<after>(?:\||>(?!&))[^\n]*)"
)
_CALLS = r"(?m)^(?P<before>[^#\n]*?)(?<![\w./-])(?P<call>{})(?P<after>(?:[ \t][^\n]*)?)$"
_CALL = re.compile(_CALLS.format("candidate"))
_FUNCTION = re.compile(
    r"(?ms)^[ \t]*(?:function[ \t]+)?(?P<name>[\w-]+)[ \t]*(?:\(\))?[ \t]*\{(?P<body>[^\n]*\}[ \t]*$|.*?^[ \t]*\})"
)
_NEIGHBOUR = re.compile(
    r"(?m)^[^#\n]*?(?<![\w./-])candidate[ \t][^|\n]*\|[ \t]*(?P<call>[ef]?grep|[gm]?awk|jq|sed)(?P<words>[^|&;\n]*)"
)
_SCRATCH = re.compile(
    r"(?m)^(?![^\n]*\bcandidate\b)[^#\n]*?(?:>|\btee )[ \t]*(?P<call>[\"']?/(?:tmp|var/tmp|dev/shm)/\S+)"
)
_TIMED = re.compile(r"(?m)^[^#\n]*?(?<![\w.-])(?P<call>time(?:[ \t]+-\S+)*[ \t]+candidate)\b")


def of_shell(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the place in the text, the call and the reason of each hazard."""
    for match in _SCRIPT.finditer(text):
        if match["call"] == "eval" or not match["what"].strip("\"'").startswith(_OF_THE_CASE):
            yield match.start("call"), match["call"], RUNS_CODE
    for match in _INTERPRETER.finditer(text):
        if _EXPANDS.search(re.sub(r"'[^']*'", "", _program(match["call"], match["words"])) or ""):
            yield match.start("call"), match["call"], RUNS_CODE
    for match in _UNPACKS.finditer(text):
        yield match.start("call"), match["call"], UNPACKS
    readers = _readers(text)
    for match in _LOOP.finditer(text):
        if match["before"] or re.match(r"\s*<(?:<|\s*<\()", match["after"]):
            yield from _candidates(match, "<", GIVES_REST, readers)
    for match in _BLOCK.finditer(text):
        yield from _candidates(match, ">", MIXES, _CALL)
    yield from _beside(text)


def _readers(text: str) -> re.Pattern[str]:
    """Return a pattern for calls of `candidate`, and of functions that pass their stdin on to it."""
    functions = (match["name"] for match in _FUNCTION.finditer(text) if any(_candidates(match, "<", "", _CALL)))
    return re.compile(_CALLS.format("|".join(map(re.escape, ["candidate", *dict.fromkeys(functions)]))))


def _beside(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield what a submission can read of its running grader, and what a grader cannot measure of a submission."""
    if not _CALL.search(text):
        return
    for match in _NEIGHBOUR.finditer(text):
        words: list[str] = re.findall(_WORD, match["words"])
        if any("/" not in word and word[0] != "'" and _EXPANDS.search(word) for word in words):
            yield match.start("call"), match["call"], PUBLIC
    for pattern, why in ((_SCRATCH, SHARED), (_TIMED, MEASURES)):
        for match in pattern.finditer(text):
            yield match.start("call"), match["call"], why


def _program(name: str, words: str) -> str:
    """Return the word that is a program's text, with its quotes; empty if there is none."""
    found: list[str] = re.findall(_WORD, words)
    by_option = not (name.endswith("awk") or name == "jq")
    at = 0
    while at < len(found):
        word = found[at]
        if by_option and re.fullmatch(r"-\w*[ce]", word):
            return found[at + 1] if at + 1 < len(found) else ""
        if word in ("-f", "--from-file") or (by_option and not word.startswith("-")):
            return ""
        if not by_option and not word.startswith("-"):
            return word
        at += 1 + _TAKES.get(word, 0)
    return ""


def _candidates(part: re.Match[str], sign: str, why: str, calls: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the calls of `candidate` in a part of a script whose stdin or stdout is not their own."""
    for match in calls.finditer(part["body"]):
        kept = "|" in match["before"] if sign == "<" else re.search(r"\$\(|`|\|", match["before"] + match["after"])
        if sign not in match["after"] and not kept:
            yield part.start("body") + match.start("call"), match["call"], why
