"""`is-json`: the text is one JSON value. If there is a JSON Schema, the value meets it."""

from __future__ import annotations

import warnings
from typing import Self

from gradebox.graders.checks.base import Reading
from gradebox.graders.checks.text import json_schema
from gradebox.graders.checks.text.text_check import TextCheck
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Free
from gradebox.graders.documents.validators import described

with warnings.catch_warnings():
    # The format requires the field name `schema`, which hides a deprecated method of pydantic.
    warnings.filterwarnings("ignore", message='Field name "schema"', category=UserWarning)

    class IsJson(TextCheck):
        """The text is one JSON value."""

        type = "is-json"

        schema: Free = optional("A JSON Schema (draft-07) that the value must match.", "value")

        def completed(self, reading: Reading) -> Self | None:
            """Refuse a value that is not a JSON Schema."""
            if self.schema is None:
                return self
            if not isinstance(self.schema, dict | bool):
                message = f"`schema` must be a JSON Schema, not {described(self.schema)}"
                reading.error(("schema",), message, "Write a mapping such as {type: object}.")
                return None
            try:
                json_schema.check(self.schema)
            except json_schema.SchemaFault as fault:
                reading.error(("schema", *fault.path), str(fault), "See json-schema.org for what a schema may say.")
            except RecursionError:
                reading.error(("schema",), "the schema is nested too deeply", "Flatten it.")
            else:
                return self
            return None

        def unmet(self, text: str) -> str:
            try:
                data = strict_json.loads(text)
            except ValueError as problem:
                return f"it is not JSON: {problem}"
            return "" if self.schema is None else json_schema.violation(self.schema, data)
