"""From a path to cases: every format, every name, and a diagnostic for everything that is wrong.

The rooms, in the order in which a path passes them::

    load, discovery                      which files there are, and what kind of file each is
    suite, gathering, definition_toml    a suite, the cases of a load, a leaderboard's task
    reader, paths                        opening files; models over documents; reporting
    yaml_reader, json_reader, toml_reader -> scalars, positions       text -> nodes with positions
    entries, fields, interpolation, aliases                           what the models are made of
    documents, and all modules that end so                            the models: what files hold
    case_file, case_checks, settings, shared                          models -> Case
    check_specs, and all modules that end so; check_types, naming     models -> CheckSpec
    schema, schema_types, field_tables, meanings                      models -> JSON Schema, reference page
    translation, diagnostics, loaded                                  what is said, and what is delivered

pydantic stays in here: nothing outside sees a model, and nobody reads its messages.
"""

from graders.documents.diagnostics import Diagnostic, Severity
from graders.cases.load import load
from graders.cases.loaded import BrokenCase, Loaded

__all__ = ["BrokenCase", "Diagnostic", "Loaded", "Severity", "load"]
