"""Signals end gradings in good order: the first SIGINT finishes, the next one stops, a third one gives up."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from gradebox.graders.cli.interruption import RunState, interruptible, raising
from gradebox.graders.errors import Interrupted


class Recorder:
    """A grader that writes down what is called."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.called = threading.Event()

    def finish(self) -> None:
        self.calls.append("finish")
        self.called.set()

    def stop(self) -> None:
        self.calls.append("stop")
        self.called.set()

    def wait(self) -> None:
        assert self.called.wait(10)
        self.called.clear()


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)
    # The handler runs in this thread, between two instructions.
    time.sleep(0.01)


def test_the_first_sigint_finishes_and_the_second_one_stops() -> None:
    recorder, said = Recorder(), []
    before = signal.getsignal(signal.SIGINT)
    with interruptible(recorder, said.append) as interruption:
        assert not interruption.requested
        send(signal.SIGINT)
        recorder.wait()
        assert interruption.state is RunState.FINISHING
        send(signal.SIGINT)
        recorder.wait()
        assert interruption.state is RunState.STOPPED
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)
    assert recorder.calls == ["finish", "stop"]
    assert said == ["Finishing running gradings. Interrupt again to stop them now.", "Stopping."]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_end_of_its_time_stops_a_run() -> None:
    recorder, said = Recorder(), []
    with interruptible(recorder, said.append, 0.01) as interruption:
        recorder.wait()
        assert interruption.state is RunState.STOPPED
    assert (recorder.calls, said) == (["stop"], ["Stopping: the run has used up its 0.01 s (--max-wall)."])


def test_a_run_that_is_over_is_not_stopped() -> None:
    recorder = Recorder()
    with interruptible(recorder, max_wall_seconds=0.05) as interruption:
        pass
    time.sleep(0.1)
    assert not interruption.requested
    assert recorder.calls == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_sigterm_and_a_closed_terminal_stop_at_once(number: signal.Signals) -> None:
    recorder = Recorder()
    with interruptible(recorder) as interruption:
        send(number)
        recorder.wait()
        assert interruption.requested
    assert recorder.calls == ["stop"]


def test_a_command_with_nothing_to_finish_is_interrupted_by_an_exception() -> None:
    with pytest.raises(Interrupted), raising():
        send(signal.SIGTERM)
