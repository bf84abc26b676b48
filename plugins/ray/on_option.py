"""``--on ADDRESS``: grade on the nodes of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradebox.graders.errors import UsageRefused
from gradebox.graders.runs.added_options import AddedOption

if TYPE_CHECKING:
    from gradebox.graders.grading.fingerprint import Key
    from gradebox.graders.model.case import Case
    from gradebox.graders.model.events import Event
    from gradebox.graders.model.result import Result
    from gradebox.graders.runs.request import Request
    from gradebox.graders.runs.run_grader import Executor

OPTIONS = (
    AddedOption(
        "--on ADDRESS",
        "Grade on the nodes of a Ray cluster: ray://HOST:PORT, HOST:PORT or auto. Needs gradebox[ray]. --engine then "
        "names the engine of each node.",
        section="Run",
    ),
    AddedOption(
        "--on-without-token",
        "Use a Ray cluster without a token: anybody in its network can run programs.",
        section="Run",
    ),
)


def refuse(request: Request) -> None:
    """Raise UsageRefused for options that work only on this machine."""
    here = {
        "--reuse": request.reuse,
        "--targets": request.targets,
        "--judge": request.judge,
        "--judge-budget": request.judge_budget,
    }
    for name in (name for name, value in here.items() if value and "on" in request.added):
        raise UsageRefused(f"{name} and --on cannot be combined.")


def executor(
    request: Request,
    cases: Sequence[Case],
    *,
    emit: Callable[[Event], None],
    known: Callable[[Key, str | None], Result | None],
) -> Executor | None:
    """Connect to a cluster, and return the grader of a run on it; None without an address.

    Raises:
        UsageRefused: If the extra `ray` is missing, tokens are off or unsupported, or the cases are too large.
        ClusterUnavailable: If no cluster answers, or none of its nodes can grade.
    """
    if "on" not in request.added:
        return None
    from gradebox.plugins.ray.ray_cluster import grader_on  # noqa: PLC0415 - help needs the options alone

    return grader_on(request, cases, emit=emit, known=known)
