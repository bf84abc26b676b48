from words import letters


def test_letters():
    assert letters("abc").difference({"a", "b", "c"}) == set()
    assert letters("abc").intersection({"a"}) == {"a"}
