"""The ``grade`` command: signal handlers, then the command line, then its exit code. No other module of gradebox exits.

Python turns SIGINT into an exception, which is lost if an import or a finaliser swallows it. Therefore a signal ends
the process directly until a command has installed handlers for an orderly end. Slow imports are inside functions, so
that this applies from the beginning.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType

# Equals `gradebox.graders.errors.ExitCode.INTERRUPTED`, which is not imported yet when a signal arrives early.
_INTERRUPTED = 130
_OBJECTS_PER_COLLECTION = 100_000


def main() -> None:
    """Run the command line of this process, and exit."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_now)
    # Imports make many objects but no garbage: with the default of 700, a hundred collections would run first.
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    # Free the second copy of all arguments: a run may name ten thousand submissions.
    sys.orig_argv.clear()
    # We need no plug-ins of pydantic, and its search for them reads the metadata of every distribution.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from gradebox.graders.cli import console, streams
    from gradebox.graders.errors import OutputLost, ReaderGone, exit_code_of_error
    from gradebox.graders.reports.ci_log import harmless_streams

    streams.guard()
    try:
        with harmless_streams():
            code = run(sys.argv[1:])
        sys.stdout.flush()
        sys.stderr.flush()
    except ReaderGone as gone:
        code = exit_code_of_error(gone)
    except OutputLost as lost:
        console.error(lost.message)
        code = exit_code_of_error(lost)
    sys.exit(code)


def _end_now(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"grade: Interrupted.\n")
    os._exit(_INTERRUPTED)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code. Raises only `ReaderGone` and `OutputLost`."""
    from typer import Abort

    from gradebox.graders.cli import console
    from gradebox.graders.cli.commands.grade import app
    from gradebox.graders.cli.help import UsageMistake, refused
    from gradebox.graders.errors import Interrupted, OutputLost, ReaderGone

    console.hide_findings(hidden=False)
    try:
        code = app(args=arguments, prog_name="grade", standalone_mode=False)
    except SystemExit as end:
        if isinstance(end.__context__, OSError):
            # A pipe other than our streams broke, and Typer would exit with the code of a failed verdict.
            return _report(end.__context__)
        # Typer exits like this after answering a shell's completion request.
        return end.code if isinstance(end.code, int) else 0
    except (ReaderGone, OutputLost):
        raise
    except Abort:
        return _report(Interrupted())
    except UsageMistake as mistake:
        return _report(refused(mistake))
    except BaseException as error:  # noqa: BLE001 - the one place where an error becomes a message
        return _report(error)
    return code if isinstance(code, int) else 0


def _report(error: BaseException) -> int:
    from gradebox.graders.cli import console
    from gradebox.graders.errors import ExitCode, GraderError, exit_code_of_error
    from gradebox.sandbox.errors import SandboxError

    code = exit_code_of_error(error)
    if isinstance(error, GraderError | SandboxError):
        console.error(error.message, error.remedy)
    elif code is ExitCode.INTERRUPTED:
        console.error("Interrupted.")
    else:
        from gradebox.graders.grading.internal_error import write_bug_report

        report = write_bug_report(error)
        console.error(
            f"Internal error in gradebox ({type(error).__name__}: {error}).", f"Please report it and attach {report}."
        )
    return code
