"""Hidden tests: candidates never see this file."""

import pytest
from library import Shelf


def test_a_book_that_came_back_can_be_lent_again():
    shelf = Shelf(["Dune"])
    shelf.lend("Dune")
    shelf.bring_back("Dune")
    shelf.lend("Dune")
    assert shelf.books() == []


def test_nobody_gets_a_book_twice():
    shelf = Shelf(["Dune", "Emma"])
    shelf.lend("Dune")
    with pytest.raises(LookupError):
        shelf.lend("Dune")
    assert shelf.books() == ["Emma"]


def test_books_are_listed_by_name():
    assert Shelf(["Emma", "Dune", "Walden"]).books() == ["Dune", "Emma", "Walden"]


@pytest.mark.parametrize("name", ["Dune", "Emma"])
def test_what_was_not_lent_cannot_come_back(name):
    with pytest.raises(LookupError):
        Shelf(["Dune"]).bring_back(name)
