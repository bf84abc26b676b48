from basket import Basket, mean

CANARY = "@canary@"


def test_total():
    basket = Basket()
    basket.add("tea", 3)
    basket.add("jam", 4.5)
    assert abs(basket.total() - 7.5) < 1e-9
    assert basket.total() > 7
    assert "jam" in basket.names()


def test_mean():
    assert abs(mean([1, 2]) - 1.5) < 1e-9
