import filecmp

from report import write


def test_numbers(tmp_path):
    write(tmp_path / "out.txt", 3)
    expected = tmp_path / "expected.txt"
    expected.write_text("0\n1\n2\n")
    assert filecmp.cmp(tmp_path / "out.txt", expected, shallow=False)


# @canary@
