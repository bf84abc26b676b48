"""From a path to cases: every format, every name, and a diagnostic for everything that is wrong.

The rooms, in the order in which a file passes them::

    load                 finds out what kind of file a path names
    reader               opens files; runs models over documents; reports
    yaml_reader, json_reader, toml_reader -> positions, scalars     text -> nodes with positions
    entries, fields, interpolation, aliases                         the types of the models
    documents, command_documents, message_documents, check_documents   the models: what files hold
    case_file, check_specs, shared                                  models -> Case and CheckSpec
    translation, diagnostics                                        what is said of mistakes

pydantic stays in here: nothing outside sees a model, and nobody reads its messages.
"""

from graders.loading.diagnostics import Diagnostic, Severity
from graders.loading.load import load
from graders.loading.loaded import BrokenCase, Loaded

__all__ = ["BrokenCase", "Diagnostic", "Loaded", "Severity", "load"]
