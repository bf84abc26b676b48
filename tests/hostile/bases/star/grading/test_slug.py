from slug import *

CANARY = "@canary@"


def test_slugify():
    assert slugify("Ada Lovelace") == "ada-lovelace"


def test_title():
    assert title("of mice and men") == "Of Mice And Men"
