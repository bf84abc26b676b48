"""Python: items run in one interpreter with `-I -S`, in the image that also has pytest."""

from __future__ import annotations

from gradebox.graders.documents.python_source import mistakes
from gradebox.graders.languages.language import MODULES, CallRunner, ControlFile, Language, inside
from gradebox.graders.languages.python.endings import endings, path_endings

# The last frame of a traceback, as Python or pytest prints it, with up to three lines of source and marks.
_FRAME = (
    r'(?:File "(?P<source>[^"\n]+)", line \d+|(?P<stack>[^\s:]+):\d+: in )[^\n]*\n'
    r'(?:(?!File "|\S+:\d+: in )[^\n]*\n){0,3}?'
)


LANGUAGE = Language(
    name="python",
    image="python",
    programs=("python", "python3", "pytest", "uv"),
    answer_file="solution.py",
    fences=frozenset({"python", "python3", "py"}),
    command=("python3", "-I", "-S", "-c"),
    runner=(inside("python") / "item_runner.py",),
    apart=(inside("python") / "apart" / "in_grader" / "items.py",),
    calls=CallRunner(repr, (inside("python") / "call_runner.py",), keywords=repr, has_library=True),
    forks=True,
    interpreter="python",
    tools={"python": r"python[\d.]*|pypy\d?"},
    program=("python3", "{file}"),
    starts={".py": ("python3",)},
    # Python runs these at every start, or loads them in place of the source beside them.
    control_files=(
        ControlFile("sitecustomize", "python", endings),
        ControlFile("sitecustomize.py", "python", endings),
        ControlFile("sitecustomize.*so"),
        ControlFile("usercustomize", "python", endings),
        ControlFile("usercustomize.py", "python", endings),
        ControlFile("usercustomize.*so"),
        ControlFile("*.pth", "python", path_endings),
        ControlFile("__pycache__"),
        ControlFile("*.pyc"),
        ControlFile("pyvenv.cfg"),
    ),
    # The user's site directories, for all versions of Python.
    home_files=(".local/lib/", ".pdbrc"),
    env={"PYTHONNOUSERSITE": "1"},
    item_env={MODULES: ""},
    complaints=(
        rf"(?:{_FRAME})?ModuleNotFoundError: No module named '(?P<module>[^'\n]+)'",
        r"\S*python[\d.]*: No module named (?P<module>\S+)",
        r"\S*python[\d.]*: Error while finding module specification for [^\n]*: No module named '(?P<module>[^'\n]+)'",
        r"\S*python[\d.]*: can't open file '(?P<file>[^'\n]+)'",
        r"error: Failed to spawn: `(?P<program>[^`\n]+)`",
        r"ERROR: file or directory not found: (?P<file>[^\n]+)",
        r"FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<data>[^'\n]+)'",
        rf"{_FRAME}(?:SyntaxError|IndentationError|TabError): ",
        rf"{_FRAME}(?:NameError|UnboundLocalError): [^\n']*'(?P<name>\w+)'",
        r"NameError: name '(?P<name>\w+)' is not defined\n\n(?P<source>[^\s:]+):\d+: NameError$",
        rf"{_FRAME}ImportError: cannot import name [^\n]* \((?P<target>/[^)\n]+)\)",
    ),
    mistakes=mistakes,
    title="Python",
    package=__name__,
)
