"""An error of the engine is a finding, and does not end the examination."""

from __future__ import annotations

from gradebox.graders.doctor.findings import Finding, Health, guarded
from gradebox.sandbox.errors import EngineUnavailable


def test_an_error_of_the_engine_becomes_a_finding_with_its_remedy() -> None:
    def examine() -> Finding:
        raise EngineUnavailable("No engine answers.", remedy="Start it.")

    assert guarded("engine", examine) == Finding("engine", Health.BROKEN, "No engine answers.", "Start it.")


def test_what_was_found_is_returned_as_it_is() -> None:
    found = Finding("disk", Health.OK, "There is room.")
    assert guarded("engine", lambda: found) is found
