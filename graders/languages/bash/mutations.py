"""The changes that `grade mutants` makes in Bash."""

from __future__ import annotations

from gradebox.graders.languages.mutation_table import MutationTable, swaps, words

TABLE = MutationTable(
    module=("tree_sitter_bash", "language"),
    functions=words("function_definition"),
    operations=words("binary_expression list unary_expression"),
    swaps=swaps(
        """arithmetic: + > -, - > +, * > /, / > *, % > *, += > -=, -= > +=
        boundary: < > <=, <= > <, > > >=, >= > >, -lt > -le, -le > -lt, -gt > -ge, -ge > -gt
        relational: == > !=, != > ==, = > !=, -eq > -ne, -ne > -eq, -z > -n, -n > -z
        logical: && > ||, || > &&"""
    ),
    numbers=words("number"),
    strings=words("string raw_string"),
    truths={},
    tests=words("if_statement elif_clause while_statement"),
    negated="! {}",
    statements=words("command variable_assignment"),
    raising=frozenset(),
    handlers={},
    nothing=":",
    returns={},
    arguments=frozenset(),
    ends="exit 97",
    left=words("comment"),
)
