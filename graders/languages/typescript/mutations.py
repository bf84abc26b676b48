"""The changes that `grade mutants` makes in TypeScript."""

from __future__ import annotations

from dataclasses import replace

from gradebox.graders.languages.javascript.mutations import TABLE as JAVASCRIPT
from gradebox.graders.languages.mutation_table import words

TABLE = replace(
    JAVASCRIPT,
    module=("tree_sitter_typescript", "language_typescript"),
    defaults={**JAVASCRIPT.defaults, "required_parameter": "undefined"},
    left=JAVASCRIPT.left | words("type_annotation interface_declaration type_alias_declaration type_arguments"),
)
