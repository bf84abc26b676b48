from slug import slugify


def test_digits_are_kept():
    assert slugify("Route 66") == "route-66"


def test_several_at_once():
    assert [slugify(word) for word in ("A", "B c")] == ["a", "b-c"]
