"""For each invariant of docs/explanation/boundary.md, a change of the bundled program that removes it.

The product has no switch (docs/adr/0010). A change replaces a piece of text that the program has exactly once, so that
one which the program outgrew fails loudly. The liar has to find each: at the checkpoint (`gates`) or through a real
runner, with the exercise that shows it (`lies.found`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SHORTENED = {
    "const": "(?:const|let)",
    "undefined": r"(?:undefined|void\s0)",
    "true": "(?:true|!0)",
    "false": "(?:false|!1)",
}


@dataclass(frozen=True, slots=True)
class Weakened:
    """A program without one invariant.

    Attributes:
        invariant: As the page names it.
        what: What is gone.
        language: Of the program.
        changes: Pieces that the program has once, and what takes their place.
        exercise: The file of tests that shows it, "" if the checkpoint alone does.
        is_quick: Whether it is always found in a few seconds, so that CI can look.
    """

    invariant: str
    what: str
    language: str
    changes: tuple[tuple[str, str], ...]
    exercise: str = ""
    is_quick: bool = False

    def __str__(self) -> str:
        return f"{self.language}: {self.invariant}: {self.what}"

    def weaken(self, source: str) -> str:
        """Return a program without the invariant.

        Raises:
            ValueError: If the program does not have the text once.
        """
        for old, new in self.changes:
            # However the lines are broken, and however a bundle shortens words and functions.
            parts = (re.escape(part) for part in re.findall(r"\w+|[^\w\s]", old))
            words = r"\s*".join(_SHORTENED.get(part, part) for part in parts)
            pattern = re.compile(re.sub(r"\\\((\\s\*\w+\\s\*)\\\)(?=\\s\*=\\s\*>)", r"\\(?\1\\)?", words))
            count = len(pattern.findall(source))
            # A runner has other programs around the one that matters.
            if self.exercise and count == 0:
                continue
            if count != 1:
                raise ValueError(f"{self}: the program has {count} times {old!r}")
            source = pattern.sub(lambda _, new=new: new, source)
        if self.language == "python":
            # A program that does not begin would be found, too.
            compile(source, "weakened", "exec")
        return source


JAVASCRIPT = (
    Weakened(
        "Checkpoint",
        "requests are not looked up",
        "javascript",
        (("this.check(...rest)", 'must(rest.length > 0, "it is not a request")'),),
    ),
    Weakened(
        "Subjects",
        "a request may name what was never lent",
        "javascript",
        (
            ("must(permits(what, this.lentUnder(subject[1]).kind, named),", "must(isText(what),"),
            ("const { at, asserting } = this.lent.get(this.numbers.get(subject));", "const [at, asserting] = [];"),
        ),
        is_quick=True,
    ),
    Weakened(
        "Contract",
        "everything is asked",
        "javascript",
        (
            ("if (!this.isKnown) return true; return Boolean(", "return true; return Boolean("),
            ("if (!this.isKnown) return true; const kinds", "return true; const kinds"),
        ),
        is_quick=True,
    ),
    Weakened(
        "Comparison",
        "a number may be another one at each comparison",
        "javascript",
        (("throw this.spoil(this.limit(`an object may", "void (this.spoil, (`an object may"),),
    ),
    Weakened(
        "Lent objects",
        "the text of a failed assertion is sent",
        "javascript",
        (('if (isFailure(error) || "expected" in error)', "if (false)"),),
        is_quick=True,
    ),
    Weakened(
        "Lent objects",
        "private attributes are given",
        "javascript",
        (('return Boolean(rule) && !key.startsWith("_") &&', "return Boolean(rule) &&"),),
        is_quick=True,
    ),
    Weakened(
        "Lent objects",
        "a function of the library without a name is lent",
        "javascript",
        (
            (
                'if (name === "") throw this.limit',
                'if (name === "") return undefined; if (name === "-") throw this.limit',
            ),
        ),
        is_quick=True,
    ),
    Weakened(
        "Lent objects",
        "a text becomes code",
        "javascript",
        (('throw this.spoil(this.limit("tests make code of', 'void (this.spoil, this.limit("tests make code of'),),
        is_quick=True,
    ),
    Weakened(
        "Failures",
        "a failure in a function of the tests is forgotten",
        "javascript",
        (("this.failures.push({ error, at, isOfTest })", "void 0"),),
        exercise="checks",
        is_quick=True,
    ),
    Weakened(
        "Intrinsics",
        "a name of the library is an object of it",
        "javascript",
        (
            (
                'named() {\n    throw new Malformed("it names nothing that both sides have")',
                "named(name) {\n    return globalThis[name]",
            ),
        ),
    ),
    Weakened(
        "Deeds",
        "functions with assertions need not be called",
        "javascript",
        (("this.spoil(new TypeError(`no function of the tests", "void (new TypeError(`no function of the tests"),),
        exercise="deeds",
    ),
    Weakened(
        "Deeds",
        "what a test passes changes everywhere",
        "javascript",
        (("return places.some(", "return true || places.some("),),
        exercise="arguments",
    ),
    Weakened(
        "Modules",
        "all of the workspace is the case's",
        "javascript",
        (
            (
                "if (this.files) return file.startsWith(`${this.workspace}/`) &&",
                "if (this.files) return fs.existsSync(file) ||",
            ),
        ),
        exercise="functions",
        is_quick=True,
    ),
)
PYTHON = (
    Weakened(
        "Checkpoint",
        "requests are not looked up",
        "python",
        (
            ("if what not in _REQUESTS:", "if not what:"),
            ("return bool(_REQUESTS.get(what, {}).get(kind))", "return True"),
        ),
    ),
    Weakened(
        "Subjects",
        "a request may name data or a type",
        "python",
        (('raise Malformed("it names no object that was lent")', 'return what, [None, (("",),), "object"]'),),
    ),
    Weakened(
        "Descriptions",
        "a class may have any base",
        "python",
        (
            (
                "if not all(isinstance(base, StandInType) or issubclass(base, BaseException) for base in kinds):",
                "if not all(isinstance(base, type) for base in kinds):",
            ),
        ),
    ),
    Weakened(
        "Contract",
        "everything is asked",
        "python",
        (('return any(word in self.words.get("".join(path), ()) for path in paths_of(thing, link))', "return True"),),
        is_quick=True,
    ),
    Weakened(
        "Contract",
        "an object may come where the reference gave data",
        "python",
        (
            ("return (bool(kinds) or is_known) and not any(", "return True or any("),
            (
                'return any(word in self.words.get("".join(path), ()) for path in paths_of(thing, link))',
                "return verb != 'get' or word in self.words.get(''.join(paths_of(thing, link)[0]), ())",
            ),
        ),
    ),
    Weakened(
        "Comparison",
        "an object is asked whether it is equal to a value of the tests",
        "python",
        (("return data_of(self, data) == other if is_data else NotImplemented", "pass"),),
    ),
    Weakened(
        "Failures",
        "a test may expect an error of gradebox itself",
        "python",
        (("def forbid(self, error): self.refused", "def forbid(self, error):\n  was_refused"),),
        is_quick=True,
    ),
    Weakened(
        "Lent objects",
        "the text of a failed assertion is sent",
        "python",
        (("((), {}) if is_failure(error) else (error.args, fields_of(error))", "(error.args, {})"),),
        is_quick=True,
    ),
    Weakened(
        "Lent objects",
        "private attributes are given",
        "python",
        (('if name.startswith("_"): return False if kind == "mock"', 'if kind == "mock"'),),
        is_quick=True,
    ),
    Weakened(
        "Lent objects",
        "a mock can be administered",
        "python",
        (("return not name.startswith(_CLOSED)", "return True"),),
    ),
    Weakened(
        "Answers",
        "requests do not enter the digest",
        "python",
        (("if self.is_told: self.found.update(data)", "if self.is_told and kind != '?': self.found.update(data)"),),
        exercise="answers",
    ),
    Weakened(
        "Answers",
        "changes do not enter the digest",
        "python",
        (("encoded([kind, [*map(self.plain, changes)],", "encoded([kind,"),),
        exercise="answers",
    ),
    Weakened(
        "Answers",
        "what is printed does not enter the digest",
        "python",
        (('self.found.update(encoded(["printed", data.decode("latin-1")]))', "pass"),),
        exercise="answers",
    ),
    Weakened(
        "Answers",
        "`contract: exact` fails nothing",
        "python",
        (('is_refused = self.is_exact and passed and outcome != "same"', "is_refused = False"),),
        exercise="answers",
        is_quick=True,
    ),
    Weakened(
        "Deeds",
        "no deed is missed",
        "python",
        (("missing = sorted(self.expected.get(part, set()) - done) if passed else []", "missing = []"),),
        exercise="deeds",
    ),
    Weakened(
        "Deeds",
        "a call counts before it has ended",
        "python",
        (
            (
                "return self.deeds.called(thing, thing(*args, **unflat(flat)))",
                "return self.deeds.called(thing, None) or thing(*args, **unflat(flat))",
            ),
        ),
        exercise="deeds",
    ),
    Weakened(
        "Deeds",
        "a hidden file need not be opened",
        "python",
        (('self.done.add(f"open {path}")', "pass"),),
        exercise="deeds",
    ),
    Weakened(
        "Deeds",
        "what a test passes changes everywhere",
        "python",
        (("return value if self.checkpoint.words is None else part_from(self, value)", "return value"),),
        exercise="deeds",
    ),
    Weakened(
        "Deeds",
        "two constants may be one",
        "python",
        (('raise self.checkpoint.forbid(AttributeError(f"{path} and', 'str(AttributeError(f"{path} and'),),
        exercise="constants",
        is_quick=True,
    ),
    Weakened(
        "Modules",
        "all of the workspace is the case's",
        "python",
        (
            ("return os.path.relpath(os.path.abspath(path), self.workspace) in (self.digests or ())", "return True"),
            ("if openssl_sha256(data).hexdigest() != digest:", "if not data:"),
        ),
        exercise="functions",
        is_quick=True,
    ),
    Weakened(
        "Tests",
        "functions of a submission are tests",
        "python",
        (("if link_of(obj) is None and not isinstance(obj, StandInType):", "if name:"),),
        exercise="star",
    ),
)
JULIA = (
    Weakened(
        "Checkpoint",
        "requests are not looked up",
        "julia",
        (("peer.is_grader || return subject = get(tree, 6, nothing)", "return"),),
    ),
    Weakened(
        "Subjects",
        "a request may name a type of the library",
        "julia",
        (
            ('&& subject[2] isa Int && subject[2] > 0, "it asks', ', "it asks'),
            ("must(haskey(peer.entries, subject[2]) && rules !== nothing", "must(rules !== nothing"),
            (
                'get(rules, kind, false) === true, "it asks for what is not allowed"',
                'true, "it asks for what is not allowed"',
            ),
            ('must(is_list(subject, "o", 2) && length(subject)', 'must(is_list(subject, "ok", 2) && length(subject)'),
            ("path = peer.is_grader ? peer.entries[tree[6][2]].path : NOWHERE", "path = NOWHERE"),
        ),
    ),
    Weakened(
        "Descriptions",
        "a type may be below one of the library",
        "julia",
        (("is_above ? above : Any", "above isa DataType && isabstracttype(above) ? above : Any"),),
    ),
    Weakened(
        "Contract",
        "everything is asked",
        "julia",
        (
            ("contract.words === nothing && return true", "return true"),
            ("contract.record || any(words ->", "true || any(words ->"),
        ),
    ),
    Weakened(
        "Comparison",
        "an object is asked if it is equal to a value of the tests",
        "julia",
        (
            ("compare -> compare === getfield(Base, name), COMPARING", "_ -> false, COMPARING"),
            ("is_kept(contract) || return NOWHERE, words[1]", "return NOWHERE, words[1]"),
            ("is_kept(peer.contract) ? !(name in ANYWAY", "is_kept(peer.contract) ? false && !(name in ANYWAY"),
            ("contract.words === nothing && return true", "return true"),
        ),
    ),
    Weakened(
        "Failures",
        "a failure in a function of the tests is forgotten",
        "julia",
        (('fail("the submission caught what', 'say("the submission caught what'),),
        exercise="checks",
    ),
    Weakened(
        "Lent objects",
        "the text of a failed assertion is sent",
        "julia",
        (('return AssertionError("assertion $request of the tests")', "return error"),),
    ),
    Weakened(
        "Deeds",
        "what a test passes changes everywhere",
        "julia",
        (("number > 0 && entry.is_back && return true", "number > 0 && return true"),),
        exercise="deeds",
    ),
    Weakened(
        "Modules",
        "all of the workspace is the case's",
        "julia",
        (
            ("digest === nothing && return nothing", ""),
            ('bytes2hex(sha256(data)) == digest || error("$path is not what the case has.")', ""),
        ),
        exercise="functions",
    ),
)
ALL = (*PYTHON, *JAVASCRIPT, *JULIA)
_EACH = ("python", "javascript", "julia")
# The languages whose grader's process has something of it. Files are the supervisor's.
INVARIANTS = {
    "Answers": ("python",),
    "Checkpoint": _EACH,
    "Subjects": _EACH,
    "Descriptions": ("python", "julia"),
    "Contract": _EACH,
    "Comparison": _EACH,
    "Deeds": _EACH,
    "Failures": _EACH,
    "Lent objects": _EACH,
    "Modules": _EACH,
    "Tests": ("python",),
    "Intrinsics": ("javascript",),
}
