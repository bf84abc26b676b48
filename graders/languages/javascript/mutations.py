"""The changes that `grade mutants` makes in JavaScript."""

from __future__ import annotations

from gradebox.graders.languages.mutation_table import MutationTable, swaps, words

TABLE = MutationTable(
    module=("tree_sitter_javascript", "language"),
    functions=words("function_declaration method_definition class_declaration arrow_function function_expression"),
    operations=words("binary_expression augmented_assignment_expression"),
    swaps=swaps(
        """arithmetic: + > -, - > +, * > /, / > *, % > *, ** > *, += > -=, -= > +=, *= > /=, & > |, | > &
        boundary: < > <=, <= > <, > > >=, >= > >
        relational: == > !=, != > ==, === > !==, !== > ===
        logical: && > ||, || > &&, ?? > &&"""
    ),
    numbers=words("number"),
    strings=words("string template_string"),
    truths={"true": "false", "false": "true"},
    tests=words("if_statement while_statement do_statement ternary_expression"),
    negated="!({})",
    statements=words("expression_statement"),
    raising=words("throw_statement"),
    handlers={"catch_clause": "{}"},
    nothing=";",
    returns={"return_statement": "return undefined;"},
    arguments=words("arguments"),
    ends="{ process.exit(97); }",
    ranges=words("slice substring"),
    jumps={"break_statement": "continue;", "continue_statement": "break;"},
    awaits=words("await_expression"),
    defaults={"assignment_pattern": "undefined"},
    left=words("comment import_statement"),
)
