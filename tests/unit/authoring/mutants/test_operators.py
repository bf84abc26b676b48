"""Each operator has a mutant that it alone makes."""

from __future__ import annotations

import pytest

from gradebox.graders.authoring.mutants.mutation import mutants_of


@pytest.mark.parametrize(
    ("operator", "path", "source", "after"),
    [
        ("arithmetic", "a.py", "c = a + b", "c = a - b"),
        ("boundary", "a.py", "c = a < b", "c = a <= b"),
        ("relational", "a.py", "c = a not in b", "c = a in b"),
        ("logical", "a.py", "c = a and b", "c = a or b"),
        ("constant", "a.py", "c = True", "c = False"),
        ("constant", "a.py", "c = ''", "c = 'mutant'"),
        ("constant", "a.py", "c = 'x'", "c = ''"),
        ("constant", "a.py", "c = 0", "c = -1"),
        ("negated condition", "a.py", "c = a if b else d", "c = a if not (b) else d"),
        ("negated condition", "a.js", "if (a) b();", "if (!(a)) b();"),
        ("removed statement", "a.sh", "rm a", ":"),
        ("return value", "a.js", "function f() { return a; }", "function f() { return undefined; }"),
        ("swapped arguments", "a.jl", "f(a, b)", "f(b, a)"),
        ("off by one", "a.py", "c = a[b:]", "c = a[b + 1:]"),
        ("off by one", "a.py", "c = range(a)", "c = range(a + 1)"),
        ("off by one", "a.js", "c = a.slice(b);", "c = a.slice(b + 1);"),
        ("swallowed exception", "a.js", "throw a;", ";"),
        ("swallowed exception", "a.js", "try { a(); } catch (e) { b(); }", "try { a(); } catch (e) {}"),
        ("break and continue", "a.js", "for (;;) { break; }", "for (;;) { continue; }"),
        ("removed await", "a.js", "async function f() { await a; }", "async function f() { a; }"),
        ("default value", "a.js", "function f(a = b) {}", "function f(a = undefined) {}"),
    ],
)
def test_an_operator_makes_its_mutant(operator: str, path: str, source: str, after: str) -> None:
    assert (operator, after) in {(m.operator, m.after) for m in mutants_of(path, f"{source}\n", {1})}


@pytest.mark.parametrize("source", ["area(a, b) = a * b", "function area(a, b) end"])
def test_parameters_of_a_definition_are_no_arguments(source: str) -> None:
    assert "swapped arguments" not in {m.operator for m in mutants_of("a.jl", f"{source}\n", {1})}
