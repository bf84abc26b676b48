"""Prints the gradings that a run would do, for ``--collect-only``: a line for each on stdout, and their number."""

from __future__ import annotations

from gradebox.graders.cli import console
from gradebox.graders.grading.fingerprint import Key, key_for
from gradebox.graders.reports.escaping import visible
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.tasks import Tasks


def print_collected(tasks: Tasks, saved: SavedRun | None, *, as_json: bool, quiet: bool) -> int:
    """Print the gradings for which the run `saved`, if given, has no verdict, and return their number."""
    # Compare without targets: the target of an answer is unknown until the answer is read.
    graded = {key._replace(target=None) for key in saved.verdicts} if saved else set[Key]()
    count = 0
    for one in tasks.walk():
        key = key_for(one.case.id, one.case.target, one.name, one.repeat)
        if key._replace(target=None) in graded and (key.target is None or (saved and key in saved.verdicts)):
            continue
        count += 1
        if as_json:
            print(console.json_line(key._asdict()))
        else:
            repeat = f"repeat {key.repeat}" if key.repeat > 1 else ""
            print("  ".join(visible(word) for word in (key.case, key.submission, key.target or "", repeat) if word))
    if not quiet:
        console.say(console.counted(count, "grading"))
    return count
