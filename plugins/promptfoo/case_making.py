"""Converts a test of a file to cases: adds the fields that it shares with other tests, and converts its checks."""

from __future__ import annotations

import re
from dataclasses import field, replace
from itertools import product
from pathlib import Path
from typing import Any

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.interpolation import filled
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.positions import Node, data
from gradebox.graders.documents.reader import Reader, open_document, read_text
from gradebox.graders.model import scoring
from gradebox.plugins.promptfoo.assertion_entries import lowered
from gradebox.plugins.promptfoo.case_ids import agentv_id, made_id, unique
from gradebox.plugins.promptfoo.environments import as_targets, read_environment, target_names
from gradebox.plugins.promptfoo.nodes import Fields, fields_of, items_of, mapping, moved, text_of, written
from gradebox.plugins.promptfoo.prompt_matrix import PROGRAMS, Prompt
from gradebox.plugins.promptfoo.rows import Row
from gradebox.plugins.promptfoo.value_entries import Around
from gradebox.sandbox.records import dataclass

_WORDS_OF_MADE = """
vars assert assertions options prompts provider providers provider_output environment run metadata id execution
assert_scoring_function
"""
_MADE = frozenset(_WORDS_OF_MADE.split())
_STRATEGIES = {"pass_any": "pass_at_k"}
_MOST_COMBINATIONS = 1000
_USUAL_THRESHOLD = 0.8


@dataclass(slots=True)
class Config:
    """The fields that the tests of a file share, and the ids of its cases so far."""

    reader: Reader
    fields: Fields
    default: Fields
    prompts: tuple[Prompt, ...]
    environment: Fields  # Fields of each case.
    # Whether this is promptfoo's own format, not AgentV's.
    plain: bool
    ids: set[str] = field(default_factory=set)

    @property
    def file(self) -> Path:
        return self.reader.document.file


def run_fields(options: Fields) -> dict[str, Node]:
    """Return the fields of `execution` for a file's options or a test's `run`."""
    found: dict[str, Node] = {}
    if "max_concurrency" in options:
        found["workers"] = options["max_concurrency"]
    for key in ("budget_usd", "timeout_seconds", "threshold"):
        if key in options:
            found[key] = options[key]
    milliseconds = options.get("timeout_ms")
    if milliseconds is not None and isinstance(milliseconds.value, int | float):
        found["timeout_seconds"] = written(min(3600, max(1, milliseconds.value / 1000)), milliseconds)
    repeat = options.get("repeat")
    if repeat is not None and isinstance(repeat.value, dict):
        trials = {key: child for key, child in repeat.value.items() if key != "early_exit"}
        strategy = text_of(trials.get("strategy"))
        if strategy in _STRATEGIES:
            trials["strategy"] = written(_STRATEGIES[strategy], trials["strategy"])
        found["trials"] = mapping(trials, repeat)
    elif repeat is not None and repeat.value != 1:
        found["trials"] = written({"count": repeat}, repeat)
    return found


@dataclass(frozen=True, slots=True)
class CaseMaking:
    """One test that is being converted to cases."""

    config: Config
    row: Row
    reader: Reader
    own: Fields

    def shared(self, name: str) -> Node | None:
        """Return a field of the test, otherwise of its scenario, otherwise of the default test."""
        found = next((fields[name] for fields in (self.own, self.row.scenario) if name in fields), None)
        return found or (self.here(self.config.default[name]) if name in self.config.default else None)

    def here(self, node: Node) -> Node:
        """Return a part of the main file as a part of the test's file."""
        return node if self.row.document.file == self.config.file else moved(node, self.row.document.root)

    def layered(self, name: str) -> dict[str, Node]:
        """Return a mapping merged from the default test, the scenario and the test; later ones take precedence."""
        layers = (self.config.default, self.row.scenario, self.own)
        found: dict[str, Node] = {}
        for fields in layers:
            value = fields[name].value if name in fields else {}
            found |= {key: self.here(child) for key, child in value.items()} if isinstance(value, dict) else {}
        return found

    def prompts(self) -> list[Prompt]:
        wanted = [text for one in items_of(self.shared("prompts")) if (text := text_of(one))]
        chosen = [prompt for prompt in self.config.prompts if prompt.is_named(wanted)] if wanted else []
        return chosen or list(self.config.prompts)

    def combinations(self) -> list[dict[str, Node]]:
        """Return the combinations of the test's variables; in promptfoo's format, a list gives one for each item."""
        variables = {name: self._variable(name, node) for name, node in self.layered("vars").items()}
        options = self.layered("options")
        listed = [
            [(name, one) for one in node.value]
            for name, node in variables.items()
            if isinstance(node.value, list)
            and node.value
            and all(not isinstance(one.value, dict | list) for one in node.value)
        ]
        fixed = "disableVarExpansion" in options or "disable_var_expansion" in options
        if not self.config.plain or fixed or not listed:
            return [variables]
        combined = [{**variables, **dict(chosen)} for chosen in product(*listed)][: _MOST_COMBINATIONS + 1]
        if len(combined) > _MOST_COMBINATIONS:
            message = f"the lists of the variables have more than {_MOST_COMBINATIONS} combinations"
            self.reader.error(("vars",), message, "List fewer values.")
        return combined

    def _variable(self, name: str, node: Node) -> Node:
        """Return the value of a variable as written, or the content of the file that it names."""
        text = text_of(node)
        if text is None or not text.startswith("file://"):
            return node
        named = text.removeprefix("file://")
        file = named_file(named, (self.row.document.file.parent, self.config.file.parent))
        if re.sub(r":\w+\Z", "", named).endswith(PROGRAMS):
            message = f"the variable `{shown(name)}` is made by a program, which is not run"
            self.reader.warning(("vars", name), message, "Write its value.")
        elif file is None:
            message = f"the file `{shown(named)}` of the variable `{shown(name)}` does not exist"
            self.reader.error(("vars", name), message, f"It is looked up from {self.row.document.file.parent}.")
        elif file.suffix in (".json", ".yaml", ".yml"):
            document = open_document(file, self.reader.findings)
            return node if document is None else moved(document.root, node)
        elif file.suffix in (".txt", ".md", ".html", ".csv", ".xml", ".j2"):
            return node._replace(value=(read_text(file, self.reader.findings) or "").strip())
        return node

    def lowered(self, prompt: Prompt, variables: dict[str, Node], combination: str) -> Node:
        """Return the case; `combination` is the number of the variables' combination, if there are several."""
        at = self.row.document.root
        made = {key: child for key, child in self.own.items() if key not in _MADE}
        values = data(mapping(variables, at))
        plain = written(filled(values, values), at) if variables else None
        if prompt.node is not None:
            made.setdefault("input", self.here(prompt.node))
        elif prompt == Prompt(None) and (asked := variables.get("input", variables.get("prompt"))) is not None:
            # Without any prompt, the test's own variable is the input.
            made.setdefault("input", asked)
        if plain is not None:
            made["vars"] = plain
            if "expected_output" in variables:
                made.setdefault("expected_output", variables["expected_output"])
        if (expected_output := self.shared("expected_output")) is not None:
            made["expected_output"] = expected_output
        execution = fields_of(self.reader, self.own.get("execution"), ("execution",))
        execution |= run_fields(fields_of(self.reader, self.shared("run"), ("run",)))
        providers = [self.shared("providers"), self.shared("provider")]
        names = [name for node in providers for name in target_names(self.reader, node, ("provider",))]
        execution = {**as_targets(names), **execution}
        around = self._around(plain, execution)
        checks, needed = self._checks(around, execution)
        made |= {"assert": written(checks, self.own.get("assert", at)), **self._turns(around)}
        threshold = self.shared("threshold") or needed
        if threshold is not None and "threshold" not in execution:
            made["threshold"] = threshold
        if execution:
            made["execution"] = mapping(execution, at)
        if metadata := self._metadata():
            made["metadata"] = mapping(metadata, at)
        environment = {key: self.here(child) for key, child in self.config.environment.items()}
        if "environment" in self.own:
            environment |= read_environment(self.reader, self.own["environment"], ("environment",))
        among = prompt if len(self.prompts()) > 1 else None
        return mapping({**environment, **made, "id": self._id(among, combination, variables)}, at)

    def _metadata(self) -> dict[str, Node]:
        output = self.shared("provider_output")
        return {**self.layered("metadata"), **({"provider_output": output} if output is not None else {})}

    def _around(self, variables: Node | None, execution: Fields) -> Around:
        options = self.layered("options")
        prompt = options.get("rubric_prompt") or options.get("rubricPrompt")
        plain = self.config.plain and self.shared("threshold") is None and "threshold" not in execution
        roots = (self.row.document.file.parent, self.config.file.parent)
        root = self.config.reader.document.root
        return Around(self.reader, roots, variables, options.get("transform"), prompt, plain, root)

    def _checks(self, around: Around, execution: Fields) -> tuple[list[Node], Node | None]:
        """Return the checks of the case, and a threshold if checks can pass with less than the full score."""
        if self.shared("assert_scoring_function") is not None:
            message = "a function that makes the score is not run: the score is the weighted mean"
            self.reader.error(("assert_scoring_function",), message, "Remove it, or write `weight`.")
        options = self.layered("options").keys()
        layers = [self.own, self.row.scenario]
        if not {"disableDefaultAsserts", "disable_default_asserts"} & options:
            layers.append(self.config.default)
        if (skipped := execution.get("skip_defaults")) is None or skipped.value is not True:
            layers.append(self.config.fields)
        checks = [
            check
            for fields in layers
            for name in ("assert", "assertions")
            for check in lowered(around, self.here(fields[name]) if name in fields else None, (name,))
        ]
        # If every check passes, the score is at least the mean of the least passing scores.
        needed = scoring.mean(map(_needed, checks)) if around.all_must_pass else None
        lowers = needed is not None and needed < _USUAL_THRESHOLD
        return checks, written(needed, self.row.document.root) if lowers else None

    def _turns(self, around: Around) -> dict[str, Node]:
        turns = self.own.get("turns")
        if turns is None or not isinstance(turns.value, list):
            return {}
        made: list[Node] = []
        for index, turn in enumerate(turns.value):
            fields = fields_of(self.reader, turn, ("turns", index))
            checks = lowered(replace(around, all_must_pass=False), fields.get("assert"), ("turns", index, "assert"))
            made.append(
                mapping({**fields, "assert": written(checks, fields["assert"])}, turn) if "assert" in fields else turn
            )
        return {"turns": written(made, turns)}

    def _id(self, prompt: Prompt | None, combination: str, variables: Fields) -> Node:
        """Return a unique id for the case: the test's own, or one made from its other fields."""
        at, own = self.row.document.root, self.own.get("id")
        several = f"{self._name(prompt)} {combination}".strip()
        if own is not None and (not isinstance(own.value, str | int) or not (self.row.suffix or several)):
            return own
        named = str(own.value) if own is not None else ""
        made = "" if self.config.plain else agentv_id(self.row, named, prompt.identity if prompt else "", combination)
        if not made:
            base = self.row.case_file.parent.name if self.row.case_file else ""
            described = filled(text_of(self.own.get("description")) or "", data(mapping(variables, at)))
            made = made_id(self.row, named or base or str(described), several)
        return written(unique(made, self.config.ids), own or at)

    def _name(self, prompt: Prompt | None) -> str:
        return "" if prompt is None else prompt.label or f"prompt-{self.config.prompts.index(prompt) + 1}"


def _needed(check: Node) -> scoring.Weighed:
    """Return the lowest score with which a check passes, and its weight."""
    fields: Any = {name: node.value for name, node in check.value.items()} if isinstance(check.value, dict) else {}
    in_parts = fields.get("type") in ("javascript", "python", "assert-set")
    least = fields.get("threshold", fields.get("min_score")) if in_parts else None
    score, weight = (float(one) if isinstance(one, int | float) else 1.0 for one in (least, fields.get("weight")))
    return scoring.Weighed(score, weight)
