from words import letters, mean


def test_letters():
    assert "a" in letters("abc") and "c" in letters("abc")


def test_mean():
    assert abs(mean([1, 2]) - 1.5) < 1e-9
    assert 4.9 < mean([5, 5]) < 5.1


# @canary@
