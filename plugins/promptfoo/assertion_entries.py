"""Converts the checks in `assert` from these tools' names and shapes to those of our checks, which read the rest.

All types that only a model can judge become words for a judge. Types that need a service, or a model that is not a
judge, are refused by name. ``{{name}}`` without such a variable is kept in words and in code. In a value with which a
text is compared it is an error, since no answer could ever match it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.inline.inline_code import InlineCode, code_file
from gradebox.graders.checks.registry import NEGATED_PREFIX, check_type
from gradebox.graders.checks.text.text_check import TextCheck
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.interpolation import filled
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.positions import Node, data
from gradebox.graders.documents.reader import open_document
from gradebox.plugins.promptfoo.nodes import Fields, fields_of, in_our_words, items_of, mapping, moved, text_of, written
from gradebox.plugins.promptfoo.value_entries import Around, refuse_open, with_value, without

_NO_NETWORK = "asks a server, and a grader has no network"
_NO_MODEL = "needs a model other than a judge, and none can be configured"
_OF_ANSWERS = "compares the answers of several prompts or providers, and one is graded at a time"
_REFUSED: Mapping[str, str] = {
    "webhook": _NO_NETWORK,
    "pi": _NO_NETWORK,
    **dict.fromkeys(("moderation", "guardrails", "classifier", "perplexity", "perplexity-score"), _NO_MODEL),
    **dict.fromkeys(("select-best", "max-score"), _OF_ANSWERS),
    "ruby": "is code in Ruby, and no image has it",
}
# The words for the judge, for types that imply them; `{}` stands for the value.
_WORDS: Mapping[str, str] = {
    "g-eval": "{}",
    "search-rubric": "{}",
    "model-graded-closedqa": "{}",
    "factuality": "The facts in the answer agree with these: {}",
    "model-graded-factuality": "The facts in the answer agree with these: {}",
    "answer-relevance": "The answer is about what was asked, and about nothing else. {}",
    "conversation-relevance": "Each answer of the conversation is about what was said before it. {}",
    "context-recall": "The context that the answer was made from holds this: {}",
    "context-relevance": "The context that the answer was made from is what the question needs, and no more. {}",
    "context-faithfulness": "The answer claims nothing that the context does not say. {}",
    "trajectory:goal-success": "By its tool calls and its final answer, the agent has reached this goal: {}",
}
_RUBRICS = frozenset({"llm-rubric", "agent-rubric", "llm-grader"})
_OF_WORDS = ("value", "prompt", "threshold", "provider", "rubric_prompt", "transform")
_LEAST = 1e-6
_TEMPLATES = (".agentv/templates/{}.yaml", ".agentv/templates/{}.yml")
_MOST_INCLUDES = 3


def lowered(around: Around, node: Node | None, path: DocumentPath) -> list[Node]:
    """Return the checks of a list, converted to ours."""
    return [
        check
        for index, one in enumerate(items_of(node))
        for check in _lowered(around, one, (*path, index), depth=0, config={})
    ]


def _lowered(around: Around, node: Node, path: DocumentPath, *, depth: int, config: Fields) -> Iterator[Node]:
    fields = fields_of(around.reader, node, path)
    if fields.keys() == {"include"}:
        yield from _included(around, node, text_of(fields["include"]) or "", path, depth=depth, config=config)
        return
    if fields.keys() == {"$ref"}:
        found = around.find((text_of(fields["$ref"]) or "").removeprefix("#/").split("/"))
        if found is None or depth >= _MOST_INCLUDES:
            message = f"`{shown(str(fields['$ref'].value))}` leads nowhere"
            around.error(node, (*path, "$ref"), message, "Check its path.")
            return
        yield from _lowered(around, moved(found, node), path, depth=depth + 1, config=config)
        return
    written_type = text_of(fields.get("type"))
    if written_type is None:
        # Plain words, or a mistake that is reported later, when the check is read.
        yield node
        return
    if config or "config" in fields:
        merged = {**config, **fields_of(around.reader, fields.get("config"), (*path, "config"))}
        fields["config"] = mapping(merged, fields.get("config", node))
    bare = written_type.removeprefix(NEGATED_PREFIX)
    if bare in _REFUSED:
        hint = "Remove it, or write a check of another type."
        around.error(fields["type"], (*path, "type"), f"`{bare}` {_REFUSED[bare]}", hint)
    elif bare in _WORDS or bare in _RUBRICS:
        yield _words(around, node, bare, fields, negated=bare != written_type)
    elif bare in ("assert-set", "composite"):
        yield _set(around, node, fields, path, depth=depth)
    else:
        yield _known(around, node, bare, fields, path)


def _known(around: Around, node: Node, bare: str, fields: Fields, path: DocumentPath) -> Node:
    """Return a check of a type that we have under the same name, or of an unknown type."""
    kind = check_type(bare)
    judges_answer = kind is not None and issubclass(kind, TextCheck | InlineCode)
    fields = with_value(around, fields, bare, path)
    if kind is not None and issubclass(kind, InlineCode):
        fields = _code(around, fields, path)
    elif around.transform is not None or "transform" in fields:
        message = f"`transform` is not run for a check of the type `{bare}`, so it would judge another text"
        hint = "Write a check of the type `javascript` or `python`, which transforms."
        around.error(fields.get("transform", node), (*path, "transform"), message, hint)
    elif judges_answer:
        refuse_open(around, fields.get("value"), (*path, "value"))
    if judges_answer and around.all_must_pass:
        fields = _required(node, fields)
        if "threshold" not in fields and issubclass(kind or Check, InlineCode):
            # In these tools, any score above 0 passes.
            fields = {"min_score": written(_LEAST, node), **fields}
    if kind is not None and "config" not in kind.known_keys():
        fields = without(fields, "config")
    if kind is not None and not kind.negatable and text_of(fields["type"]) != bare:
        fields = _negated(node, {**fields, "type": written(bare, fields["type"])})
    return mapping(fields, node)


def _included(
    around: Around, node: Node, name: str, path: DocumentPath, *, depth: int, config: Fields
) -> Iterator[Node]:
    """Yield the checks of a template, given its name in ``.agentv/templates`` or its path."""
    tried = [name] if "/" in name or name.startswith(".") else [template.format(name) for template in _TEMPLATES]
    file = next((file for one in tried if (file := named_file(one, around.roots))), None)
    if file is None or depth >= _MOST_INCLUDES:
        what = f"does not exist: `{shown(tried[0])}`" if file is None else f"includes more than {_MOST_INCLUDES} others"
        around.error(node, (*path, "include"), f"the template {what}", "Check its path.")
        return
    document = open_document(file, around.reader.findings)
    listed = document and document.root.value
    checks = listed.get("assert") or listed.get("assertions") if isinstance(listed, dict) else None
    if document is not None and checks is None:
        around.error(node, (*path, "include"), f"`{shown(str(file))}` has no `assert`", "Write a list of checks there.")
    inside = replace(around, roots=(file.parent, *around.roots))
    for one in items_of(checks):
        yield from _lowered(inside, in_our_words(moved(one, node)), path, depth=depth + 1, config=config)


def _words(around: Around, node: Node, kind: str, fields: Fields, *, negated: bool) -> Node:
    """Return a check by a judge with words."""
    if around.transform is not None or "transform" in fields:
        message = "`transform` is not run: the judge reads the answer as it is"
        around.warning(fields.get("transform", node), message, "Write a check in code, which transforms.")
    kept = {key: child for key, child in fields.items() if key not in _OF_WORDS}
    config = dict(fields["config"].value) if "config" in fields and isinstance(fields["config"].value, dict) else {}
    config |= {key: fields[key] for key in ("threshold", "provider") if key in fields}
    if config:
        kept["config"] = mapping(config, node)
    bare = kind
    if kind in _WORDS:
        bare = "llm-grader"
        texts = [text for one in items_of(_goal(fields.get("value"))) if (text := text_of(one))]
        kept["prompt"] = written(_WORDS[kind].format("\n".join(texts)).strip(), fields.get("value", node))
        if not {"metric", "name"} & kept.keys():
            kept["name"] = written((NEGATED_PREFIX if negated else "") + kind, node)
    else:
        kept |= _asked(around, fields)
    kept["type"] = written(bare, fields["type"])
    return mapping(_negated(node, kept) if negated else kept, node)


def _asked(around: Around, fields: Fields) -> dict[str, Node]:
    """Return the prompt and rubrics for a judge; with a prompt of its own, the value becomes the rubric."""
    value = fields.get("value")
    template = fields.get("prompt") or fields.get("rubric_prompt") or around.rubric_prompt
    if template is not None and isinstance(template.value, list):
        # Our judges take one text, so join the messages.
        contents = [text_of(fields_of(around.reader, one, ()).get("content")) or "" for one in template.value]
        template = written("\n\n".join(contents), template)
    if value is None:
        return {"prompt": template} if template is not None else {}
    if template is None and isinstance(value.value, str):
        return {"prompt": value}
    if isinstance(value.value, str) and template is not None:
        template = written(filled(data(template), {"rubric": value.value}), template)
    rubrics = value if isinstance(value.value, list) else written([value], value)
    return {"rubrics": rubrics, **({"prompt": template} if template is not None else {})}


def _goal(value: Node | None) -> Node | None:
    """Return the text of a goal, which may be a mapping with `goal`."""
    return value.value.get("goal", value) if value is not None and isinstance(value.value, dict) else value


def _set(around: Around, node: Node, fields: Fields, path: DocumentPath, *, depth: int) -> Node:
    """Return a set of checks as one check; with a threshold, not every one has to pass."""
    name = "assert" if "assert" in fields else "assertions"
    inherited = fields_of(around.reader, fields.get("config"), (*path, "config"))
    inside = replace(around, all_must_pass=around.all_must_pass and "threshold" not in fields)
    members = [
        check
        for index, one in enumerate(items_of(fields.get(name)))
        for check in _lowered(inside, one, (*path, name, index), depth=depth, config=inherited)
    ]
    kept = {key: child for key, child in fields.items() if key not in ("config", name)}
    if around.all_must_pass and "threshold" in fields:
        kept = _required(node, kept)
    return mapping({**kept, name: written(members, fields.get(name, node))}, node)


def _code(around: Around, fields: Fields, path: DocumentPath) -> dict[str, Node]:
    found = dict(fields)
    if "transform" not in found and around.transform is not None:
        found["transform"] = around.transform
    if around.variables is not None:
        found["vars"] = around.variables
    for name in ("value", "transform"):
        file = code_file(text_of(found.get(name)) or "")
        if file is not None and named_file(file[0], around.roots) is None:
            message = f"the file `{shown(file[0])}` of the code does not exist"
            around.error(found[name], (*path, name), message, f"It is looked up from {around.roots[0]}.")
    return {key: child for key, child in found.items() if key != "provider"}


def _required(node: Node, fields: Fields) -> dict[str, Node]:
    weight = fields.get("weight")
    counts = weight is None or weight.value != 0
    return {**({"required": written(True, node)} if counts else {}), **fields}


def _negated(node: Node, fields: Fields) -> dict[str, Node]:
    before = fields.get("negate")
    return {**fields, "negate": written(not (before is not None and before.value is True), node)}
