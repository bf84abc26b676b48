"""From a path to cases: every format, every name, and a diagnostic for every mistake.

    load, discovery      which files a path names, and what kind of file each is
    case_fields          what a case and a suite may write: a field, its other names, its description
    suite, case_file     a suite and a case: these models -> `Case`; `shared` has what both may write
    collection           the cases and the diagnostics of one load
    command_files        commands that cannot work, found before anything runs
    select               the filters of the command line
    schema               models -> JSON Schema and the reference page

pydantic stays in here and in the checks: nothing outside sees its messages.
"""

from gradebox.graders.cases.collection import BrokenCase, Loaded
from gradebox.graders.cases.load import load
from gradebox.graders.documents.diagnostics import Diagnostic, Severity

__all__ = ["BrokenCase", "Diagnostic", "Loaded", "Severity", "load"]
