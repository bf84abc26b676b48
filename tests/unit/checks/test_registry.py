"""Types of check are found in the package and in other distributions, and one file is all that a type needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from evidence_bench import case
from jsonschema import Draft7Validator

from gradebox.graders.cases import load
from gradebox.graders.cases.field_tables import markdown
from gradebox.graders.cases.schema import file_schema
from gradebox.graders.checks import evaluation, registry
from gradebox.graders.checks.registry import check_type, check_types, is_foreign, known_types, script_of_type, spellings
from gradebox.graders.documents import plugins
from gradebox.graders.documents.positions import Document, Node
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import Tree

WORD_COUNT = '''
"""`word-count`: the answer has enough words."""

from typing import Annotated

from pydantic import Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import not_judged, scored
from gradebox.graders.documents.entries import also
from gradebox.graders.documents.fields import Count


class WordCount(Check):
    """The answer has at least `minimum` words."""

    type = "word-count"
    spellings = ("words",)
    negatable = True

    minimum: Annotated[Count, Field(ge=1)] = Field(validation_alias=also("least"), description="So many words.")

    def judge(self, case, evidence):
        if evidence.answer is None:
            return not_judged(self, case, "the submission has no answer")
        return scored(self, case, float(len(evidence.answer.split()) >= self.minimum))
'''


def forget() -> None:
    plugins._found.cache_clear()
    plugins._entry_points.cache_clear()
    registry.check_types.cache_clear()
    registry._by_spelling.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a directory of distributions that are installed for one test."""
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield tmp_path
    forget()
    sys.modules.pop("gradebox_words", None)


def install(site: Path, source: str, entry: str = "words = gradebox_words") -> None:
    (site / "gradebox_words.py").write_text(source)
    info = site / "gradebox_words-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gradebox-words\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gradebox.checks]\n{entry}\n")


@pytest.mark.parametrize("entry", ["words = gradebox_words", "words = gradebox_words:WordCount"])
def test_a_type_of_another_distribution_is_loaded_planned_judged_and_documented(
    site: Path, tmp_path: Path, entry: str
) -> None:
    install(site, WORD_COUNT, entry)
    (tmp_path / "case.yaml").write_text(
        "assertions:\n  - {type: word_count, minimum: 3}\n  - {type: not-words, least: 3, weight: 2}\n"
        "  - {type: composite, assertions: [{type: words, least: 9}]}\n"
    )
    loaded = load(tmp_path / "case.yaml", environ={})
    assert loaded.diagnostics == ()
    three, fewer, composite = loaded.cases[0].checks
    assert [check.name for check in (three, fewer)] == ["word-count", "not-word-count"]
    evidence = Evidence(output="one two three")
    assert evaluation.stages(three, case(), Planner(case(), Files(Tree(), Tree()))) == ()
    assert [evaluation.judge(check, case(), evidence).score for check in (three, fewer, composite)] == [1.0, 0.0, 0.0]
    schema = Draft7Validator(file_schema("case"))
    assert schema.is_valid({"assertions": [{"type": "not_words", "least": 3}]})
    assert not schema.is_valid({"assertions": [{"type": "word-count", "minimum": 0}]})
    assert "| `word-count` | `words`, `not-word-count` | [word-count](#word-count) |" in markdown()
    assert "| `minimum` | `least` | whole number at least 1 | required | So many words. |" in markdown()


def test_mistakes_in_a_type_of_another_distribution_are_reported_with_suggestions(site: Path, tmp_path: Path) -> None:
    install(site, WORD_COUNT)
    written = ["{type: word-cuont, minimum: 3}", "{type: words, minimun: 3}", "{type: words, minimum: 0}"]
    (tmp_path / "case.yaml").write_text("".join(["assertions:\n", *(f"  - {one}\n" for one in written)]))
    found = [(one.line, one.message, one.hint) for one in load(tmp_path / "case.yaml", environ={}).diagnostics]
    assert found == [
        (2, "unknown type of check `word-cuont`", "Did you mean `word-count`?"),
        (3, "unknown key `minimun`", "Did you mean `minimum`?"),
        (4, "`minimum` must be at least 1, not the number 0", ""),
    ]


def test_a_name_of_a_type_that_is_taken_is_an_error_that_names_the_distribution(site: Path) -> None:
    install(site, WORD_COUNT.replace('("words",)', '("script",)'))
    with pytest.raises(GraderError, match=r"'script' of the distribution gradebox-words is taken by .*CodeGrader"):
        check_types()


def test_a_module_that_cannot_be_imported_is_an_error_that_names_the_distribution(site: Path) -> None:
    install(site, "raise RuntimeError('broken')")
    with pytest.raises(GraderError, match="distribution gradebox-words cannot be loaded: RuntimeError: broken"):
        check_types()


def test_every_name_leads_to_its_type_and_what_no_case_can_write_is_left_out() -> None:
    for first, kind in check_types().items():
        assert kind.type == first
        assert {check_type(name) for name in (first, first.replace("-", "_"), *kind.spellings)} == {kind}
        assert set(spellings(kind)) <= set(known_types())
    assert list(check_types()) == sorted(check_types())
    assert check_type("parsed") is None
    assert check_type("not-contains") is None


@pytest.mark.parametrize(
    ("file", "found"),
    [
        (".agentv/assertions/word-limit.ts", True),
        ("evals/.agentv/assertions/word-limit.js", True),
        (".agentv/graders/word-limit.py", True),
        (".agentv/judges/word-limit.mjs", True),
        (".agentv/assertions/word-limit.sh", False),
        (".agentv/assertions/other.ts", False),
        ("../.agentv/assertions/word-limit.ts", False),
    ],
)
def test_a_repository_adds_a_type_by_a_script(tmp_path: Path, file: str, *, found: bool) -> None:
    repository = tmp_path / "repository"
    for name in (".git/HEAD", "evals/EVAL.yaml", file):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("")
    script = script_of_type("word-limit", repository / "evals")
    assert script == ((repository / file) if found else None)


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".x", "a b", "x" * 5000])
def test_a_name_that_is_none_of_a_file_has_no_script(tmp_path: Path, name: str) -> None:
    assert script_of_type(name, tmp_path) is None


@pytest.mark.parametrize(
    ("files", "file", "foreign"),
    [
        ({}, "a/case.yaml", False),
        ({"evals/": ""}, "a/case.yaml", False),
        ({}, "evals/case.yaml", True),
        ({".git/": ""}, "evals/deep/case.yaml", True),
        ({".git/": "", ".agentv/": ""}, "a/b/case.yaml", True),
        ({"a/.git/": "", ".agentv/": ""}, "a/b/case.yaml", False),
    ],
)
def test_a_file_is_agentvs_by_where_it_lies(
    tree: Callable[[Mapping[str, str]], Path], files: Mapping[str, str], file: str, *, foreign: bool
) -> None:
    root = tree({**files, file: ""})
    assert is_foreign(Document(root / file, Node({}, 1, 1))) == foreign
