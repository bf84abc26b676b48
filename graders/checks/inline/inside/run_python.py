"""Runs Python code of a case's author on an answer: stdin has the grader's object, stdout gets one JSON object.

`config` has the code, `transform` (code that changes the answer's text), `vars`, the author's own `config`, and
`beside`: the author's modules beside the code. The command's arguments are the files of code, in order of use. The
code's output goes to stderr. For mistakes of the author, this program exits with another status than 0 and a message;
if the code raises on this answer, the check fails.
"""

from __future__ import annotations

import importlib.machinery
import json
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

USUAL_NAMES = ("get_assert", "get_transform", "main")


class Beside:
    """Finds only the author's modules in the directory of the code."""

    def __init__(self, directory: str, names: Sequence[str]) -> None:
        self.directory, self.names = directory, names

    def find_spec(self, name: str, path: Any = None, _target: Any = None) -> Any:
        """Return where a module is; None if it is not the author's."""
        if path is None and name in self.names:
            return importlib.machinery.PathFinder.find_spec(name, [self.directory])
        return None


def load(code: str, name: str, words: list[str], beside: Sequence[str]) -> tuple[Callable[..., Any], str]:
    """Return the function that a code defines, and the file names of its stack frames."""
    text = code.strip()
    if text.startswith("file://"):
        function = text[len("file://") :].partition(":")[2]
        path = os.path.abspath(words.pop(0))
        sys.meta_path.append(Beside(os.path.dirname(path), beside))
        with open(path, encoding="utf-8") as stream:
            source = stream.read()
        names: dict[str, Any] = {"__name__": "assertion", "__file__": path}
        exec(compile(source, path, "exec"), names)
        for wanted in (function,) if function else USUAL_NAMES:
            if callable(names.get(wanted)):
                return names[wanted], path
        sys.exit(f"{path} defines no function {function or USUAL_NAMES[0]}")
    body = text if "\n" in text else text if text.startswith("return ") else f"return {text}"
    names = {"__name__": "assertion"}
    exec(compile(f"def assertion(output, context):\n{textwrap.indent(body, '    ')}\n", f"<{name}>", "exec"), names)
    return names["assertion"], f"<{name}>"


def is_authors(error: Exception, files: Sequence[str]) -> bool:
    """Return whether an error is about a name or module in the author's code, not in code of the answer."""
    if not isinstance(error, (NameError, ImportError)) or isinstance(error, UnboundLocalError):
        return False
    trace = error.__traceback__
    file = ""
    while trace is not None:
        file, trace = trace.tb_frame.f_code.co_filename, trace.tb_next
    return file in files or file.startswith("<frozen importlib")


def graded(result: Any) -> dict[str, Any]:
    """Return a result as an object with a score."""
    if isinstance(result, str) and result.strip().lower() in ("true", "false"):
        result = result.strip().lower() == "true"
    if isinstance(result, bool):
        return {"pass": result, "score": float(result)}
    if isinstance(result, (int, float)):
        return {"score": result}
    if isinstance(result, dict):
        found = dict(result)
        if "pass_" in found:
            found["pass"] = found.pop("pass_")
        if found.get("score") is None:
            if not isinstance(found.get("pass"), bool):
                sys.exit(f"the code returned an object with neither `pass` nor `score`: {result!r:.200}")
            found["score"] = float(found["pass"])
        return found
    sys.exit(f"the code returned {result!r:.200}, which is neither a truth value nor a number nor an object")


def context_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the `context` that the code gets besides the answer."""
    config = data.pop("config", {})
    messages = data.get("input") or []
    texts = [message.get("content") for message in messages]
    prompt = texts[0] if len(texts) == 1 and isinstance(texts[0], str) else json.dumps(messages)
    variables = config.get("vars") or {}
    about = {name: data.get(name) for name in ("id", "criteria", "metadata")}
    return {
        **data,
        "vars": variables,
        "config": config.get("config") or {},
        "prompt": prompt,
        "test": {**about, "vars": variables},
        "providerResponse": {"output": data.get("output"), "cost": data.get("cost_usd"), "metadata": {}},
    }


def main() -> None:
    """Run the code and print its result."""
    printed = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    data = json.load(sys.stdin)
    config = data["config"]
    output, context = data.get("output") or "", context_of(data)
    files = []
    words = sys.argv[1:]
    try:
        functions = []
        for name in ("transform", "code"):
            if config.get(name):
                function, file = load(config[name], name, words, config.get("beside", ()))
                functions.append(function)
                files.append(file)
    except Exception as error:
        sys.exit(f"the code of the check cannot be loaded: {type(error).__name__}: {error}")
    try:
        for function in functions[:-1]:
            output = function(output, context)
        found = graded(functions[-1](output, context))
    except Exception as error:
        if is_authors(error, files):
            sys.exit(f"the code of the check is wrong: {type(error).__name__}: {error}")
        found = {"score": 0.0, "reason": f"the code raised {type(error).__name__}: {error}"[:500], "raised": True}
    score = found["score"]
    # A score that is not a number stays unchanged, and is refused later.
    if isinstance(score, (int, float)) and abs(score) >= 0:
        found["score"] = min(1.0, max(0.0, float(score)))
    json.dump(found, printed, default=str)
    printed.close()


if __name__ == "__main__":
    main()
