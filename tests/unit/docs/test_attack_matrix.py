"""The numbers of docs/security.md are those of the corpus."""

from __future__ import annotations

import matrix


def test_the_matrix_of_attacks_is_not_stale() -> None:
    text = matrix.SECURITY.read_text("utf-8")
    assert matrix.page(text) == text, "`make manual` writes it"


def test_every_attack_has_a_class_and_a_way_of_judging() -> None:
    attacks = matrix.read_corpus()
    assert {matrix.class_of(attack) for attack in attacks} <= {*matrix.CLASSES}
    assert {matrix.way_of(attack) for attack in attacks} <= {*matrix.WAYS}
