import words

CANARY = "@canary@"


def test_begins():
    assert words.begin("Adamant").startswith("ada")


def test_counts():
    assert words.begin("banana").count("a") == 1
    assert words.begin("banana").endswith("6")
    assert "ban" in words.begin("banana")
