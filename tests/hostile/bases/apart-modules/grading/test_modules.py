import slug

CANARY = "@canary@"


def test_title():
    from title import title

    assert title("of mice and men") == "Of Mice And Men"


def test_words_are_joined():
    assert slug.slugify("Ada Lovelace") == "ada-lovelace"
