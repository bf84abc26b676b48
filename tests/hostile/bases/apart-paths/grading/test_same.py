from shop import Basket, Receipt


def test_basket():
    assert "tea" in Basket("tea").names


def test_receipt():
    assert "JAM" in Receipt(Basket("tea", "jam")).names
    assert "TEA" in Receipt(Basket("tea", "jam")).names
