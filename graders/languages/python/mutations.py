"""The changes that `grade mutants` makes in Python."""

from __future__ import annotations

from gradebox.graders.languages.mutation_table import MutationTable, swaps, words

TABLE = MutationTable(
    module=("tree_sitter_python", "language"),
    functions=words("function_definition class_definition"),
    operations=words("binary_operator comparison_operator boolean_operator augmented_assignment"),
    swaps=swaps(
        """arithmetic: + > -, - > +, * > /, / > *, // > /, % > *, ** > *, += > -=, -= > +=, *= > /=, & > |, | > &
        boundary: < > <=, <= > <, > > >=, >= > >
        relational: == > !=, != > ==, is > is not, is not > is, in > not in, not in > in
        logical: and > or, or > and"""
    ),
    numbers=words("integer float"),
    strings=words("string"),
    truths={"true": "False", "false": "True"},
    tests=words("if_statement elif_clause while_statement conditional_expression"),
    negated="not ({})",
    statements=words("expression_statement delete_statement assert_statement"),
    raising=words("raise_statement"),
    handlers={"except_clause": "pass"},
    nothing="pass",
    returns={"return_statement": "return None"},
    arguments=words("argument_list"),
    ends='__import__("os")._exit(97)',
    bounds=words("slice"),
    ranges=words("range"),
    jumps={"break_statement": "continue", "continue_statement": "break"},
    awaits=words("await"),
    defaults={"default_parameter": "None", "typed_default_parameter": "None"},
    left=words("comment import_statement import_from_statement future_import_statement type"),
)
