"""Plans as data."""

from __future__ import annotations

from evidence_bench import case, tree

from gradebox.graders.model.plan import Files, Plan, Role, Stage, Step


def stage(name: str) -> Stage:
    return Stage(name, 1, (), (Step(Role.CHECK, name, (name,), "/workspace", 5.0),))


def test_stages_are_in_the_order_in_which_they_run() -> None:
    plan = Plan(case(), setup=stage("setup"), stages=(stage("a"), stage("b")), teardown=stage("teardown"))
    assert [one.name for one in plan.every_stage] == ["setup", "a", "b", "teardown"]
    assert Plan(case()).every_stage == ()


def test_the_workspace_of_a_plan_is_the_cases() -> None:
    workspace = tree({"a": "1"})
    assert Plan(case(), files=Files(workspace)).workspace == workspace


def test_people_see_the_command_as_its_author_wrote_it() -> None:
    step = Step(Role.CHECK, "it", ("python3", "/adapter.py"), "/workspace", 5.0, shown=("pytest",))
    assert step.command == ("pytest",)
    assert Step(Role.CHECK, "it", ("pytest",), "/workspace", 5.0).command == ("pytest",)
