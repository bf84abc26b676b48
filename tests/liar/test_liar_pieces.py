"""The parts of the lying peer by themselves: frames, names, values, memory; and all of its grammar is tried."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest
from cells import CELLS, Cells
from conversation import Conversation
from frames import Unframed, broken, encoded
from golden_boundary import TABLE
from honest_memory import HonestMemory
from liar import AT_ONCE, Caught, Liar, Manners
from lying_values import TAGS, Values
from tested_files import exercises, numbers

LENT = (
    ["x", 1, "object", None, {"name": "Cart"}], ["x", 2, "function", None, {"name": "f"}], ["c", 3, [], {"name": "C"}],
    ["l", 4, "", 1, 2], ["i", "ffffffffffffffff"], "text",
)  # fmt: skip


def test_frames_are_taken_from_bytes_as_they_arrive() -> None:
    data = encoded(["=", 1]) + encoded("é")
    unframed = Unframed()
    found = [text for at in range(len(data)) for text in unframed.feed(data[at : at + 1])]
    assert [json.loads(text) for text in found] == [["=", 1], "é"]


def test_a_broken_frame_is_never_the_sound_one() -> None:
    chance, sound = random.Random(1), encoded(["=", 1, [], [], None])
    made = {broken(chance, sound, [b"nul"]) for _ in range(300)}
    assert len(made) > 50
    assert sound not in made


@pytest.mark.parametrize("language", ["python", "javascript", "julia"])
def test_values_have_every_tag_and_new_numbers(language: str) -> None:
    values, talk = Values(language, random.Random(3)), Conversation()
    talk.hear(["?", 1, [], [], "call", *LENT])
    trees = [values.value(talk) for _ in range(5000)] + [values.malformed(talk) for _ in range(5000)]
    text = json.dumps(trees)
    assert [tag for tag in TAGS if f'["{tag}",' not in text and f'["{tag}"]' not in text] == []
    introduced = [tree[1] for tree in trees[:5000] if isinstance(tree, list) and tree[:1] == ["x"]]
    assert len(introduced) == len({*introduced})


def test_a_conversation_knows_numbers_data_and_what_is_open() -> None:
    talk = Conversation()
    talk.hear(["?", 7, [["l", 9, "", "changed"]], [], "get", ["o", -1], "name", *LENT])
    assert talk.lent.keys() == {1, 2, 3}
    assert talk.containers.keys() == {4, 9}
    assert ["i", "ffffffffffffffff"] in talk.heard
    assert "name" in talk.said
    mine = talk.ask("call", [["o", 2]])
    assert talk.hear(["=", mine.number, [], [], 5]) is mine
    assert [one.number for one in talk.open] == [7]


def conversation(liar: Liar, count: int) -> list[bytes]:
    """Play a grader's process that lends some objects and refuses everything; return what the liar said."""
    said: list[bytes] = []
    while len(said) < count:
        liar.begin()
        lent, number = LENT, 0
        while not liar.ended and number < 30:
            number += 1
            text = json.dumps(["?", number, [], [], "call", ["o", -1], *lent]).encode()
            lent = ()
            while text and not liar.ended:
                said.append(liar.react(text))
                mine = liar.talk.asked
                text = json.dumps(["!", mine[-1].number, [], [], ["e", 50, "E", ["t"], {}]]).encode() if mine else b""
    return said


def test_a_seed_says_everything() -> None:
    one, two, three = (conversation(Liar("python", seed, Manners.RUDE), 3000) for seed in (5, 5, 6))
    assert one == two != three


@pytest.mark.parametrize("manners", Manners)
def test_every_part_of_the_grammar_is_tried(manners: Manners, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AT_ONCE, "python", (1,))
    cells = Cells()
    liar = Liar("python", 11, manners, cells=cells)
    conversation(liar, 40_000)
    if manners is Manners.RUDE:
        # Most cells end a connection, so that a long run is needed for all.
        tried = {part for cell in cells.counts for part in (cell[:2], cell[::2])}
        assert tried >= {part for cell in CELLS if len(cell) == 3 for part in (cell[:2], cell[::2])}
        least, cell = cells.least({cell for cell in CELLS if len(cell) == 2} - {("answer", "honest")})
        assert least >= 1, cell
        assert "each of" in next(cells.report())
    else:
        asked = {what for what, rules in TABLE["to_grader"].items() if "object" in rules}
        assert {key[0] for key in cells.counts if len(key) == 3} >= asked
        assert cells.counts["trouble", "broken frame"] == 0


def test_what_must_be_refused_is_caught() -> None:
    liar = Liar("python", 1, Manners.RUDE)
    liar.talk.ask("import", [["o", 1], "os"], "no request of the table")
    with pytest.raises(Caught, match="no request of the table"):
        liar.react(json.dumps(["=", 1, [], [], ["x", 5, "object", None, {}]]).encode())
    liar.talk.ask("get", [["o", 1], "__class__"], "dunder")
    liar.react(json.dumps(["=", 2, [], [], None]).encode())


def test_an_honest_answer_is_found_again_under_other_numbers() -> None:
    described = ["x", -4, "object", None, {"name": "Account"}]
    transcript = [
        (True, ["?", 1, [], [], "import", "solution"]),
        (False, ["=", 1, [], [], ["l", -1, "", described]]),
        (True, ["?", 2, [], [], "call", ["o", -4], 12345678901234]),
        (False, ["?", 1, [], [], "get", ["o", 8], "price"]),
        (False, ["=", 2, [], [], ["o", -4]]),
    ]
    memory, talk = HonestMemory([transcript]), Conversation(last_own=-70)
    talk.hear(["?", 1, [], [], "import", "solution"])
    assert memory.answer(talk.open[-1], talk) == ("=", ["l", -71, "", ["x", -72, *described[2:]]])
    talk.hear(["?", 2, [], [], "call", ["o", -72], 99999999999999])
    assert memory.answer(talk.open[-1], talk) == ("=", ["o", -72])
    assert memory.templates == {"": [(0, described)], "e": [], "function": []}
    assert memory.requests == [(0, ["get", ["o", 8], "price"])]


def test_test_files_are_of_all_kinds_and_have_numbers_of_their_run() -> None:
    files = {language: [*exercises(language, 1)] for language in ("python", "javascript", "julia")}
    assert sum(map(len, files.values())) >= 60
    assert {file.runner for found in files.values() for file in found} == {"pytest", "unittest", "items", "node:test"}
    for file in [file for found in files.values() for file in found]:
        for test in file.tests.values() if not file.needs_contract else ():
            assert any(secret in test for secret in file.secrets), (file.name, test)
    assert not {*numbers(1).values()} & {*numbers(2).values()}
    assert all(len(one) == len(two) == 2 for one, two in pairwise(numbers(1)))
