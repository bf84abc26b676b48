"""Protects the token, and checks that comparisons and assertions still work; used by all that judges Python inside.

**The token.** `hold` returns the only function that knows it. The last statement of a program is `hold(...)(run())`.
While `run` executes, that function is on the operand stack of the calling frame and in no variable. So candidate's code
cannot reach the token through frames, modules or the objects that it finds there. `hide` hides the objects that exist
before the candidate's code is loaded from `gc.get_objects`. When the function runs, everything that could see its
locals (tracing, profiling, signal handlers, finalisers) is off, and it does nothing that an audit hook sees.
Some attacks remain: code that undoes `gc.freeze` and searches all objects, reads the process's memory, or watches from
another thread at the right moment. Such code would have to target this very file.

**Controls.** After the candidate's code ran, assertions and builtins must still work (controls.py), and compared values
must not be equal to everything (equal_to_anything.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.controls import controls
from gradebox.graders.languages.python.inside.equal_to_anything import equal_to_anything

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, SimpleNamespace
    from typing import Any


def guard() -> SimpleNamespace:
    import errno
    import fcntl
    import gc
    import os
    import re
    import resource
    import signal
    import sys
    import types

    write, leave, getpid, pid = os.write, os._exit, os.getpid, os.getpid()
    stat, uid = os.stat, os.geteuid()
    settrace, setprofile = sys.settrace, sys.setprofile
    mask, all_signals = signal.pthread_sigmask, signal.valid_signals()
    modules, streams = sys.modules, [sys.stdout, sys.stderr]

    def read_line() -> bytes:
        """Return the first line of stdin, and read nothing after it."""
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(0, 1)
            if not byte:
                break
            line += byte
        return line.strip()

    def hold(tokens: list[bytes]) -> Callable[[tuple[list[tuple[int, bytes]], int | None]], None]:
        """Return the function that sends lines, each with one of the tokens, and then exits if a status is given."""
        # Closed on exec, and at a number that nobody uses by accident.
        open_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        report = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, min(500, open_files // 2))
        os.close(3)
        spare(report)

        def send(sent: tuple[list[tuple[int, bytes]], int | None]) -> None:
            lines, status = sent
            # A child that candidate's code forked reaches this point too, but must not send the token.
            if getpid() == pid:
                try:
                    # Sent in one piece, so that nothing can come in between.
                    data = b"".join([tokens[number] + line + b"\n" for number, line in lines])
                    while data:
                        data = data[write(report, data) :]
                except OSError:
                    write(
                        2, b"The program closed a descriptor that is not its own, so that it could not be reported.\n"
                    )
                    status = 1
            if status is not None:
                leave(status)

        return send

    def spare(kept: int) -> None:
        """Keep a descriptor open in this process when honest code closes all descriptors, as daemons do."""
        close_one, close_many = os.close, os.closerange

        def close(fd: int) -> None:
            if fd == kept and getpid() == pid:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            close_one(fd)

        def closerange(fd_low: int, fd_high: int, /) -> None:
            if fd_low <= kept < fd_high and getpid() == pid:
                close_many(fd_low, kept)
                fd_low = kept + 1
            close_many(fd_low, fd_high)

        for function in (close, closerange):
            function.__module__, function.__qualname__ = "os", function.__name__
            setattr(os, function.__name__, function)

    def hide() -> None:
        """Hide all existing objects from code that searches for them."""
        gc.collect()
        gc.freeze()

    def calm() -> Callable[[], None]:
        """Flush the output and keep the candidate's code from running; return a function that undoes this."""
        collecting = gc.isenabled()
        flush()
        gc.disable()
        blocked = mask(signal.SIG_BLOCK, all_signals)
        settrace(None)
        setprofile(None)
        monitoring = getattr(sys, "monitoring", None)
        for tool in range(6):
            if monitoring is not None and monitoring.get_tool(tool):
                monitoring.set_events(tool, 0)

        def undo() -> None:
            mask(signal.SIG_SETMASK, blocked)
            if collecting:
                gc.enable()

        return undo

    def flush() -> None:
        for stream in (*streams, sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass

    def line(word: str, what: str = "") -> bytes:
        """Return a line of the report without its token."""
        text = " ".join(str(what).split())[:300]
        return f" {word} {text}".rstrip().encode("utf-8", "backslashreplace")

    known = {}
    library = os.path.dirname(os.__file__) + "/"
    leaving, another = "skip|xfail|exit", r"(?:%s)\w*\s+as\s+%s\b|^%s\s*=.*(?:%s)"

    runner: list[str] = []

    def own(*packages: str) -> None:
        """Treat loaded packages as the runner's: in a task about a runner, they are the work and run the tests."""
        places = [str(getattr(modules.get(name), "__file__", "")) for name in packages]
        runner.extend(place.removesuffix("__init__.py") for place in places if place.endswith("/__init__.py"))

    def is_runners(path: str) -> bool:
        return path.startswith(tuple(runner))

    def is_candidates(path: str) -> bool:
        """Whether the candidate owns a file. Root owns the judge's files; only an allowed conftest.py can be there."""
        if is_runners(path):
            return False
        if path not in known:
            try:
                known[path] = stat(path).st_uid == uid != 0 and os.path.basename(path) != "conftest.py"
            except (OSError, ValueError):
                known[path] = False
        return known[path]

    def origin(thing: Any) -> str:
        """Return the candidate's file that defines a function or class, "" for any other."""
        thing = getattr(thing, "__func__", thing)
        code = getattr(thing, "__code__", None)
        module = modules.get(getattr(thing, "__module__", None) or "")
        places = [
            getattr(code, "co_filename", None),
            (getattr(thing, "__globals__", None) or {}).get("__file__"),
            getattr(module, "__file__", None),
        ]
        return next((place for place in places if isinstance(place, str) and is_candidates(place)), "")

    def left_by_candidate(error: BaseException, test: str = "") -> str:
        """Return the candidate's code that raised an exception which ends a test without failing it, "" if none did.

        The code is a file whose frame raised it, or a function of the runner that the judge's function called under
        another name: the candidate passed it as an argument.

        test: the file of the test. The candidate's own tests are not checked.
        """
        path, caller, trace = "", None, None if is_candidates(test) else error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            name = code.co_filename
            # Installed packages act for their callers.
            if name.startswith("<") or is_candidates(name):
                path, caller = name, None
            elif "/_pytest/" in name or "/pluggy/" in name or name.startswith(library):
                caller = caller and (caller[0], False)
            elif "-packages/" in name:
                caller = None
            else:
                path, caller = "", (code, True)
            trace = trace.tb_next
        if caller is not None and not caller[1] and not says_so(caller[0]):
            return f"what {caller[0].co_name} was given"
        return path if is_candidates(path) else ""

    def says_so(code: CodeType) -> bool:
        """Whether a function uses a name that announces a skip or exit, or that its file defines as one."""
        names = (*code.co_names, *code.co_freevars, *code.co_varnames)
        if re.search(leaving, " ".join(names), re.IGNORECASE):
            return True
        try:
            with open(code.co_filename, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return False
        flags = re.IGNORECASE | re.MULTILINE
        return any(re.search(another % (leaving, name, name, leaving), text, flags) for name in names)

    trust, always_equal = equal_to_anything(origin)

    replaced_builtins, passing_assertions = controls()

    return types.SimpleNamespace(
        read_line=read_line,
        hold=hold,
        hide=hide,
        calm=calm,
        flush=flush,
        line=line,
        own=own,
        is_runners=is_runners,
        origin=origin,
        is_candidates=is_candidates,
        left_by_candidate=left_by_candidate,
        trust=trust,
        always_equal=always_equal,
        replaced_builtins=replaced_builtins,
        passing_assertions=passing_assertions,
    )
