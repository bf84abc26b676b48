from shop import Money


def test_ratio():
    assert abs(Money(10) / Money(4) - 2.5) < 1e-9


def test_change():
    change = Money(9) - Money(2) - Money(4)
    assert abs(change / Money(6) - 0.5) < 1e-9
