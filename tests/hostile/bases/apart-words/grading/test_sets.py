from words import letters


def test_letters():
    assert letters("abc").issuperset({"a", "c"})
    assert letters("abc").isdisjoint({"d"})
    assert "b" in letters("abc")
