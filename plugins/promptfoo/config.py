"""Converts a file of promptfoo or AgentV 5: its tests, each with each prompt, become cases of a suite.

The file is rewritten into our own format, part by part, and each part keeps its position; the readers of cases do the
rest. A test inherits from the configuration of its scenario, then from `default_test`, then the file's own checks. In
promptfoo's format, every check of the answer is required if a test has no threshold, since there all checks must pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product

from gradebox.graders.cases.collection import Loaded, in_order
from gradebox.graders.cases.discovery import Source
from gradebox.graders.cases.suite import is_suite_name, load_suite
from gradebox.graders.documents.diagnostics import Findings, TooManyErrors, shown
from gradebox.graders.documents.paths import exists, named_file
from gradebox.graders.documents.positions import Document, Node, data
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.plugins.promptfoo.case_making import CaseMaking, Config, run_fields
from gradebox.plugins.promptfoo.environments import as_targets, read_environment, read_extensions, target_names
from gradebox.plugins.promptfoo.keys import snake_case
from gradebox.plugins.promptfoo.nodes import fields_of, in_our_words, mapping, moved, text_of, written
from gradebox.plugins.promptfoo.prompt_matrix import read_prompts
from gradebox.plugins.promptfoo.rows import Row, rows_of

# Keys that are converted here; all others are fields of a suite, or mistakes.
_WORDS_OF_MADE = """
prompts providers targets target tests scenarios default_test evaluate_options environment extensions env assert
assertions timeout_seconds tags experiment imports assertion_templates
"""
_WORDS_OF_NO_EFFECT = """
derived_metrics output_path nunjucks_filters redteam sharing tracing command_line_options write_latest_results graders
gate
"""
_WORDS_OF_OPTIONS = """
repeat max_concurrency timeout_ms budget_usd cache delay generate_suggestions show_progress_bar filter_range
max_eval_time_ms
"""
_WORDS_OF_DEFAULTS = """
vars provider providers prompts provider_output expected_output assert assertions assert_scoring_function options
threshold metadata description
"""
_WORDS_OF_AGENTV = """
default_test evaluate_options environment assert assertions name suite category governance target workspace execution
"""
_AGENTVS = frozenset(_WORDS_OF_AGENTV.split())
_MADE, _NO_EFFECT = frozenset(_WORDS_OF_MADE.split()), frozenset(_WORDS_OF_NO_EFFECT.split())
_OPTIONS, _DEFAULT_KEYS = frozenset(_WORDS_OF_OPTIONS.split()), frozenset(_WORDS_OF_DEFAULTS.split())


def load_config(document: Document, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    document = Document(document.file, in_our_words(document.root), document.prefix)
    own = fields_of(Reader(document, environ, Findings()), document.root, ())
    variables = fields_of(Reader(document, environ, Findings()), own.get("env"), ("env",))
    stated = {name: text for name, node in variables.items() if (text := text_of(node)) and "${{" not in text}
    reader = Reader(document, {**environ, **stated}, findings)
    plain = _is_promptfoos(document)
    with suppress(TooManyErrors):
        fields = fields_of(reader, document.root, ())
        document = Document(document.file, document.root._replace(value=fields))
        reader = Reader(document, reader.environ, findings)
        config = Config(
            reader,
            fields,
            _default_test(reader, fields.get("default_test")),
            read_prompts(reader, fields.get("prompts"), ("prompts",)),
            read_environment(reader, fields.get("environment"), ("environment",)),
            plain,
        )
        suite = Document(document.file, _suite(config, document.root))
        cases = [source for row in rows_of(reader, fields, plain=plain) for source in _cases(config, row)]
        return load_suite(suite, findings, reader.environ, cases)
    return Loaded(diagnostics=in_order(findings))


def _is_promptfoos(document: Document) -> bool:
    """Return whether a file is in promptfoo's format: by its name or keys, else if no directory above is AgentV's."""
    keys = set(document.root.value) if isinstance(document.root.value, dict) else set()
    if "promptfoo" in document.file.name or any(snake_case(key) != key for key in keys):
        return True
    if is_suite_name(document.file.name) or not _AGENTVS.isdisjoint(keys):
        return False
    return not any(exists(parent / ".agentv") for parent in document.file.parents)


def _default_test(reader: Reader, node: Node | None) -> dict[str, Node]:
    text = text_of(node)
    if node is not None and text is not None:
        file = named_file(re.sub(r"^(?:file|ref)://", "", text), (reader.document.file.parent,))
        document = open_document(file, reader.findings) if file else None
        if file is None:
            message = f"the file `{shown(text)}` does not exist"
            reader.error(("default_test",), message, f"It is looked up from {reader.document.file.parent}.")
        node = moved(in_our_words(document.root), node) if document else None
    return fields_of(reader, node, ("default_test",), _DEFAULT_KEYS, "a default test")


def _suite(config: Config, root: Node) -> Node:
    """Return the suite of the cases, without its cases and checks."""
    reader, fields = config.reader, config.fields
    kept = {key: child for key, child in fields.items() if key not in _MADE and key not in _NO_EFFECT}
    unused = sorted(_NO_EFFECT & fields.keys())
    if unused:
        message = f"{', '.join(f'`{key}`' for key in unused)} {'has' if len(unused) == 1 else 'have'} no effect here"
        reader.warning((unused[0],), message, "gradebox grades answers, and makes none.")
    execution = fields_of(reader, kept.get("execution"), ("execution",)) | _options(config)
    if "timeout_seconds" in fields:
        execution["timeout_seconds"] = fields["timeout_seconds"]
    names = [
        name for key in ("providers", "targets", "target") for name in target_names(reader, fields.get(key), (key,))
    ]
    execution |= as_targets(names)
    if execution:
        kept["execution"] = mapping(execution, root)
    metadata = fields_of(reader, kept.get("metadata"), ("metadata",))
    tags = fields.get("tags")
    if tags is not None and isinstance(tags.value, dict):
        metadata["tags"] = tags
        kept["tags"] = written([f"{key}:{_plain(child)}" for key, child in tags.value.items()], tags)
    elif tags is not None:
        kept["tags"] = tags
    if "experiment" in fields:
        metadata["experiment"] = fields["experiment"]
    if metadata:
        kept["metadata"] = mapping(metadata, root)
    hooks = read_extensions(reader, fields.get("extensions"), ("extensions",))
    if hooks is not None:
        kept["hooks"] = hooks
    return mapping({**kept, "tests": written([], root)}, root)


def _plain(node: Node) -> str:
    return node.value if isinstance(node.value, str) else str(data(node))


def _options(config: Config) -> dict[str, Node]:
    """Return `evaluate_options` as fields of `execution`."""
    written = config.fields.get("evaluate_options")
    return run_fields(fields_of(config.reader, written, ("evaluate_options",), _OPTIONS, "the options"))


def _cases(config: Config, row: Row) -> Iterator[Source]:
    """Yield the cases of a test: one for each prompt and each combination of its variables' values."""
    reader = Reader(row.document, config.reader.environ, row.findings)
    own = fields_of(reader, row.document.root, ())
    if not isinstance(row.document.root.value, dict):
        yield Source(document=row.document, findings=row.findings)
        return
    case = CaseMaking(config, row, reader, own)
    with suppress(TooManyErrors):
        prompts = case.prompts()
        combinations = case.combinations()
        for number, (prompt, variables) in enumerate(product(prompts, combinations), 1):
            combination = str((number - 1) % len(combinations) + 1) if len(combinations) > 1 else ""
            node = case.lowered(prompt, variables, combination)
            document = Document(row.document.file, node, row.document.prefix)
            yield Source(document=document, directory=row.case_file, findings=row.findings)
        return
    yield Source(document=row.document, findings=row.findings)
