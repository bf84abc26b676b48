import pytest
from library import Shelf


def test_a_lent_book_is_not_on_the_shelf():
    shelf = Shelf(["Emma", "Dune"])
    shelf.lend("Emma")
    assert shelf.books() == ["Dune"]


def test_an_unknown_book_cannot_be_lent():
    with pytest.raises(LookupError):
        Shelf(["Dune"]).lend("Emma")
