"""The limits fit to each other, and a refusal is one of a submission."""

from __future__ import annotations

from gradebox.graders.errors import ExitCode
from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.directory import MAX_DIRECTORY_BYTES


def test_what_is_unpacked_in_memory_is_less_than_a_directory_may_hold() -> None:
    assert limits.RATIO_FROM_BYTES < limits.MAX_UNPACKED_BYTES < MAX_DIRECTORY_BYTES


def test_a_refused_archive_ends_the_command_with_the_status_of_wrong_usage() -> None:
    assert limits.ArchiveRefused("It holds too much.").exit_code is ExitCode.USAGE
