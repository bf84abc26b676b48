"""The changes that `grade mutants` makes in Julia."""

from __future__ import annotations

from gradebox.graders.languages.mutation_table import MutationTable, swaps, words

TABLE = MutationTable(
    module=("tree_sitter_julia", "language"),
    functions=words("function_definition macro_definition struct_definition"),
    operations=words("binary_expression compound_assignment_expression"),
    swaps=swaps(
        """arithmetic: + > -, - > +, * > /, / > *, ÷ > *, % > *, ^ > *, += > -=, -= > +=, *= > /=
        boundary: < > <=, <= > <, > > >=, >= > >
        relational: == > !=, != > ==, === > !==, !== > ===
        logical: && > ||, || > &&"""
    ),
    numbers=words("integer_literal float_literal"),
    strings=words("string_literal"),
    truths={"boolean_literal": ""},
    tests=words("if_statement elseif_clause while_statement ternary_expression"),
    negated="!({})",
    statements=words("assignment compound_assignment_expression"),
    raising=frozenset(),
    handlers={},
    nothing="nothing",
    returns={"return_statement": "return nothing"},
    arguments=words("argument_list"),
    ends="exit(97)",
    bounds=words("range_expression"),
    jumps={"break_statement": "continue", "continue_statement": "break"},
    left=words("line_comment block_comment import_statement using_statement"),
)
