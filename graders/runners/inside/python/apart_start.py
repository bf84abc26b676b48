"""Starts a Python command whose tests run here, while the submission runs in a process of the candidate.

    python3 [flags] -c SOURCE -m MODULE ARGUMENTS...        in place of   python3 [flags] -m MODULE ARGUMENTS...
    python3 [flags] -c SOURCE /path/to/script ARGUMENTS...  in place of   /path/to/script ARGUMENTS...

No code of the submission is in this process, so neither the token must be hidden nor the tests' tools be checked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType

from gradebox.graders.languages.python.inside.apart.first import INSTALLED
from gradebox.graders.languages.python.inside.apart.in_grader.carried_patches import carry_patches
from gradebox.graders.languages.python.inside.apart.in_grader.modules import Modules
from gradebox.graders.languages.python.inside.apart.in_grader.process import Candidate
from gradebox.graders.languages.python.inside.apart.stand_ins import StandInType
from gradebox.graders.languages.python.inside.apart.wire import CandidateDied


class Judging:
    """A test runner in the grader's process.

    Attributes:
        ran, failed: How many tests ran, and how many failed.
        failing: The last test that failed.
        counts: How many tests ran of each parametrised function, and in total under "".
        skipped: Tests that were skipped because of the submission.
        unloaded: Test files that could not be loaded, and why.
    """

    def __init__(self, code: CodeType) -> None:
        token = b""
        while not token.endswith(b"\n"):
            token += os.read(0, 1) or b"\n"
        self.token = token[:-1].decode()
        self.report = os.dup(3)
        os.close(3)
        self.ran = self.failed = self.failures = 0
        self.is_ended, self.failing = False, ""
        self.counts = dict[str, int]()
        self.skipped, self.unloaded = list[str](), list[str]()
        self.candidate = Candidate(code)
        is_module, workspace = sys.argv[1] == "-m", os.getcwd()
        path = os.environ.pop("GRADEBOX_PYTHONPATH", None)
        if path is not None:
            os.environ["PYTHONPATH"] = path
        # The second one is of `uv run`: its `.pth` file adds it to the path of the candidate's processes only.
        named = [*filter(None, [*(path or "").split(os.pathsep), os.environ.get("UV_PROJECT_SRC")])]
        sys.path[:] = INSTALLED
        self.finder = Modules(self.candidate, workspace, [workspace, *named] if is_module else named)
        sys.argv = [sys.argv[1], *sys.argv[3 if is_module else 2 :]]

    def open(self) -> None:
        """Allow imports of the submission's modules, after the runner is loaded."""
        self.finder.install()
        self.candidate.lending.watch_stat()
        carry_patches(self.candidate, self.finder)

    def is_submitted(self, path: str) -> bool:
        """Whether a file is the submission's, so that no test runner may load it here."""
        files = self.finder.files
        return files.is_inside(path) and path not in files

    def skip(self, name: str, error: BaseException | None) -> None:
        """Record a skipped test if an error of the submission is the reason."""
        if self.has_new_failures():
            self.skipped.append(f"{name}, by a module of the submission that cannot be loaded")
            return
        seen = 0
        while error is not None and seen < 20:
            if type(error) is CandidateDied or type(type(error)) is StandInType or "_gradebox_traceback" in vars(error):
                self.skipped.append(f"{name}, by an error of the submission")
                return
            error, seen = error.__cause__ or error.__context__, seen + 1

    def count(self, name: str) -> None:
        """Record a test that ran."""
        self.ran += 1
        function, _, parameters = name.partition("[")
        for each in ("", *([function] if parameters else ())):
            self.counts[each] = self.counts.get(each, 0) + 1

    def left_out(self) -> list[str]:
        """Return the tests that ran for the reference but not now; record all if a contract is recorded."""
        checkpoint, expected = self.candidate.checkpoint, dict[str, int]()
        for name, count in self.counts.items():
            checkpoint.note((("#",),), f"ran {count} {name}")
        for _, text, name in (word.split(" ", 2) for word in (checkpoint.words or {}).get("#", ())):
            expected[name] = min(int(text), expected.get(name, int(text)))
        missing = {name: count - self.counts.get(name, 0) for name, count in sorted(expected.items())}
        return [f"{count} of the {expected[name]} tests{name and f' of {name}'} that the reference has"
                for name, count in missing.items() if count > 0]  # fmt: skip

    def has_new_failures(self) -> bool:
        """Whether modules of the submission could not be loaded since the last call."""
        before, self.failures = self.failures, self.finder.failures
        return self.failures > before

    def run(self, main: Callable[[Judging], int]) -> int:
        """Run the tests, and report how they ended; return the exit status."""
        try:
            status = main(self)
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        except BaseException:
            import traceback

            traceback.print_exc()
            status = 1
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        left_out = self.left_out() if self.is_ended else []
        lines = [f"{self.token} skipped {what}" for what in (left_out + self.skipped)[:5]]
        lines += [f"{self.token} unloaded {what}".replace("\n", " ") for what in self.unloaded[:5]]
        lines += [f"{self.token}{line}" for line in self.candidate.boundary_lines()]
        if self.is_ended:
            lines.append(f"{self.token} done {self.ran} {self.failed}")
        os.write(self.report, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        return status


def shown_traceback(error: BaseException | None) -> str:
    """Return the submission's traceback of an error, "" if it has none; remove this program's frames from the error."""
    ours, kept = shown_traceback.__code__.co_filename, []
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != ours:
            kept.append(trace)
        trace = trace.tb_next
    for place, trace in enumerate(kept):
        trace.tb_next = kept[place + 1] if place + 1 < len(kept) else None
    return str(getattr(error, "__dict__", {}).get("_gradebox_traceback", ""))
