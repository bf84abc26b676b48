"""The recipes for many machines in docs/how-to/run-elsewhere.md: their own lines, with the variables of schedulers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from world import World, lines

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "run-elsewhere.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"```(?:sh|yaml)\n# (\S+)\n(.*?)```", PAGE, re.DOTALL))
GITHUB = yaml.safe_load(BLOCKS[".github/workflows/shards.yml"])
GITLAB = yaml.safe_load(BLOCKS[".gitlab-ci.yml"])
KUBERNETES = yaml.safe_load(BLOCKS["job.yaml"])["spec"]
SHARDS = len(GITHUB["jobs"]["shard"]["strategy"]["matrix"]["part"])

Jobs = Iterator[tuple[dict[str, str], str]]


def slurm() -> Jobs:
    found = re.search(r"--array=(\d+)-(\d+)", BLOCKS["grade.sbatch"])
    assert found
    first, last = map(int, found.groups())
    for number in range(first, last + 1):
        values = {"ID": number, "MIN": first, "MAX": last, "COUNT": last - first + 1}
        yield {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in values.items()}, BLOCKS["grade.sbatch"]


def github() -> Jobs:
    job = GITHUB["jobs"]["shard"]
    for number in range(SHARDS):
        known = {"strategy.job-index": str(number), "strategy.job-total": str(SHARDS)}
        environ = {name: known[text.strip("${ }")] for name, text in job["env"].items()}
        yield environ, "\n".join(step.get("run", "") for step in job["steps"])


def gitlab() -> Jobs:
    for number in range(1, GITLAB["shard"]["parallel"] + 1):
        environ = {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": str(GITLAB["shard"]["parallel"])}
        yield environ, "\n".join(GITLAB["shard"]["script"])


def kubernetes() -> Jobs:
    (container,) = KUBERNETES["template"]["spec"]["containers"]
    for number in range(KUBERNETES["completions"]):
        environ = {one["name"]: one["value"] for one in container["env"]} | {"JOB_COMPLETION_INDEX": str(number)}
        yield environ, shlex.join(container["command"])


MERGES = {
    slurm: BLOCKS["merge.sbatch"],
    github: GITHUB["jobs"]["merge"]["steps"][-1]["run"],
    gitlab: GITLAB["merge"]["script"][0],
    kubernetes: BLOCKS["merge.sbatch"],
}


def call(text: str) -> int:
    """Run the line of a script that grades or merges, as a shell would."""
    (line,) = (line for line in text.splitlines() if line.startswith(("grade --case", "grade merge")))
    words = (sorted(map(str, Path().glob(word))) if "*" in word else [word] for word in shlex.split(line)[1:])
    return run([word for found in words for word in found])


@pytest.mark.parametrize("jobs", list(MERGES), ids=lambda jobs: jobs.__name__)
def test_the_jobs_of_a_recipe_are_a_whole_run(world: World, monkeypatch: pytest.MonkeyPatch, jobs: object) -> None:
    assert callable(jobs)
    for case in "abc":
        world.write(
            f"cases/{case}/case.yaml", f"id: {case}\nimage: image\nassertions: [{{type: equals, value: right}}]\n"
        )
    answers = (f'{{"case": "{case}", "name": "{name}", "answer": "right"}}\n' for case in "abc" for name in "xyz")
    world.write("answers.jsonl", "".join(answers))
    for environ, script in jobs():
        with monkeypatch.context() as patched:
            for name, value in environ.items():
                patched.setenv(name, value)
            assert call(script) == ExitCode.PASSED
    assert call(MERGES[jobs]) == ExitCode.PASSED  # type: ignore[index]
    assert len(lines(Path("runs/whole"))) == 9
