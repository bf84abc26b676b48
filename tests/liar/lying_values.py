"""Values that a lying peer sends: every tag of the table, sound and malformed, and descriptions that claim everything.

Sound trees come from the golden vectors, and from what an honest candidate's process sent for the same tests
(`memory`). What is said of an object or a class is mutated: names of operators, methods, bases and kinds of data are
added, words are replaced. Malformed values are golden ones, values of other languages, and trees with a wrong part.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from typing import Any

from conversation import Conversation, Request
from golden_boundary import MALFORMED, TABLE, VECTORS
from honest_memory import HonestMemory
from lying_names import CLASSES, DUNDER, METHODS, OPERATORS, PUBLIC

TAGS = """
i f b t z l d r s B w # v k n y o x c e
""".split()
BASES = """
object int float str bytes list dict tuple set frozenset type bool complex Exception BaseException KeyError
OSError StopIteration SystemExit KeyboardInterrupt GeneratorExit AssertionError pytest.skip.Exception
unittest.SkipTest Skipped Exit XFailed _ShouldStop decimal.Decimal fractions.Fraction pathlib.PosixPath
enum.Enum unittest.TestCase unittest.mock.Mock collections.UserDict typing.NamedTuple numbers.Number Number
String Array Map Set Promise Error TypeError RangeError AssertionError Function Symbol Int64 Float64 String Bool
Vector Dict AbstractString Real Any Exception
""".split()
EXTREMES: Sequence[Any] = (
    0, 1, -1, 2**53 - 1, -(2**53), 2**53, 2**63, 10**40, 1e308, 5e-324, -0.0, 1.0, True, False, None, "", "0", "text",
    ["i", "0"], ["i", "-" + "f" * 40], ["f", "nan"], ["f", "inf"], ["f", "-0"], ["t"], ["k", "NotImplemented"],
)  # fmt: skip
FIELDS = sorted({each for fields in TABLE.get("fields", {}).values() for each in fields} | {"keys", "callable"})
TRUTHS: Sequence[Any] = (True, True, True, False, 0, 1, ["k", "NotImplemented"], ["k", "undefined"])
# None of what a test can be near to.
_FAR: Sequence[Any] = (1e300, -1e300, 2**53 - 1, -(2**53 - 1), 0)
_SIZES = frozenset("len length hash size length_hint __len__ __hash__ count ndims".split())
_ITERATION = frozenset("iter next iterator aiter anext enter aenter __iter__ __next__ iterate".split())
_FUNCTIONS = frozenset([*METHODS, "valueOf", "toString", "toPrimitive", "run", "iterator", "call", "value", "next"])
_MOST_DEPTH = 4
# What only one side may name.
_LIBRARY = "Map Object Array Promise process os.system builtins.eval sys.modules Base.run Core.eval".split()
_BASE = """
== isequal isless < <= > >= in isapprox length iterate getindex hash + - * / startswith endswith occursin haskey get
issubset count findfirst convert show string getproperty setproperty!
""".split()


class Values:
    """Makes trees for one language.

    Attributes:
        memory: What was sent honestly.
        keeps_form: Whether what is said of an object stays of the kind that it was.
        is_blind: Whether messages are on their way, so that it is not known what the grader has forgotten.
    """

    def __init__(self, language: str, chance: random.Random, memory: HonestMemory | None = None) -> None:
        self.chance, self.language, self.memory = chance, language, memory or HonestMemory()
        self.sound = [vector["tree"] for vector in VECTORS if "tree" in vector and language in vector["languages"]]
        self.sound = [tree for tree in self.sound if len(repr(tree)) < 400]
        self.unsound = [each["malformed"] for each in MALFORMED if language in each["languages"]]
        self.texts = [text.encode("latin-1") for text in self.unsound if isinstance(text, str)]
        self.unsound = [tree for tree in self.unsound if isinstance(tree, list)]
        self.unsound += [each["tree"] for each in VECTORS if "tree" in each and language not in each["languages"]]
        self.kinds = {tag: kinds.get(language, [""]) for tag, kinds in TABLE["kinds"].items()}
        self.constants = [tree[1] for tree in self.sound if isinstance(tree, list) and tree[:1] == ["k"]]
        self.tags = {tree[0] for tree in self.sound if isinstance(tree, list)}
        self.extremes = [tree for tree in EXTREMES if self._fits(tree)]
        self.plain = [tree for tree in self.extremes if type(tree) is not int or abs(tree) < 2**53]
        self.plain = [tree for tree in self.plain if language != "julia" or tree != ["i", "0"]]
        self.truths = [tree for tree in TRUTHS if self._fits(tree)]
        # What a class of its own may be derived from, and what has a name.
        known = {"python": TABLE["python"]["exceptions"], "julia": ["Any", "Exception"]}
        self.bases_known = known.get(language, ["Error", "TypeError", "RangeError", "Array", "Map", "Object"])
        self.bases_named = TABLE[language]["constants"] if language in known else BASES
        self.keeps_form = self.is_blind = False

    def _fits(self, tree: Any) -> bool:
        return not isinstance(tree, list) or tree in self.sound or (tree[0] in self.tags and tree[0] != "k")

    def value(self, talk: Conversation, depth: int = 0) -> Any:
        """Return a tree that is sound by itself."""
        chance = self.chance
        draw = chance.random()
        if draw < 0.22:
            return self.renumbered(chance.choice(self.sound), talk)
        if draw < 0.34:
            return chance.choice(self.plain if self.keeps_form else self.extremes)
        if draw < 0.46 and talk.heard:
            return chance.choice(talk.heard)
        if draw < 0.54 and talk.lent:
            return ["o", chance.choice([*talk.lent])]
        if draw < 0.58 and talk.containers and not self.is_blind:
            return ["#", chance.choice([*talk.containers])]
        if draw < 0.64 and talk.own and not self.is_blind:
            number = chance.choice([*talk.own])
            return ["o" if talk.own[number] in "xcey" else "#", number]
        if draw < 0.74 and depth < _MOST_DEPTH:
            inner = [self.value(talk, depth + 1) for _ in range(chance.choice((0, 1, 2, 3)))]
            names = chance.sample(PUBLIC, len(inner))
            pairs = [part for pair in zip(names, inner, strict=True) for part in pair]
            return self._one(
                ["t", *inner],
                ["l", talk.number("l"), "", *inner],
                ["r", talk.number("r"), "", *pairs],
                ["d", talk.number("d"), "", *pairs],
            )
        return self.object(talk) if draw < 0.92 else self.methods(talk)

    def methods(self, talk: Conversation) -> Any:
        """Return a container that has methods of data as parts, each of which is a function of the peer's."""
        chance = self.chance
        function = ["x", talk.number("x"), "function", None, {}]
        if self.memory.templates["function"]:
            function = self.described(talk, "function")
        names = chance.sample([*METHODS, *OPERATORS, *PUBLIC], 12)
        again = ["o", function[1]]
        parts = [part for at, each in enumerate(names) for part in (each, function if at == 0 else again)]
        keyed = ["l", talk.number("l"), "", 1, ["k", "keys"], *parts]
        return self._one(
            ["r", talk.number("r"), "", *parts],
            keyed if self.language == "javascript" else ["l", *keyed[1:4], *parts],
            ["d", talk.number("d"), "", *parts],
            ["t", *parts],
        )

    def _one(self, *trees: Any) -> Any:
        """Return one of these that the language has; now and then another."""
        known = [tree for tree in trees if tree[0] in self.tags]
        return self.chance.choice(known if self.keeps_form or self.chance.random() < 0.9 else trees)

    def fitting(self, request: Request, talk: Conversation) -> Any:
        """Return what a lie has to look like to be taken for an answer: a method, a number that changes, an item."""
        chance = self.chance
        names = {part for part in request.parts if isinstance(part, str)}
        names |= {part[1].rpartition(".")[2] for part in request.parts if isinstance(part, list) and part[:1] == ["k"]}
        if request.what == "get" and names & _FUNCTIONS:
            return self.described(talk, "function") if self.memory.templates["function"] else self.object(talk)
        if names & _SIZES:
            return chance.choice((0, 1, 3, 2**53 - 1))
        if names & _ITERATION and talk.own:
            return chance.choice((["o", chance.choice([*talk.own])], self.value(talk, 2)))
        return chance.choice((*self.truths, *_FAR, *talk.heard))

    def nothing(self, talk: Conversation) -> Any:
        """Return something that is empty: a container of the tests, or one of its own."""
        given = [["#", each] for each in talk.containers]
        return self.chance.choice((None, 0, ["l", talk.number("l"), self.kinds["l"][0]], *given))

    def object(self, talk: Conversation) -> Any:
        """Return an object, a class or an exception of the peer's whose description claims a lot."""
        chance = self.chance
        if self.memory.templates[""] and (self.keeps_form or chance.random() < 0.8):
            return self.claimed(self.described(talk), talk)
        about = self.about()
        match chance.randrange(4):
            case 0:
                return ["c", talk.number("c"), self.bases(talk), about]
            case 1:
                return ["e", talk.number("e"), self.class_of(talk), ["t", self.value(talk, _MOST_DEPTH)], about]
            case _:
                kind = chance.choice(self.kinds["x"])
                return ["x", talk.number("x"), kind, self.class_of(talk), about]

    def described(self, talk: Conversation, kind: str = "") -> Any:
        """Return an object as an honest process described one of that kind."""
        return self.memory.moved(*self.chance.choice(self.memory.templates[kind]), talk)

    def class_of(self, talk: Conversation) -> Any:
        chance = self.chance
        own = [number for number, tag in talk.own.items() if tag == "c"]
        draw = chance.random()
        if own and draw < 0.5:
            return ["o", chance.choice(own)]
        if draw < 0.8:
            return chance.choice((["k", chance.choice(BASES)], chance.choice(BASES), None))
        return ["c", talk.number("c"), self.bases(talk), self.about()]

    def bases(self, talk: Conversation) -> Any:
        chance = self.chance
        if self.keeps_form and chance.random() < 0.9:
            return [["k", chance.choice(self.bases_known if chance.random() < 0.6 else self.bases_named)]]
        chosen = [["k", chance.choice(BASES)] if chance.random() < 0.7 else chance.choice(BASES) for _ in range(2)]
        return chance.choice((chosen[:1], chosen, ["t", *chosen], []))

    def about(self) -> dict[str, Any]:
        """Return what is said of an object: fields of the table, and others."""
        chance = self.chance
        fields = chance.sample(FIELDS, chance.randint(0, len(FIELDS)))
        return {each: self.said(chance.choice((None, "", [], {}, True, 1))) for each in fields}

    def said(self, part: Any) -> Any:
        """Return something that may stand for a part of a description: of the same kind, or of another."""
        chance = self.chance
        names = chance.choice((OPERATORS, METHODS, DUNDER, PUBLIC, BASES))
        match part:
            case bool() if self.keeps_form:
                return chance.choice((True, False))
            case int() | float() | None if self.keeps_form:
                return part
            case bool() | None:
                return chance.choice((True, False, None, "own", 1))
            case str() if self.keeps_form and chance.random() < 0.8:
                return chance.choice(PUBLIC)
            case str():
                words = [word for word in CLASSES[chance.choice([*CLASSES][:-1])] if isinstance(word, str)]
                return chance.choice((chance.choice(names), chance.choice(words or names)))
            case dict():
                return {**part, **{each: chance.choice((True, names[0], [])) for each in chance.sample(names, 3)}}
            case ["d" | "r", int(), *_]:
                return [*part, *(each for name in names for each in (name, 1))]
            case ["t", *_] if self.keeps_form:
                return ["t", *chance.sample(names, 3)]
            case list():
                return [*part, *names] if chance.random() < 0.8 else chance.sample(names, 3)
            case _:
                return chance.choice((0, -1, 2**53, 1.5, "1", part))

    def claimed(self, tree: Any, talk: Conversation) -> Any:
        """Return a described object that says more of itself than it did."""
        chance = self.chance
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            at = chance.randrange(2, len(tree)) if len(tree) > 2 else 0
            if at == 2 and tree[0] == "c":
                tree[2] = self.bases(talk)
            elif at == 2 and tree[0] == "e" and self.keeps_form:
                tree[2] = ["k", chance.choice(self.bases_known)]
            elif at and isinstance(tree[at], dict) and tree[at]:
                key = chance.choice([*tree[at]])
                if self.keeps_form and key == "form":
                    continue
                tree[at][key] = self.said(tree[at][key])
            elif at and isinstance(tree[at], list) and tree[at][:1] and isinstance(tree[at][0], str):
                tree[at] = self.claimed(tree[at], talk)
            elif at and not self.keeps_form:
                tree[at] = self.said(tree[at])
        return tree

    def extended(self, tree: Any) -> Any:
        """Return what a module of Julia is said to have, with more methods of functions of Base for its types."""
        types = [
            part[3][1] for part in tree[2][1:] if len(part) == 4 and isinstance(part[3], list) and part[3][0] == "c"
        ]
        for name in self.chance.sample(_BASE, 3) if types else ():
            own = ["o", self.chance.choice(types)]
            tree[3].append(["t", name, ["t", *self.chance.choice(([own], [own, ["k", "Any"]], [["k", "Any"], own]))]])
        return tree

    def malformed(self, talk: Conversation) -> Any:
        """Return a tree that is not a value."""
        chance = self.chance
        draw = chance.random()
        if draw < 0.4:
            return self.renumbered(chance.choice(self.unsound), talk)
        if draw < 0.7:
            return ["k", chance.choice(_LIBRARY)]
        tree = self.value(talk)
        if not isinstance(tree, list) or not tree:
            return [chance.choice(["?", "", 5, None, "tt", "__proto__"]), tree]
        tree = copy.deepcopy(tree)
        at = chance.randrange(len(tree))
        wrong = (chance.choice(TAGS), 0, -99999, 99999, 1.5, 2**70, None, {}, [], "__proto__", ["o", 77777], [[]])
        match chance.randrange(4):
            case 0:
                del tree[at]
            case 1:
                tree.insert(at, chance.choice(wrong))
            case 2:
                tree[0] = chance.choice(TAGS)
            case _:
                tree[at] = chance.choice(wrong)
        return tree

    def renumbered(self, tree: Any, talk: Conversation) -> Any:
        """Return a tree with new numbers for the objects and containers that it introduces."""
        known: dict[int, int] = {}

        def number(tag: str, old: int) -> int:
            if tag in "#o":
                return known.get(old, old)
            if old not in known:
                known[old] = talk.number(tag)
            return known[old]

        return _each(tree, number)


def _each(tree: Any, number: Callable[[str, int], int]) -> Any:
    if isinstance(tree, dict):
        return {key: _each(part, number) for key, part in tree.items()}
    if not isinstance(tree, list):
        return tree
    numbered = len(tree) > 1 and isinstance(tree[0], str) and tree[0] in "ldrsBwxcey#o" and type(tree[1]) is int
    if numbered and tree[0] and tree[1] < 0:
        return [tree[0], number(tree[0], tree[1]), *(_each(part, number) for part in tree[2:])]
    return [_each(part, number) for part in tree]
