import math

from words import root


def test_near():
    assert abs(root(2.25) - 1.5) < 1e-9
    assert math.isclose(root(2), 1.4142135623730951)


def test_between():
    found = root(2)
    assert found > 1.41
    assert found < 1.42
    assert round(root(16)) == 4
