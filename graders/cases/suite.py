"""Loads a suite: cases that share a workspace, checks, hooks and settings. ``EVAL.yaml``, ``*.eval.yaml`` -> `Loaded`.

Relative paths of a suite start at the directory of its file. `case_file` merges its shared fields into each case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gradebox.graders.cases.case_checks import read_checks_alone
from gradebox.graders.cases.case_fields import SuiteEntry
from gradebox.graders.cases.case_limits import Limiting
from gradebox.graders.cases.collection import CaseCollector, Loaded, SuiteInfo, in_order
from gradebox.graders.cases.containers.image_documents import read_image
from gradebox.graders.cases.discovery import Source, is_pattern, resolved, sources
from gradebox.graders.cases.message_documents import messages
from gradebox.graders.cases.shared import (
    Shared,
    check_entry,
    read_hooks,
    read_judge,
    read_preprocessors,
    read_targets,
    read_workspace,
    workspace_in_file,
)
from gradebox.graders.checks.base import Surroundings
from gradebox.graders.checks.reading import read_checks
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, TooManyErrors, shown
from gradebox.graders.documents.entries import spellings
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.positions import Document, Node
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.model.case import Place
from gradebox.graders.model.crossing import Isolation

SUITE_FILES = ("EVAL.yaml", "EVAL.yml", "eval.yaml", "eval.yml")
SUITE_ENDINGS = (".eval.yaml", ".eval.yml")

_SUITE: TypeAdapter[SuiteEntry] = TypeAdapter(SuiteEntry)
_TESTS = ("tests", *spellings(SuiteEntry)["tests"])


def is_suite_name(name: str) -> bool:
    return name in SUITE_FILES or name.lower().endswith(SUITE_ENDINGS)


def is_suite(document: Document) -> bool:
    """Return whether a document is a suite, by its keys."""
    return isinstance(document.root.value, dict) and any(name in document.root.value for name in _TESTS)


def load_suite(
    document: Document, findings: Findings, environ: Mapping[str, str], only: Sequence[Source] | None = None
) -> Loaded:
    """Load all cases of a suite, or `only` the requested ones; `environ` has the variables for ``${{ NAME }}``."""
    reader = Reader(document, environ, findings)
    value = document.data
    if isinstance(value, dict):
        value = workspace_in_file(reader, value, (document.file.parent,))
    gathering = CaseCollector(environ, findings=findings, partial=bool(only and not only[0].document))
    entry = None
    with suppress(TooManyErrors):
        entry = reader.read(_SUITE, value)
        tests = entry.tests if entry else _written_tests(value)
        if entry is not None:
            gathering.shared = _shared(reader, entry)
        else:
            # Checks and cases are still read, so that all mistakes are reported at once.
            read_checks_alone(reader, value, ())
            from gradebox.graders.checks.llm_grader import LlmGrader  # noqa: PLC0415 - few suites cannot be read

            gathering.shared = Shared(roots=(document.file.parent,), checks=(LlmGrader(name="unread"),))
        named = sources(reader, tests, ("tests",)) if entry or tests else ()
        selected: dict[DocumentPath, bool] = {}
        for source in named if only is None else only:
            before = gathering.count
            if source.is_suite and source.file is not None:
                _include_suite(gathering, source, reader)
            elif source.document is not None:
                gathering.made(source)
            elif source.directory is not None:
                gathering.case_directory(source.directory)
            elif source.file is not None:
                gathering.cases_file(source.file)
            else:
                gathering.entry(document, document.part(source.path).data, source.path)
            if source.select:
                selected[source.path] = gathering.keep(source.select, before) or selected.get(source.path, False)
        for path in (path for path, any_case in selected.items() if not any_case):
            reader.error((*path, "select"), "no case has one of these ids", "Check the ids.")
    return gathering.loaded(_info(document, entry) if entry else None)


def _include_suite(gathering: CaseCollector, source: Source, parent: Reader) -> None:
    """Add the cases of another suite, with the shared fields of that suite."""
    assert source.file is not None
    document = open_document(source.file, parent.findings)
    if document is None:
        return
    tests = _written_tests(document.data)
    listed = tests if isinstance(tests, list) else []
    included = [test["include"] for test in listed if isinstance(test, dict) and "include" in test]
    inner = Reader(document, parent.environ, Findings())
    if any(isinstance(one, str) and resolved(inner, one) == parent.document.file for one in included):
        message = f"`{shown(source.file.name)}` includes this file in turn: the two include each other in a circle"
        parent.error((*source.path, "include"), message, "Remove one of the two.")
    elif included:
        hint = "Include its files themselves."
        parent.findings.error(document.place(), "a suite that is included includes no other", hint=hint)
    elif not is_suite(document):
        parent.findings.error(document.place(), "is not a suite", hint="Write `type: tests` where it is included.")
    else:
        gathering.included(load_suite(document, Findings(limited=True), parent.environ))


def _written_tests(value: Any) -> Any:
    return next((value[name] for name in _TESTS if value.get(name)), None) if isinstance(value, dict) else None


def is_sidecar(document: Document) -> bool:
    """Return whether a document may be a suite without cases, whose cases are in JSON lines of the same name."""
    value = document.root.value
    return isinstance(value, dict) and value.keys() <= set(SuiteEntry.known_keys()) and "id" not in value


def load_with_sidecar(sidecar: Path, cases: Path, findings: Findings, environ: Mapping[str, str]) -> Loaded | None:
    """Load JSON lines with the YAML file of the same name, which has their shared fields.

    Returns None if the `tests` of the YAML file are other cases.
    """
    document = open_document(sidecar, findings)
    if document is None:
        return Loaded(diagnostics=in_order(findings))
    value = document.root.value
    if isinstance(value, dict) and not is_suite(document):
        value["tests"] = Node(cases.name, 1, 1)
    named = document.data.get("tests") if isinstance(value, dict) else None
    if not isinstance(named, str) or resolved(Reader(document, environ, Findings()), named) != cases:
        message = f"is not read, though it has the name of {cases.name}: its `tests` are others"
        findings.warning(Place(sidecar), message, hint="Rename it, or load it instead.")
        return None
    return load_suite(document, findings, environ)


def names_case(file: Path, case: Path, environ: Mapping[str, str]) -> bool | None:
    """Return whether a suite's `tests` name the case with this case file; None if the suite cannot be read."""
    findings = Findings()
    document = open_document(file, findings)
    if document is None:
        return None
    if not is_suite(document):
        return False
    value = document.data
    tests: Any = next(value[name] for name in _TESTS if name in value)
    reader = Reader(document, environ, findings)
    for written in [tests] if isinstance(tests, str) else tests if isinstance(tests, list) else []:
        target = resolved(reader, written) if isinstance(written, str) else None
        if target is None:
            continue
        if target in (case, case.parent, case.parent.parent):
            return True
        if is_pattern(target) and any(found.directory == case for found in sources(reader, [written], ())):
            return True
    return False


def _shared(reader: Reader, entry: SuiteEntry) -> Shared:
    directory = reader.document.file.parent
    execution = entry.execution
    workspace, template = read_workspace(reader, entry.workspace, ("workspace",), (directory,))
    check_entry(reader, entry, (), (directory,))
    if execution is not None and execution.skip_defaults:
        message = "`skip_defaults` has no effect in a suite"
        reader.warning(("execution", "skip_defaults"), message, "Write it in a case.")
    return Shared(
        suite=entry.name or _file_name(reader.document.file),
        roots=(directory,),
        workspace=template,
        image=read_image(reader, entry.image, ("image",), directory),
        language=entry.language,
        isolation=Isolation(entry.isolation) if entry.isolation else None,
        contract=entry.contract or "recorded",
        env={**workspace.env, **entry.env},
        limiting=Limiting().narrowed(entry.limits, execution),
        input=messages(entry.input, partial(named_file, bases=(directory,))),
        hooks=read_hooks(entry.hooks, "suite", directory) + read_hooks(workspace.hooks, "workspace", directory),
        targets=read_targets(reader, execution, ("execution",), directory) if execution else (),
        checks=read_checks(reader, entry.assertions, ("assertions",), Surroundings(entry.language)),
        replaceable=reader.document.written(("assertions",))[-2:-1] == ("execution",),
        category=entry.category,
        input_files=tuple(entry.input_files),
        preprocessors=read_preprocessors(entry.preprocessors),
        tags=tuple(entry.tags),
        about=entry.about(),
        judge=read_judge(reader, entry.judge, ("judge",)),
    )


def _file_name(file: Path) -> str:
    """Return the default name of a suite: from its file, or from its directory if the file is ``EVAL.yaml``."""
    ending = next((ending for ending in (*SUITE_ENDINGS, file.suffix) if file.name.endswith(ending)), "")
    return file.resolve().parent.name if file.name in SUITE_FILES else file.name.removesuffix(ending)


def _info(document: Document, entry: SuiteEntry) -> SuiteInfo:
    return SuiteInfo(
        place=document.place(),
        name=entry.name,
        description=entry.description,
        version=entry.version,
        workers=entry.execution.workers if entry.execution else None,
        tags=tuple(entry.tags),
        metadata=entry.metadata,
    )
