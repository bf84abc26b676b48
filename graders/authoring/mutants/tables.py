"""What is mutated in each language: tables of node kinds of its grammar. Data only; the engine is `mutation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Table:
    """The node kinds of one grammar. `{}` in a text stands for the source of the node that is replaced.

    Attributes:
        module: Where the grammar comes from, and the function of it that returns the language.
        operations: Kinds whose operators are swapped; `swaps` says how.
        tests: Kinds that have a condition, and the field that it is in; empty for the first child in brackets.
        statements: Kinds that are removed.
        left: Kinds below which nothing is mutated: types, imports, comments.
    """

    module: tuple[str, str]
    functions: frozenset[str]
    operations: frozenset[str]
    swaps: Mapping[str, tuple[str, str]]
    numbers: frozenset[str]
    strings: frozenset[str]
    truths: Mapping[str, str]
    tests: frozenset[str]
    negated: str
    statements: frozenset[str]
    raising: frozenset[str]
    handlers: Mapping[str, str]  # A kind, and what its body becomes.
    nothing: str  # A statement that does nothing.
    returns: Mapping[str, str]
    arguments: frozenset[str]
    ends: str  # A statement that ends the process.
    bounds: frozenset[str] = frozenset()
    ranges: frozenset[str] = frozenset()  # Functions whose arguments are bounds.
    jumps: Mapping[str, str] = field(default_factory=dict)
    awaits: frozenset[str] = frozenset()
    defaults: Mapping[str, str] = field(default_factory=dict)  # A kind, and its other value.
    left: frozenset[str] = frozenset({"comment"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _swaps(text: str) -> Mapping[str, tuple[str, str]]:
    """Read `operator: one other, one other`."""
    found = {}
    for line in text.strip().splitlines():
        kind, _, pairs = line.strip().partition(": ")
        for pair in pairs.split(", "):
            one, other = pair.split(" > ")
            found[one] = (kind, other)
    return MappingProxyType(found)


PYTHON = Table(
    module=("tree_sitter_python", "language"),
    functions=_words("function_definition class_definition"),
    operations=_words("binary_operator comparison_operator boolean_operator augmented_assignment"),
    swaps=_swaps(
        """arithmetic: + > -, - > +, * > /, / > *, // > /, % > *, ** > *, += > -=, -= > +=, *= > /=, & > |, | > &
        boundary: < > <=, <= > <, > > >=, >= > >
        relational: == > !=, != > ==, is > is not, is not > is, in > not in, not in > in
        logical: and > or, or > and"""
    ),
    numbers=_words("integer float"),
    strings=_words("string"),
    truths={"true": "False", "false": "True"},
    tests=_words("if_statement elif_clause while_statement conditional_expression"),
    negated="not ({})",
    statements=_words("expression_statement delete_statement assert_statement"),
    raising=_words("raise_statement"),
    handlers={"except_clause": "pass"},
    nothing="pass",
    returns={"return_statement": "return None"},
    arguments=_words("argument_list"),
    ends='__import__("os")._exit(97)',
    bounds=_words("slice"),
    ranges=_words("range"),
    jumps={"break_statement": "continue", "continue_statement": "break"},
    awaits=_words("await"),
    defaults={"default_parameter": "None", "typed_default_parameter": "None"},
    left=_words("comment import_statement import_from_statement future_import_statement type"),
)

JAVASCRIPT = Table(
    module=("tree_sitter_javascript", "language"),
    functions=_words("function_declaration method_definition class_declaration arrow_function function_expression"),
    operations=_words("binary_expression augmented_assignment_expression"),
    swaps=_swaps(
        """arithmetic: + > -, - > +, * > /, / > *, % > *, ** > *, += > -=, -= > +=, *= > /=, & > |, | > &
        boundary: < > <=, <= > <, > > >=, >= > >
        relational: == > !=, != > ==, === > !==, !== > ===
        logical: && > ||, || > &&, ?? > &&"""
    ),
    numbers=_words("number"),
    strings=_words("string template_string"),
    truths={"true": "false", "false": "true"},
    tests=_words("if_statement while_statement do_statement ternary_expression"),
    negated="!({})",
    statements=_words("expression_statement"),
    raising=_words("throw_statement"),
    handlers={"catch_clause": "{}"},
    nothing=";",
    returns={"return_statement": "return undefined;"},
    arguments=_words("arguments"),
    ends="{ process.exit(97); }",
    ranges=_words("slice substring"),
    jumps={"break_statement": "continue;", "continue_statement": "break;"},
    awaits=_words("await_expression"),
    defaults={"assignment_pattern": "undefined"},
    left=_words("comment import_statement"),
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    module=("tree_sitter_typescript", "language_typescript"),
    defaults={**JAVASCRIPT.defaults, "required_parameter": "undefined"},
    left=JAVASCRIPT.left | _words("type_annotation interface_declaration type_alias_declaration type_arguments"),
)

JULIA = Table(
    module=("tree_sitter_julia", "language"),
    functions=_words("function_definition macro_definition struct_definition"),
    operations=_words("binary_expression compound_assignment_expression"),
    swaps=_swaps(
        """arithmetic: + > -, - > +, * > /, / > *, ÷ > *, % > *, ^ > *, += > -=, -= > +=, *= > /=
        boundary: < > <=, <= > <, > > >=, >= > >
        relational: == > !=, != > ==, === > !==, !== > ===
        logical: && > ||, || > &&"""
    ),
    numbers=_words("integer_literal float_literal"),
    strings=_words("string_literal"),
    truths={"boolean_literal": ""},
    tests=_words("if_statement elseif_clause while_statement ternary_expression"),
    negated="!({})",
    statements=_words("assignment compound_assignment_expression"),
    raising=frozenset(),
    handlers={},
    nothing="nothing",
    returns={"return_statement": "return nothing"},
    arguments=_words("argument_list"),
    ends="exit(97)",
    bounds=_words("range_expression"),
    jumps={"break_statement": "continue", "continue_statement": "break"},
    left=_words("line_comment block_comment import_statement using_statement"),
)

BASH = Table(
    module=("tree_sitter_bash", "language"),
    functions=_words("function_definition"),
    operations=_words("binary_expression list unary_expression"),
    swaps=_swaps(
        """arithmetic: + > -, - > +, * > /, / > *, % > *, += > -=, -= > +=
        boundary: < > <=, <= > <, > > >=, >= > >, -lt > -le, -le > -lt, -gt > -ge, -ge > -gt
        relational: == > !=, != > ==, = > !=, -eq > -ne, -ne > -eq, -z > -n, -n > -z
        logical: && > ||, || > &&"""
    ),
    numbers=_words("number"),
    strings=_words("string raw_string"),
    truths={},
    tests=_words("if_statement elif_clause while_statement"),
    negated="! {}",
    statements=_words("command variable_assignment"),
    raising=frozenset(),
    handlers={},
    nothing=":",
    returns={},
    arguments=frozenset(),
    ends="exit 97",
    left=_words("comment"),
)

# By the suffix of a file.
TABLES: Mapping[str, Table] = MappingProxyType(
    {
        ".py": PYTHON, ".js": JAVASCRIPT, ".mjs": JAVASCRIPT, ".cjs": JAVASCRIPT, ".ts": TYPESCRIPT,
        ".mts": TYPESCRIPT, ".jl": JULIA, ".sh": BASH, ".bash": BASH,
    }
)  # fmt: skip
