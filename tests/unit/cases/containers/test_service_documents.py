"""The services of a case: what arrives, and what is refused with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.model.case import Case
from gradebox.graders.model.own_image import OwnImage
from gradebox.graders.model.service import Ready, Service
from gradebox.sandbox.limits import GIB, MIB

Tree = Callable[[Mapping[str, str | bytes]], Path]
CHECK = "assertions: [{type: code-grader, command: [make, test]}]\n"
DB = "services: {db: {image: i, command: [db], ready: {port: 5432}%s}}\n"


@pytest.fixture
def refused(tree: Tree) -> Callable[[str], list[str]]:
    """Return the mistakes of a case file, each with line and column."""

    def found(text: str) -> list[str]:
        loaded = load(tree({"a/case.yaml": text}) / "a", environ={})
        return [f"{one.line}:{one.column} {one.message}; {one.hint}".rstrip("; ") for one in loaded.errors]

    return found


def test_everything_that_a_service_can_say_arrives(tree: Tree) -> None:
    text = """\
services:
  db:
    image: {base: base, apt: [postgresql]}
    command: sh grading/start.sh
    env: {POSTGRES_PASSWORD: secret}
    ready: {command: [pg_isready, -h, db], timeout_seconds: 90}
    reset: psql -h db -f grading/schema.sql
    per: run
    limits: {memory: 2GB, cpus: 2, pids: 64, disk: 512MB}
  web:
    image: docker.io/library/httpd:2.4
    command: [httpd]
    ready: {port: 80, http: /health}
    reset: [true]
    per: run
"""
    (case,) = load(tree({"a/case.yaml": text.replace("[true]", '["true"]') + CHECK}) / "a", environ={}).cases
    db, web = case.services
    assert isinstance(db.image, OwnImage)
    assert db.image.apt == ("postgresql",)
    assert (db.name, db.command, db.env) == ("db", ("sh", "-c", "sh grading/start.sh"), {"POSTGRES_PASSWORD": "secret"})
    assert db.ready == Ready(command=("pg_isready", "-h", "db"), timeout_seconds=90)
    assert db.reset == ("sh", "-c", "psql -h db -f grading/schema.sql")
    assert db.lasts
    limits = (db.limits.memory_bytes, db.limits.cpus, db.limits.pids, db.limits.disk_bytes, db.limits.file_bytes)
    assert limits == (2 * GIB, 2.0, 64, 512 * MIB, 512 * MIB)
    assert db.limits.stated == {"memory_bytes", "cpus", "pids", "disk_bytes"}
    ready = Ready(port=80, http="/health")
    assert web == Service("web", "docker.io/library/httpd:2.4", ("httpd",), ready, reset=("true",), lasts=True)
    assert case.memory_bytes == 4 * GIB


def test_a_service_lasts_for_a_submission_and_has_the_limits_of_a_sandbox(case_of: Callable[..., Case]) -> None:
    (service,) = case_of(DB % "" + CHECK).services
    assert not service.lasts
    assert service.reset == ()
    assert (service.limits.memory_bytes, service.limits.disk_bytes) == (GIB, 256 * MIB)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DB % ", portt: 1" + CHECK, "1:63 unknown key `portt`"),
        (DB % ", resett: x" + CHECK, "1:63 unknown key `resett`; Did you mean `reset`?"),
        (DB % ", limits: {memry: 1GB}" + CHECK, "unknown key `memry`; Did you mean `memory`?"),
        (DB % ", limits: {network: bridge}" + CHECK, "unknown key `network`"),
        (DB.replace("port: 5432", "") % "" + CHECK, "`ready` has neither `command` nor `port`"),
        (DB.replace("port: 5432", "http: /") % "" + CHECK, "`http` needs a `port`"),
        (DB.replace("5432", "5432, command: [x]") % "" + CHECK, "`ready` has both `command` and `port`"),
        (DB.replace("5432", "99999") % "" + CHECK, "99999"),
        (DB.replace("5432", "80, http: health") % "" + CHECK, "must be a path such as `/health`, not `health`"),
        (DB.replace("5432", '80, http: "/a\\r\\nX: y"') % "" + CHECK, "must be a path such as `/health`"),
        (DB.replace("db:", "localhost:") % "" + CHECK, "must not name a service `localhost`"),
        (DB.replace("db:", "sandbox:") % "" + CHECK, "must not name a service `sandbox`"),
        (DB.replace("db:", "My_DB:") % "" + CHECK, "must not name a service `My_DB`"),
        (DB.replace("db:", '"db 10.0.0.1":') % "" + CHECK, "must not name a service"),
        (DB % ", per: run" + CHECK, "a service that serves several submissions has no `reset`"),
        (DB % ", per: ever" + CHECK, "`submission`"),
        (DB % ", image: {}".replace("image", "env") + "limits: {network: setup}\n" + CHECK, "has no network"),
        ("services: [db]\n" + CHECK, "must be a mapping"),
        (DB.replace("image: i, ", "") % "" + CHECK, "`image` is missing"),
        (DB.replace("image: i", "image: {apt: [jq]}") % "" + CHECK, "neither `dockerfile` nor `base`"),
    ],
)
def test_what_is_wrong_with_a_service_is_reported(refused: Callable[[str], list[str]], text: str, said: str) -> None:
    assert any(said in one for one in refused(text)), refused(text)


def test_services_of_one_case_last_equally_long(refused: Callable[[str], list[str]]) -> None:
    other = ", web: {image: i, command: [web], ready: {port: 80}, reset: [web], per: run}}\n"
    (found,) = refused((DB % "").replace("}}\n", "}" + other) + CHECK)
    assert "some services last for the run, and some for a submission" in found


@pytest.mark.parametrize(
    ("services", "check", "said"),
    [
        (DB % "", "service: db", "`service` goes with `after: candidate`"),
        (DB % "", "after: candidate, service: bd", "the case has no service `bd`; Did you mean `db`?"),
        (DB % "", "after: candidat", "`candidate`"),
        ("", "after: candidate", "`after: candidate` needs a service"),
        (
            DB % "}, web: {image: i, command: [web], ready: {port: 80}",
            "after: candidate",
            "does not say beside which service; Add `service`; there are `db`, `web`.",
        ),
    ],
)
def test_a_check_after_the_candidate_names_a_service_of_the_case(
    refused: Callable[[str], list[str]], services: str, check: str, said: str
) -> None:
    text = f"{services}assertions: [{{type: code-grader, command: [make], {check}}}]\n"
    assert any(said in one for one in refused(text)), refused(text)


def test_a_check_after_the_candidate_is_taken_for_no_test_runner(case_of: Callable[..., Case]) -> None:
    (check,) = case_of(DB % "" + "assertions: [{type: code-grader, command: [pytest], after: candidate}]\n").checks
    assert getattr(check, "adapter", None) == "none"
