"""The tables name kinds that the grammars have, so that no operator is idle by a slip of the pen."""

from __future__ import annotations

from importlib import import_module

import pytest
import tree_sitter

from gradebox.graders import languages


@pytest.mark.parametrize("name", [name for name, each in languages.languages().items() if each.runner])
def test_the_grammar_knows_every_kind(name: str) -> None:
    table = languages.get(name).mutations()
    assert table is not None
    module, function = table.module
    language = tree_sitter.Language(getattr(import_module(module), function)())
    known = {language.node_kind_for_id(number) for number in range(language.node_kind_count)}
    groups = (
        table.functions, table.operations, table.numbers, table.strings, table.truths, table.tests, table.statements,
        table.raising, table.handlers, table.returns, table.arguments, table.bounds, table.jumps, table.awaits,
        table.defaults, table.left,
    )  # fmt: skip
    assert {kind for group in groups for kind in group} - known == set()
