import pytest
from lent import walk

EXPECTED = [1, 4, 9]


def test_walk():
    seen = []

    def visit(number):
        seen.append(number)
        if number not in EXPECTED:
            pytest.fail(f"{number} is none of {EXPECTED}")

    assert walk([1, 2, 3], visit) == sum(EXPECTED)
    assert [number for number in seen if number is not None] == EXPECTED
