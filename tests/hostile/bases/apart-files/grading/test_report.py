from pathlib import Path

import report

CANARY = "@canary@"


def test_table(tmp_path):
    report.write([("a", 1), ("b", 22)], tmp_path / "table.txt")
    assert (tmp_path / "table.txt").read_text() == Path(__file__).with_name("expected.txt").read_text()
