"""Commands that run Go's tests."""

from __future__ import annotations

import pytest
from recognition import adapted

ADAPTER = "sh -c go_test_adapter.sh"
FILES = " ".join(f"/workspace/.gradebox/gradebox_{package}.go" for package in ("goarch", "runtime", "testing"))
TAKEN = {
    "go test": f"{ADAPTER} go {FILES}",
    "go test -v -run Sum ./...": f"{ADAPTER} go {FILES} -v -run Sum ./...",
    "/usr/bin/go test -race . -args -x": f"{ADAPTER} /usr/bin/go {FILES} -race . -args -x",
}
LEFT = [
    "go", "go vet", "go build ./...", "go test -c", "go test -list=.", "go test --exec x", "go test -fuzz FuzzSum",
    "go test -C lib", "./go test", "gotest",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
