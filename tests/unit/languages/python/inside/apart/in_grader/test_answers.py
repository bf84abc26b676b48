"""Whether a submission's answers are the reference's, whatever else its messages say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader import answers
from gradebox.graders.languages.python.inside.apart.in_grader.answers import LOADING, Answers


def a_class(number: int, *methods: str) -> list[Any]:
    return ["c", number, [], {"name": "Cart", "methods": list(methods)}]


def an_object(number: int, of: list[Any]) -> list[Any]:
    return ["x", number, "object", of, {"doc": f"number {number}"}]


def raised(number: int, text: str, code: int = 1) -> list[Any]:
    return ["!", 3, [], [], ["e", number, ["k", "ValueError"], ["t", text, code], {"text": text}]]


def answer(value: Any, *, changes: Any = (), released: Any = (), number: int = 1) -> list[Any]:
    return ["=", number, [*changes], [*released], value]


Messages = list[list[Any]]
FIRST: Messages = [answer(["l", -1, "", 1, 2]), answer(an_object(-2, a_class(-3, "total"))), raised(-4, "no cart")]


class Graded:
    """Tests in which a submission sends messages."""

    def __init__(self, words: Any = (), *, exact: bool = False, record: bool = False) -> None:
        checkpoint = Checkpoint()
        checkpoint.begin(None, record)
        self.noted = checkpoint.noted
        self.answers = Answers(checkpoint)
        if not record:
            self.answers.expect(words, exact)

    def run(self, name: str, messages: Messages, *, part: str = "call", **how: Any) -> str:
        for message in messages:
            self.answers.hear(message, (), "call")
        how = {"passed": True, "given": 0, "looked": False, **how}
        return self.answers.end(name, part, how["passed"], how["given"], how["looked"])

    def found(self) -> dict[str, Any]:
        (line,) = self.answers.lines()
        words, text = line.split(maxsplit=1)
        assert words == "answers"
        return {name: count for name, count in json.loads(text).items() if count}


def reference(
    *tests: tuple[str, Messages], part: str = "call", looked: bool = False, compared: bool = False
) -> list[str]:
    """Return the words that a reference with these messages leaves."""
    recorded = Graded(record=True)
    for name, messages in tests:
        recorded.answers.checkpoint.has_compared = compared
        assert not recorded.run(name, messages, part="call" if name else part, looked=looked)
    assert recorded.answers.lines() == []
    return sorted((recorded.noted or {}).get("#answers", ()))


def told(messages: Messages, expected: Messages = FIRST, **named: Any) -> str:
    """Return how messages compare with the reference's."""
    tests = Graded(reference(("a", expected)))
    tests.run("a", messages, **named)
    found = tests.found()
    assert found.pop("tests", ["a"]) == ["a"]
    ((outcome, count),) = found.items()
    assert count == 1
    return outcome


@pytest.mark.parametrize(
    "messages",
    [
        FIRST,
        [answer(["l", -7, "", 1, 2]), answer(an_object(-8, a_class(-9, "total", "_help"))), raised(-10, "no cart")],
        [answer(["l", -1, "", 1, 2], number=5, released=[4, [7]]), *FIRST[1:]],
        [*FIRST, ["?", 1, [], [], "turn", ["o", 3]]],
    ],
)
def test_numbers_and_descriptions_do_not_count(messages: Messages) -> None:
    assert told(messages) == "same"


@pytest.mark.parametrize(
    "messages",
    [
        FIRST[:-1],
        [*FIRST, FIRST[0]],
        [FIRST[1], FIRST[0], FIRST[2]],
        [answer(["t", 1, 2]), *FIRST[1:]],
        [answer(["l", -1, "", 1, 2.0]), *FIRST[1:]],
        [answer(["l", -1, "deque", 1, 2]), *FIRST[1:]],
        [answer(["l", -1, "", 1, 2], changes=[["l", 4, "", 7]]), *FIRST[1:]],
        [FIRST[0], answer(["#", -1]), FIRST[2]],
        [*FIRST[:2], raised(-4, "no cart", 2)],
        [*FIRST[:2], answer(None)],
        [*FIRST, ["?", 1, [], [], "call", ["o", 3], ["t"], ["t"]]],
    ],
)
def test_any_other_value_or_request_counts(messages: Messages) -> None:
    assert told(messages) == "other"


LEAVES = st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["a", "b"]) | st.sampled_from([0.5, 1.5])
WORDS = st.sampled_from(["u", "v"])


def parts_of(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values that have parts; each object has a number of its own, as `number` counts them."""
    some, none = st.lists(value, max_size=3), st.just(0)
    pairs = some.map(lambda found: [part for each in found for part in ("k", each)])
    of_class = st.builds(lambda name: ["c", 0, [["k", "object"]], {"name": name, "methods": ["f"]}], WORDS)
    return st.one_of(
        some.map(lambda found: ["t", *found]),
        st.builds(lambda number, kind, found: ["l", number, kind, *found], none, WORDS, some),
        st.builds(lambda number, kind, found: ["d", number, kind, *found], none, WORDS, pairs),
        st.builds(
            lambda number, of, data: ["x", number, "object", of, {"doc": "d", "data": data}], none, of_class, value
        ),
        st.builds(
            lambda args, data: ["e", 0, ["k", "ValueError"], ["t", *args], {"attributes": data}], some, pairs_of(value)
        ),
    )


def pairs_of(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return value.map(lambda found: ["d", 0, "", "field", found])


def numbered(tree: Any, count: list[int]) -> Any:
    """Return a tree in which each object has a new number."""
    if type(tree) is dict:
        return {key: numbered(part, count) for key, part in tree.items()}
    if type(tree) is not list:
        return tree
    found = [numbered(part, count) for part in tree]
    if len(found) > 1 and found[0] in ("l", "d", "x", "c", "e") and found[1] == 0:
        count[0] -= 1
        found[1] = count[0]
    return found


def leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all parts that a test may tell apart: all but numbers, and descriptions without values."""
    if type(tree) is dict:
        for key in tree.keys() & {"name", "data", "attributes"}:
            yield from leaves(tree[key], (*path, key))
    elif type(tree) is list:
        is_object = len(tree) > 1 and tree[0] in ("l", "d", "x", "c", "e") and type(tree[1]) is int and tree[1] < 0
        for place, part in enumerate(tree):
            if not (is_object and place == 1):
                yield from leaves(part, (*path, place))
    else:
        yield path


@given(parts_of(st.recursive(LEAVES, parts_of, max_leaves=8)))
def test_whatever_a_test_may_tell_apart_counts(value: Any) -> None:
    given_by_reference = [numbered(value, [0])]
    words = reference(("a", [answer(*given_by_reference)]))
    for *above, last in leaves(given_by_reference):
        other = deepcopy(given_by_reference)
        place: Any = other
        for step in above:
            place = place[step]
        place[last] = "c" if place[last] != "c" else "e"
        assert "other answers" in Graded(words, exact=True).run("a", [answer(*other)])


@pytest.mark.parametrize("value", [["o", 2], ["o", -2], ["o", 4]])
def test_it_counts_which_object_comes_back(value: Any) -> None:
    expected = [answer(["l", -1, ""]), answer(["l", -2, ""]), answer(["o", 3]), answer(["#", -1])]
    assert told([*expected[:2], answer(value), expected[3]], expected) == "other"
    assert told([*expected[:3], answer(["#", -2])], expected) == "other"


def test_with_other_texts_of_exceptions_it_is_unknown() -> None:
    assert told([*FIRST[:2], raised(-4, "none there")]) == "unknown"
    cause = ["e", -5, ["k", "KeyError"], ["t", "a"], {}]
    error = raised(-4, "no cart")
    for about in ({"notes": ["see"]}, {"cause": cause}, {"text": 'File "cart.py", line 9'}):
        told_too = {**error[4][4], **about}
        messages = [*FIRST[:2], [*error[:4], [*error[4][:4], told_too]]]
        assert told(messages) == ("same" if "text" in about else "unknown")


@pytest.mark.parametrize(("by_reference", "outcome"), [(True, "unknown"), (False, "other")])
def test_comparisons_by_the_submission_are_unknown_where_the_reference_makes_them(
    by_reference: bool, outcome: str
) -> None:
    words = reference(("a", FIRST), compared=by_reference)
    for is_own in (True, False):
        tests = Graded(words)
        tests.answers.checkpoint.has_compared = is_own
        tests.run("a", FIRST)
        assert tests.found()[outcome if is_own else "same"] == 1


class Rewording(Graded):
    """Tests with the reference in which texts of exceptions are replaced."""

    def __init__(self, how: int = 1) -> None:
        super().__init__(record=True)
        self.answers.checkpoint.rewording = how

    def words(self) -> list[str]:
        assert self.answers.lines() == []
        return [word for word in (self.noted or {})["#answers"] if word.endswith(" reworded")]


def test_with_exact_the_texts_of_exceptions_count_in_tests_that_fail_with_others() -> None:
    words, other = reference(("a", FIRST), ("b", FIRST)), [*FIRST[:2], raised(-4, "none there")]
    rewording = Rewording()
    rewording.run("a", deepcopy(FIRST))
    rewording.run("b", deepcopy(FIRST), passed=False)
    tests = Graded([*words, *rewording.words()], exact=True)
    assert not tests.run("a", other)
    assert "other answers" in tests.run("b", other)
    assert "other answers" in tests.run("a", [*other[:2], raised(-4, "none there", 2)])
    assert tests.found() == {}


@pytest.mark.parametrize("how", [1, 2])
def test_texts_of_exceptions_are_replaced_each_time_by_another_or_all_by_one(how: int) -> None:
    def an_error(text: str, about: dict[str, Any]) -> list[Any]:
        return ["e", -4, ["k", "OSError"], ["t", 2, text], about]

    named = {"attributes": ["d", -5, "", "filename", "cart"]}
    inner = an_error("again", {"notes": ["see"], **named, "cause": an_error("cause", {})})
    message = answer(["l", -1, "", inner, an_error("again", {}), "kept", an_error("other", {})])
    Rewording(how).run("a", [message])
    _, _, _, _, (_, _, _, first, second, kept, third) = message
    about = first[4]
    texts = [each[3][2] for each in (first, second, third, about["cause"])] + [about["attributes"][4], *about["notes"]]
    assert (first[3][:2], kept, [*map(len, texts)]) == (["t", 2], "kept", [1] * (6 if how == 1 else 5))
    assert len({*texts, "again", "other", "cause", "cart", "see"}) == (11 if how == 1 else 6)


def test_texts_that_come_after_each_other_are_not_sorted() -> None:
    rewording, found = Rewording(), []
    for name, count in (("a", 2), ("b", 3), ("c", 2), ("d", 99)):
        messages = [raised(-4 - number, "no cart") for number in range(count)]
        rewording.run(name, messages)
        found.append([message[4][3][1] for message in messages])
        assert found[-1] != sorted(found[-1])
        assert count < 3 or found[-1] != sorted(found[-1], reverse=True)
    assert len({text for each in found for text in each}) == 106


def test_a_method_may_have_the_name_of_the_tag_of_exceptions() -> None:
    message = answer(["t", an_object(-2, a_class(-3, "e", "f", "g", "h", "i")), *raised(-4, "no cart")[4:]])
    Rewording().run("a", [message])
    assert message[4][2][3][1] != "no cart"


@pytest.mark.parametrize(
    ("messages", "passed", "count"),
    [(FIRST, True, 3), ([answer(1)], True, 2), (FIRST, False, 1), ([answer(1)], False, 0)],
)
def test_who_fails_has_read_its_own_text_or_one_of_another_test(messages: Messages, passed: bool, count: int) -> None:
    rewording = Rewording()
    rewording.run("", deepcopy(FIRST), part=LOADING)
    rewording.run("a", deepcopy(FIRST))
    rewording.run("b", deepcopy(messages), passed=passed)
    assert len(rewording.words()) == count


def test_a_test_that_has_looked_at_files_is_never_the_same() -> None:
    words = reference(("a", FIRST), looked=True)
    rewording = Rewording()
    rewording.run("a", deepcopy(FIRST), looked=True)
    assert rewording.words() == []
    name = words[0].split()[0]
    tests = Graded([*words, f"{name} reworded"], exact=True)
    assert tests.run("a", FIRST, looked=True).endswith(
        "of a: it also observes programs, connections, databases, the list of the workspace or the like"
    )
    assert tests.found() == {}


def test_each_run_of_a_test_has_answers_of_its_own() -> None:
    words = reference(("a", FIRST), ("a", FIRST[:1]))
    assert len({word.split()[0] for word in words}) == 2
    for second, is_refused in ((FIRST[:1], False), (FIRST, True)):
        tests = Graded(words, exact=True)
        assert not tests.run("a", FIRST)
        assert bool(tests.run("a", second)) is is_refused
        assert tests.run("a", FIRST)


def test_another_stream_is_another_answer() -> None:
    recorded = Graded(record=True)
    recorded.answers.print(b"x", 0)
    recorded.run("a", [])
    for stream, outcome in ((0, "same"), (1, "other")):
        tests = Graded((recorded.noted or {})["#answers"])
        tests.answers.print(b"x", stream)
        tests.run("a", [])
        assert tests.found()[outcome] == 1


def test_it_counts_which_known_exception_caused_another() -> None:
    def caused(by: int) -> Messages:
        error = ["e", -3, ["k", "ValueError"], ["t"], {"cause": ["o", by]}]
        return [raised(-1, "a"), raised(-2, "b"), ["!", 3, [], [], error]]

    assert told(caused(-1), caused(-1)) == "same"
    assert told(caused(-2), caused(-1)) == "unknown"


@pytest.mark.parametrize(("step", "outcome"), [(".co_firstlineno", "same"), (".line", "other")])
def test_where_code_is_does_not_count(step: str, outcome: str) -> None:
    recorded = Graded(record=True)
    recorded.answers.hear(answer(3), (("m", "()", step),), "get")
    recorded.run("a", FIRST)
    tests = Graded((recorded.noted or {})["#answers"])
    tests.answers.hear(answer(4), (("m", "()", step),), "get")
    tests.run("a", FIRST)
    assert tests.found()[outcome] == 1


def test_the_order_of_a_set_does_not_count() -> None:
    one, two = answer(["s", -1, "", "a", ["z", 1, 2]]), answer(["s", -3, "", ["z", 2, 1], "a"])
    assert told([two], [one]) == "same"
    assert told([answer(["s", -1, "", "a", ["z", 1, 3]])], [one]) == "other"


def test_a_change_counts_whenever_it_comes() -> None:
    def turned(*changes: Any) -> Messages:
        return [["?", number, [change], [], "turn", ["o", 3]] for number, change in enumerate(changes)]

    once, twice = turned(["l", 4, "", 1, 2]), turned(["l", 4, "", 1], ["l", 4, "", 1, 2])
    assert told([*FIRST, *once], [*once, *FIRST]) == told([*FIRST, *twice], [*twice, *FIRST]) == "same"
    # What the tests saw on the way may be a matter of time.
    assert told([*FIRST, *twice], [*once, *FIRST]) == told([*FIRST, *once], [*twice, *FIRST]) == "unknown"
    assert told([*FIRST, *turned(["l", 4, "", 1])], [*once, *FIRST]) == "other"


def test_what_is_too_large_to_hash_equals_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = reference(("a", FIRST))
    monkeypatch.setattr(answers, "as_json", lambda tree: 1 / 0)
    tests = Graded(words)
    tests.run("a", FIRST)
    assert tests.found() == {"other": 1, "tests": ["a"]}


def test_what_is_printed_counts() -> None:
    tests = Graded(reference(("a", FIRST)))
    tests.answers.print(b"x", 0)
    tests.run("a", FIRST)
    assert tests.found() == {"other": 1, "tests": ["a"]}


@pytest.mark.parametrize("is_renewed", [True, False])
def test_another_test_that_differs_changes_nothing(is_renewed: bool) -> None:
    words = reference(
        ("a", FIRST), ("b", [answer(["l", -9, "", 3]), answer(["o", 2]), answer(an_object(-10, ["o", -3]))])
    )
    tests = Graded(words)
    tests.run("a", [answer(["l", -8, "", 7])], passed=False, given=10)
    if is_renewed:
        tests.answers.trees.renew(30)
    lent = ["o", 32 if is_renewed else 12]
    tests.run("b", [answer(["l", -19, "", 3]), answer(lent), answer(an_object(-20, a_class(-21)))], given=40)
    assert tests.found() == {"same": 1}


def test_objects_of_earlier_tests_are_known_again() -> None:
    tests = [("a", FIRST), ("b", [answer(["#", -1])]), ("c", [answer(["o", -2])])]
    words = reference(*tests)
    for other, outcome in ((-1, "same"), (-4, "other")):
        run = Graded(words)
        run.run("a", FIRST)
        run.run("b", [answer(["#", other])])
        assert run.found().get(outcome) == (2 if outcome == "same" else 1)


@pytest.mark.parametrize("is_exact", [True, False])
def test_with_exact_a_test_with_other_answers_fails(is_exact: bool) -> None:
    tests = Graded(reference(("a", FIRST), ("b", FIRST)), exact=is_exact)
    assert not tests.run("a", FIRST)
    assert bool(tests.run("b", FIRST[:1])) is is_exact
    assert tests.found() == ({"same": 1} if is_exact else {"same": 1, "other": 1, "tests": ["b"]})


@pytest.mark.parametrize("is_exact", [True, False])
def test_what_cannot_be_compared_is_unknown_and_fails_with_exact(is_exact: bool) -> None:
    varying = [*reference(("a", FIRST), ("b", FIRST)), *reference(("a", FIRST[:1]))]
    # One of the reference's answers tells no more than any other.
    for messages in (FIRST[:2], FIRST):
        tests = Graded(varying, exact=is_exact)
        assert tests.run("a", messages).endswith("the reference gives others in each run" if is_exact else "")
        assert tests.found() == ({} if is_exact else {"unknown": 1})


def test_an_item_is_named_by_its_last_line() -> None:
    tests = Graded(reference(("import a\nassert a.b\n", FIRST), looked=True), exact=True)
    assert "cannot compare the answers of assert a.b: " in tests.run("import a\nassert a.b\n", FIRST)


def test_a_test_that_fails_is_not_counted() -> None:
    tests = Graded(reference(("a", FIRST), ("b", FIRST)))
    tests.run("a", FIRST, passed=False)
    tests.run("b", FIRST)
    tests.run("a", [])
    assert tests.found() == {"same": 1}


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize(("part", "other"), [(LOADING, ["a", "b"]), ("cart module", ["b"]), ("user module", [])])
def test_what_several_tests_use_counts_for_each_of_them(part: str, other: list[str], is_exact: bool) -> None:
    words = reference(("", FIRST), ("a", [answer(8)]), ("b", [answer(9)]), part=part)
    for messages, named in ((FIRST, []), (FIRST[:1], other)):
        tests = Graded(words, exact=is_exact)
        assert not tests.run("", messages, part=part)
        for test, uses in {"a": (LOADING,), "b": (LOADING, "cart")}.items():
            tests.answers.uses = uses
            refused = tests.run(test, [answer({"a": 8, "b": 9}[test])])
            assert bool(refused) is (is_exact and test in named)
        found = {} if is_exact or not named else {"other": len(named), "tests": named}
        assert tests.found() == {**({"same": 2 - len(named)} if len(named) < 2 else {}), **found}


@pytest.mark.parametrize(
    ("why", "is_exact"),
    [("texts", False), *((why, is_exact) for why in ("files", "comparisons") for is_exact in (True, False))],
)
@pytest.mark.parametrize(("part", "unknown"), [(LOADING, 2), ("cart module", 1), ("user module", 0)])
def test_what_several_tests_use_may_be_unknown(part: str, unknown: int, why: str, is_exact: bool) -> None:
    shared, own = ("", FIRST), ("a", [answer(8)])
    is_compared = why == "comparisons"
    words = reference(shared, part=part, looked=why == "files", compared=is_compared) + reference(own)
    for repeated in ([], FIRST):
        tests = Graded([*words, *reference(("", repeated), part=f"{part} 2")], exact=is_exact)
        tests.answers.checkpoint.has_compared = is_compared
        assert not tests.run("", [*FIRST[:2], raised(-4, "other")] if why == "texts" else FIRST, part=part)
        # What is the same later makes nothing better.
        assert not tests.run("", repeated, part=f"{part} 2")
        for test, uses in {"a": (LOADING,), "idle": (LOADING, "cart")}.items():
            tests.answers.uses = uses
            is_unknown = part == LOADING or (part == "cart module" and test == "idle")
            refused = tests.run(test, [answer(8)] if test == "a" else [])
            assert refused.endswith("it shares others that cannot be compared" if is_exact and is_unknown else "")
        is_known = {"same": 1} if part != LOADING else {}
        assert tests.found() == {**is_known, **({"unknown": unknown} if unknown and not is_exact else {})}


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        (FIRST, {"same": 1}),
        ([*FIRST[:2], raised(-4, "other")], {"unknown": 2}),
        (FIRST[:1], {"other": 2, "tests": ["a", "b"]}),
    ],
)
def test_a_test_that_got_nothing_uses_what_earlier_tests_got(messages: Messages, found: dict[str, Any]) -> None:
    tests = Graded(reference(("a", FIRST), ("b", [])))
    tests.run("a", messages)
    tests.run("b", [])
    assert tests.found() == found


def test_only_if_the_reference_used_files_are_answers_unknown() -> None:
    tests = Graded(reference(("a", FIRST), ("b", FIRST)))
    tests.run("a", FIRST, looked=True)
    assert tests.found() == {"other": 1, "tests": ["a"]}
    tests = Graded(reference(("a", FIRST), looked=True))
    tests.run("a", FIRST[:1])
    assert tests.found() == {"unknown": 1}


@pytest.mark.parametrize(
    "tree", [7, [], ["=", 1], ["=", 1, [], [], ["x"]], ["?", 1, [], [], "note"], ["=", 1, 2, [], 3]]
)
def test_what_is_malformed_is_another_answer(tree: Any) -> None:
    tests = Graded(reference(("a", [])))
    tests.answers.hear(tree, (), "call")
    tests.run("a", [])
    assert tests.found() == {"other": 1, "tests": ["a"]}


def test_of_a_note_only_its_content_counts() -> None:
    def noted(text: str, line: int, extra: Any = None) -> Messages:
        return [
            ["?", 1, [], [], "note", "log", "cart", 20, text, "cart.py", line, "total", None, f"line {line}", extra]
        ]

    assert told(noted("x", 1), noted("x", 9)) == "same"
    assert told(noted("x", 1), noted("y", 1)) == "other"
    assert told(noted("x", 1), noted("x", 1, "user")) == "other"


def test_a_docstring_that_a_test_reads_counts_like_a_text_and_a_signature_like_a_value() -> None:
    def ran(tests: Graded, name: str, said: Any) -> Graded:
        assert tests.answers.described(name, said) == said
        tests.run("a", FIRST)
        return tests

    for name, one, other in (("__doc__", "unknown", None), ("__signature__", "other", [["a", 1, False]])):
        words = (ran(Graded(record=True), name, "x").noted or {})["#answers"]
        assert ran(Graded(words), name, "x").found() == {"same": 1}
        assert ran(Graded(words), name, other).found()[one] == 1
    for how, count in ((1, 3), (2, 2)):
        rewording = Rewording(how)
        found = {rewording.answers.described("__doc__", text) for text in ("x", "x", None)}
        assert (len(found), found & {"x"}) == (count, set())


def test_how_many_texts_an_exception_has_is_one_of_its_texts() -> None:
    def refused(kind: str, *args: Any) -> Messages:
        return [["!", 3, [], [], ["e", -4, ["k", kind], ["t", *args], {}]]]

    for texts in (("c", "d"), ("a", "b", "c"), ("a",), ()):
        assert told(refused("ValueError", "a", "b"), refused("ValueError", *texts)) == "unknown"
    assert told(refused("ValueError", "a", "b", 1), refused("ValueError", "a", 1)) == "other"
    assert told(refused("SyntaxError", "a", "b"), refused("SyntaxError", "a")) == "other"


def test_kinds_of_functions_are_the_same_and_data_with_their_names_is_not() -> None:
    def given(kind: str, **about: Any) -> Messages:
        return [answer(["x", -2, "object", ["c", -3, [], {"name": kind}], about])]

    assert told(given("_lru_cache_wrapper"), given("function")) == "same"
    assert told(given("partial", data=7), given("function")) == "other"
    assert told(given("partial", data=7), given("partial", data=8)) == "other"
