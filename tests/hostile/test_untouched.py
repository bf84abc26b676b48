"""The untouched workspace of a case accuses nobody: of cases that we ship, that `grade init` writes, and of bases."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import BASES, HERE, RUNTIME

from graders import Grader, Task, load_case
from graders.authoring.templates import template_files
from graders.cli.commands.init import TemplateLanguage
from graders.model.submission import UNTOUCHED

_BASES = ("bun-tests", "items-bash", "json", "node-test", "pytest-all", "pytest-hidden", "unittest")


@pytest.mark.timeout(300)
def test_an_untouched_workspace_is_not_accused(tmp_path: Path, runtime: str) -> None:
    for language in TemplateLanguage:
        for name, text in template_files(language).items():
            (tmp_path / language / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / language / name).write_text(text, "utf-8")
    written = [path.parent for root in (HERE.parents[1] / "cases", tmp_path) for path in root.glob("*/case.yaml")]
    cases = [*written, *(BASES / name for name in _BASES)]
    assert (len(written) >= 5, RUNTIME in (None, runtime)) == (True, True)
    tasks = [Task(load_case(case), UNTOUCHED) for case in cases]
    with Grader(runtime=RUNTIME) as grader:
        results = grader.grade_many(tasks, jobs=2)
    assert [(one.verdict.case, one.verdict.tampering) for one in results if one.verdict.tampering] == []
