from slug import slugify


def test_words_are_joined():
    assert slugify("Ada Lovelace") == "ada-lovelace"


def test_what_separates_is_dropped():
    assert slugify("  one,  two! ") == "one-two"
