"""The services of a case: their order, their network, and whose doing it is if one of them is not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun
from grading_bench import Bench, Patient, check, command
from service_bench import STORE, Serving

from gradebox.graders.grading.services import running_service
from gradebox.graders.grading.services.group import refuse_engine
from gradebox.graders.model.result import Result
from gradebox.graders.model.service import Ready, Service
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.engines.engine import EngineInfo, ImageInfo
from gradebox.sandbox.errors import EngineRefused
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.types import SandboxSpec

CACHE = Service("cache", "image", ("cache",), Ready(port=6379, timeout_seconds=5))
BESIDE = check("look", after="candidate", service="store")


@pytest.fixture(autouse=True)
def _waits(monkeypatch: pytest.MonkeyPatch) -> None:
    # The flag that says whether a run is stopped is waited for without waiting, and servers need a moment.
    monkeypatch.setattr(Patient, "wait", lambda self, seconds=None: time.sleep(seconds or 0) or self.is_set())


def bench(root: Path, **acts: Callable[[FakeRun], FakeEnd]) -> tuple[Bench, Serving]:
    found = Bench(root)
    serving = Serving({"store": 7000, "cache": 6379}, acts)
    found.engine.script = serving
    return found, serving


def graded(found: Bench, *checks: object, services: tuple[Service, ...] = (STORE,), **changes: object) -> Result:
    return found.grade(found.case(*checks, services=services, **changes))  # type: ignore[arg-type]


def test_services_start_in_their_order_and_each_is_ready_before_the_next(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    result = graded(found, check("run"), services=(STORE, CACHE))
    assert result.verdict.status is Status.PASSED
    assert serving.began == ["store", "cache", "run"]
    assert serving.open_ports == set()


def test_the_first_service_has_the_network_and_nothing_else_has_one(tmp_path: Path) -> None:
    found, _ = bench(tmp_path)
    graded(found, check("run"), services=(STORE, CACHE))
    first, sandbox, second = found.engine.created
    assert (first.beside, sandbox.beside, second.beside) == ("", "container-1", "container-1")
    assert {spec.hosts for spec in found.engine.created} == {("store", "cache")}
    assert {spec.limits.network.value for spec in found.engine.created} == {"none"}


def test_a_case_without_services_has_one_sandbox_with_a_network_of_its_own(tmp_path: Path) -> None:
    found, _ = bench(tmp_path)
    graded(found, check("run"), services=())
    (only,) = found.engine.created
    assert (only.beside, only.hosts) == ("", ())


def test_the_verdict_has_the_images_of_services(tmp_path: Path) -> None:
    found, _ = bench(tmp_path)
    result = graded(found, check("run"))
    assert result.services == {"store": found.engine.image("image").id}


def test_services_get_their_own_environment_and_submissions_get_the_cases(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    secret = replace(STORE, env={"PASSWORD": "secret"})
    graded(found, check("run"), services=(secret,), env={"PGUSER": "shop"})
    store, run = serving.runs
    assert store.env["PASSWORD"] == "secret"
    assert "PGUSER" not in store.env
    assert "PASSWORD" not in run.env
    assert run.env["PGUSER"] == "shop"


def test_a_service_has_the_files_that_its_commands_name(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    service = replace(STORE, command=("store", "grading/start.sh"))
    graded(found, check("run"), services=(service,), files={"grading/start.sh": "exec store", "workspace/a": ""})
    store, run = serving.runs
    assert sorted(store.files) == ["grading/start.sh"]
    assert store.protected == {"grading/start.sh"}
    assert sorted(run.files) == ["a"]


def test_a_service_that_ends_before_it_is_ready_is_an_error_with_its_log(tmp_path: Path) -> None:
    found, serving = bench(tmp_path, store=lambda _: FakeEnd(exit_code=1, stderr=b"first\nFATAL: no disk\n"))
    result = graded(found, check("run"))
    assert result.verdict.status is Status.ERROR
    assert result.verdict.reasons == (
        "The service store ended before it was ready: exit status 1. Its log ends with: first | FATAL: no disk",
    )
    assert "run" not in serving.began


def test_a_service_whose_program_is_missing_is_an_error(tmp_path: Path) -> None:
    found, _ = bench(tmp_path, store=lambda _: FakeEnd(cause=Cause.NOT_STARTED, errno=2))
    (reason,) = graded(found, check("run")).verdict.reasons
    assert "the program 'store' was not found" in reason


@pytest.mark.parametrize(
    ("ready", "said"),
    [
        (Ready(port=1, timeout_seconds=0.1), "port 1 of 127.0.0.1 did not answer"),
        (Ready(port=1, http="/up", timeout_seconds=0.1), "GET /up at port 1 of 127.0.0.1 did not answer"),
        (Ready(command=("never", "up"), timeout_seconds=0.1), "`never up` did not succeed"),
    ],
)
def test_a_service_that_is_not_ready_in_time_is_an_error(tmp_path: Path, ready: Ready, said: str) -> None:
    found, serving = bench(tmp_path, never=lambda _: FakeEnd(exit_code=1))
    result = graded(found, check("run"), services=(replace(STORE, ready=ready),))
    assert result.verdict.status is Status.ERROR
    assert result.verdict.reasons == (
        f"The service store was not ready after 0.1 s ({said}). Its log ends with: going down",
    )
    assert "run" not in serving.began


@pytest.mark.parametrize("ready", [Ready(port=7000, http="/"), Ready(command=("is", "up"))])
def test_a_service_can_show_that_it_is_ready_by_a_reply_or_a_command(tmp_path: Path, ready: Ready) -> None:
    found, _ = bench(tmp_path)
    assert graded(found, check("run"), services=(replace(STORE, ready=ready),)).verdict.status is Status.PASSED


def test_a_reset_runs_before_anything_of_the_submission_and_its_failure_is_an_error(tmp_path: Path) -> None:
    found, serving = bench(tmp_path, clear=lambda _: FakeEnd(exit_code=2, stdout=b"no such table\n"))
    service = replace(STORE, reset=("clear", "all"))
    (reason,) = graded(found, check("run"), services=(service,)).verdict.reasons
    assert reason == "The reset of the service store failed: exit status 2. Its log ends with: no such table"
    assert serving.began == ["store", "clear"]


def test_a_service_that_ends_while_the_submission_runs_counts_against_it(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)

    def attack(_: FakeRun) -> FakeEnd:
        serving.die("store", FakeEnd(exit_code=3, stderr=b"out of slots\n"))
        return FakeEnd()

    serving.acts["run"] = attack
    result = graded(found, check("run"), BESIDE)
    assert result.verdict.status is Status.FAILED
    assert result.verdict.gated_score == 0.0
    assert result.verdict.reasons[0] == (
        "The service store ended while the submission ran: exit status 3. Its log ends with: out of slots"
    )
    assert "look" not in serving.began
    assert [one.status for one in result.verdict.checks] == [Status.PASSED, Status.FAILED]


def test_a_service_that_runs_out_of_memory_counts_against_the_submission(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)

    def fill(_: FakeRun) -> FakeEnd:
        serving.die("store", FakeEnd(exit_code=-9, oom_kills=1))
        return FakeEnd()

    serving.acts["run"] = fill
    result = graded(found, check("run"))
    assert result.verdict.status is Status.FAILED
    assert "out of memory" in result.verdict.reasons[0]


def test_a_service_whose_sandbox_is_lost_says_nothing_about_the_submission(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)

    def lose(_: FakeRun) -> FakeEnd:
        serving.die("store", FakeEnd(lost=True))
        return FakeEnd()

    serving.acts["run"] = lose
    assert graded(found, check("run")).verdict.status is Status.ERROR


def test_a_check_after_the_candidate_runs_beside_the_service_without_the_submission(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    case = found.case(BESIDE, check("run"), services=(STORE,), files={"workspace/a": ""})
    result = found.grade(case, found.submission({"a": "mine", "psqlrc": "mine"}))
    # It comes last, wherever it is written.
    assert serving.began == ["store", "run", "look"]
    assert serving.runs[1].files == {"a": b"mine", "psqlrc": b"mine"}
    assert serving.runs[2].files == {}
    service, _, console = found.engine.created
    assert (console.image, console.limits, console.beside) == (service.image, service.limits, "container-1")
    assert [one.judged for one in result.verdict.checks] == ["apart", "in-process"]


def test_an_earlier_service_is_the_one_beside_which_a_check_runs_by_default(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    graded(found, check("look", after="candidate"))
    assert serving.began == ["store", "look"]


@pytest.mark.parametrize("creation", range(4))
def test_nothing_is_left_wherever_the_engine_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, creation: int
) -> None:
    found, serving = bench(tmp_path)
    create, calls = FakeEngine.create, iter(range(99))

    def failing(engine: FakeEngine, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        if next(calls) >= creation:
            raise EngineRefused("No more containers.")
        return create(engine, spec, image, name)

    monkeypatch.setattr(FakeEngine, "create", failing)
    result = graded(found, check("run"), BESIDE, services=(STORE, CACHE))
    assert result.verdict.status is Status.ERROR
    assert "No more containers." in result.verdict.reasons[0]
    assert serving.open_ports == set()


def test_a_run_that_is_stopped_while_a_service_comes_up_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = bench(tmp_path)
    monkeypatch.setattr(running_service, "_PROBE_SECONDS", 0.0)

    def stop(self: Patient, _seconds: float | None = None) -> bool:
        self.set()
        return True

    monkeypatch.setattr(Patient, "wait", stop)
    slow = replace(STORE, ready=Ready(port=1, timeout_seconds=60))
    assert graded(found, check("run"), services=(slow,)).verdict.reasons == ("The run was interrupted.",)


@pytest.mark.parametrize(
    ("info", "runtime", "said"),
    [
        (EngineInfo("Podman Engine", "5", "1.41", "x86_64"), None, "cannot share a network here (Podman Engine)"),
        (EngineInfo("Docker", "1", "1.41", "x86_64", joins_networks=True), "runsc", "gVisor does not support"),
        (
            EngineInfo("Docker", "1", "1.41", "x86_64", joins_networks=True, default_runtime="runsc"),
            None,
            "gVisor does not support",
        ),
    ],
)
def test_an_engine_whose_sandboxes_share_no_network_is_refused_by_name(
    tmp_path: Path, info: EngineInfo, runtime: str | None, said: str
) -> None:
    settings = replace(Bench(tmp_path).settings, machine=info, runtime=runtime)
    with pytest.raises(EngineRefused) as refused:
        refuse_engine(FakeEngine(), settings)
    assert said in refused.value.message


def test_the_untouched_workspace_finds_the_services_too(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    found.grade(found.case(check("run"), services=(STORE,)), UNTOUCHED)
    assert serving.began == ["store", "run"]


@pytest.mark.parametrize(("defended", "status"), [(True, Status.FAILED), (False, Status.ERROR)])
def test_a_submission_cannot_turn_its_failure_into_an_error_by_ending_a_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: Status, *, defended: bool
) -> None:
    found, serving = bench(tmp_path)

    def attack(_: FakeRun) -> FakeEnd:
        serving.die("store", FakeEnd(exit_code=1))
        return FakeEnd()

    def ask(_: FakeRun) -> FakeEnd:
        return FakeEnd(exit_code=int(7000 not in serving.open_ports))

    serving.acts |= {"run": attack, "ask": ask}
    if not defended:
        monkeypatch.setattr(running_service.RunningService, "why_ended", lambda _: ("", False))
    asking = check("look", after="candidate", service="store", setup=(command("ask"),))
    assert graded(found, check("run"), asking).verdict.status is status


def test_a_service_is_asked_as_servers_of_today_want_it(tmp_path: Path) -> None:
    found, serving = bench(tmp_path)
    graded(found, check("run"), services=(replace(STORE, ready=Ready(port=7000, http="/up")),))
    assert serving.asked == ["GET /up HTTP/1.1\r\nHost: store:7000\r\nConnection: close\r\n\r\n"]
