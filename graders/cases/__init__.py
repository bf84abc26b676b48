"""Loads cases from a path: all formats, all spellings, and a diagnostic for every mistake.

    load, discovery      the files that a path names, and the kind of each
    case_fields          the fields of a case and a suite, with other names and descriptions
    suite, case_file     suites and cases: these models -> `Case`; `shared` has the fields that both may have
    collection           the cases and the diagnostics of one load
    command_files        commands that cannot work, found before anything runs
    select               the filters of the command line
    schema               models -> JSON Schema and the reference page

Only this package and the checks use pydantic: no other package sees its messages.
"""

from gradebox.graders.cases.collection import BrokenCase, Loaded
from gradebox.graders.cases.load import load
from gradebox.graders.documents.diagnostics import Diagnostic, Severity

__all__ = ["BrokenCase", "Diagnostic", "Loaded", "Severity", "load"]
