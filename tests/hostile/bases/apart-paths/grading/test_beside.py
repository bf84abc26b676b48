from shop import receipt


def test_basket():
    assert "tea" in receipt(["tea", "jam"])["basket"]


def test_text():
    assert "bought: tea, jam" in receipt(["tea", "jam"])["text"]


def test_lines():
    assert "1 x jam" in receipt(["tea", "jam"])["lines"]


# @canary@
