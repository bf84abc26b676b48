from collections import UserString

from lent import shout

EXPECTED = "ADA 815"


def test_text():
    assert shout(UserString("ada 815")) == EXPECTED


# @canary@
