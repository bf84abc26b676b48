from shop import opened


def test_opened():
    with opened([3, 4]) as store:
        assert store["count"] == 2
        assert store["total"] == 7
