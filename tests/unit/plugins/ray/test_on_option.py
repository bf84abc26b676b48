"""`--on` and what it excludes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.errors import UsageRefused
from gradebox.graders.runs.request import Request
from gradebox.plugins.ray import ray_cluster
from gradebox.plugins.ray.on_option import executor

ON = Request(cases=(Path("case"),), added={"on": "auto"})


@pytest.mark.parametrize(
    "more", [{"reuse": True}, {"targets": Path("t")}, {"judge": Path("j")}, {"judge_budget": "1usd"}], ids=str
)
def test_what_a_cluster_cannot_do_is_refused(more: dict[str, Any]) -> None:
    ON.refuse_contradictions()
    with pytest.raises(UsageRefused, match="and --on cannot be combined"):
        replace(ON, **more).refuse_contradictions()
    replace(ON, added={"on_without_token": True}, **more).refuse_contradictions()


def test_an_address_makes_a_cluster_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "case_files", lambda *_: b"")
    asked: list[Any] = []
    monkeypatch.setattr(ray_cluster, "RayCluster", lambda *words, **more: asked.append((words[0], more)))
    assert executor(ON, (), emit=print, known=lambda *_: None) is not None
    unsafe = replace(ON, added={"on": "ray://h:1", "on_without_token": True})
    assert executor(unsafe, (), emit=print, known=lambda *_: None) is not None
    assert asked == [("auto", {"without_token": False}), ("ray://h:1", {"without_token": True})]


def test_without_an_address_this_machine_grades() -> None:
    request = replace(ON, added={"on_without_token": True})
    assert executor(request, (), emit=print, known=lambda *_: None) is None
