# Whether a submission's answers are the reference's, whatever else its messages say: `julia told_answers.jl APART
# BOUNDARY`, where APART has the sources. It says what does not hold.

const BOUNDARY = read(ARGS[2], String)
task_local_storage(() -> include_string(Main, read(ARGS[1], String), "apart"), :gradebox_program, start -> nothing)
const G = GradeboxApart

const FAILED = Ref(0)
holds(is_so::Bool, what) = is_so || (println("It does not hold: $what"); FAILED[] += 1)

# Messages as trees, written with brackets of every type.
tree(value) = value
tree(value::Union{Vector,Tuple}) = Any[tree(part) for part in value]
message(parts...) = tree(parts)
answer(value; changes = (), released = (), id = 1) = message("=", id, changes, released, value)
type(number, name = "Cart"; fields = ("t", "x"), calls = false) = ("c", number, (("k", "Any"),), Dict{String,Any}(
    "name" => name, "form" => "struct", "parameters" => 0, "calls" => calls, "module" => Any["t"], "fields" =>
    tree(fields), "members" => Any["t"]))
called(number, name = "total") = ("x", number, "function", nothing, Dict{String,Any}("name" => name))
raised(text, code = 1) = message("!", 3, (), (), ("e", 0, ("k", "DomainError"), ("t", code, text), Dict{String,Any}()))
thrown(text, code) = message("!", 3, (), (), ("n", type(-9, "Wrong"), code, text))

const FIRST = [answer(("l", -1, "", 1, 2)), answer(("n", type(-2), called(-3))), raised("no cart")]

const LENT = [Ref(number) for number in 1:5]
mutable struct Run
    answers::G.Answers
    contract::G.Contract
end
function Run(words = (); exact = false, record = false)
    run = Run(G.Answers(), G.Contract())
    run.contract.record = record
    G.expect!(run.answers, words, exact)
    foreach(number -> G.lent!(run.answers, number, LENT[number]), 1:5)
    return run
end
function test(run::Run, name, messages; passed = true, looked = false, request = "call")
    run.answers.request = request
    foreach(message -> G.hear!(run.answers, message), deepcopy(messages))
    return G.end_part!(run.answers, run.contract, name, passed, looked)
end
function reference(tests...; looked = false, request = "call")
    run = Run(; record = true)
    foreach(((name, messages),) -> test(run, name, messages; looked = looked, request = request), tests)
    return run.contract.noted["#answers"]
end
outcomes(run::Run) = Pair{String,String}[run.answers.outcomes...]
function told(messages, expected = FIRST; words...)
    run = Run(reference(("a", expected)))
    test(run, "a", messages; words...)
    found = outcomes(run)
    return length(found) == 1 && found[1].first == "a" ? found[1].second : repr(found)
end

for same in (
    FIRST,
    [answer(("l", -7, "", 1, 2)), answer(("n", type(-8; calls = true), called(-9, "sum"))), raised("no cart")],
    [answer(("l", -1, "", 1, 2); id = 5, released = (4,)), FIRST[2:3]...],
)
    holds(told(same) == "same", same)
end
for other in (
    FIRST[1:2],
    [FIRST; FIRST[1:1]],
    FIRST[[2, 1, 3]],
    [answer(("t", 1, 2)), FIRST[2:3]...],
    [answer(("l", -1, "", 1, 2.0)), FIRST[2:3]...],
    [answer(("l", -1, "", 1, 2); changes = (("l", 4, "", 7),)), FIRST[2:3]...],
    [FIRST[1], answer(("n", type(-2, "Basket"), called(-3))), FIRST[3]],
    [FIRST[1], answer(("n", type(-2; fields = ("t", "y")), called(-3))), FIRST[3]],
    [FIRST[1], answer(("#", -1)), FIRST[3]],
    [FIRST[1:2]..., raised("no cart", 2)],
    [FIRST[1:2]..., answer(nothing)],
    [FIRST..., message("?", 1, (), (), "call", ("o", 3), ("t",), ("n", ("t",)))],
)
    holds(told(other) == "other", other)
end

# Which object comes back counts.
const BACK = [answer(("l", -1, "")), answer(("l", -2, "")), answer(("o", 3)), answer(("#", -1))]
for at in (2, 4)
    holds(told([BACK[1:2]..., answer(("o", at)), BACK[4]], BACK) == "other", "another object of the tests")
end
holds(told([BACK[1:3]..., answer(("#", -2))], BACK) == "other", "another object of the submission")

# Sets and dicts have no order, whatever they hold.
const HELD = [("l", -2, "", 1), ("l", -3, "", 2), ("n", type(-4), called(-5)), "a", 3]
const TYPED = [("n", type(-2), "a"), ("n", ("o", -2), "b")]
const TURNED = [("n", type(-2), "b"), ("n", ("o", -2), "a")]
for (one, other) in (
    (("s", -1, "", HELD...), ("s", -1, "", HELD[[5, 3, 2, 4, 1]]...)),
    (("s", -1, "Set", ("k", "Int"), 1, 2), ("s", -7, "Set", ("k", "Int"), 2, 1)),
    (("s", -1, "", TYPED...), ("s", -1, "", TURNED...)),
    (("s", -1, "", ("o", 3), ("o", 4)), ("s", -1, "", ("o", 4), ("o", 3))),
    (("d", -1, "", "a", HELD[1], "b", HELD[2]), ("d", -1, "", "b", ("l", -2, "", 2), "a", ("l", -3, "", 1))),
)
    holds(told([answer(one)], [answer(other)]) == "same", "an order: $one")
end
for other in (("s", -1, "", 1, 3), ("s", -1, "", 1, 2, 2), ("s", -1, "Set", ("k", "Int"), 1, 2), ("d", -1, "", 1, 2))
    holds(told([answer(other)], [answer(("s", -1, "", 1, 2))]) == "other", other)
end
holds(told([answer(("d", -1, "", "a", 1, "b", 2))], [answer(("d", -1, "", "a", 2, "b", 1))]) == "other", "values")

# The state of an iteration counts only where the tests read it.
const STEPS = [answer(("t", 1, state)) for state in (2, ("l", -2, "", 5), "l")]
for state in STEPS
    holds(told([state], STEPS[1:1]) == (state === STEPS[1] ? "same" : "other"), "no state")
    run = Run(reference(("a", [STEPS[1], answer(nothing)]); request = "iterate"))
    test(run, "a", [state, answer(nothing; changes = state === STEPS[2] ? (("l", -2, "", 6),) : ())];
        request = "iterate")
    holds(outcomes(run) == ["a" => "same"], "the state of an iteration: $(outcomes(run))")
end
for (text, outcome) in (("iterate(x)", "other"), ("for x in reiterated(y) end", "same"))
    run = Run(reference(("a", STEPS[1:1]); request = "iterate"))
    G.hear_names!(run.answers, text)
    test(run, "a", STEPS[2:2]; request = "iterate")
    holds(outcomes(run) == ["a" => outcome], "$text: $(outcomes(run))")
end

# What an `include` returns counts only where the tests use it.
for (is_used, texts) in (
    true => ("x = include(\"a.jl\")", "f(include(\"a.jl\"))", "map(include, all)",
        "begin\n1\ninclude(\"a.jl\")\nend |> f", "f() = include(\"a.jl\")", "function f()\n1\ninclude(\"a.jl\")\nend",
        "include(\"a.jl\").b", "eval(:(include(\"a.jl\")))", "load = Base.include", "x = y && include(\"a.jl\")",
        "@test Main.include(\"a\") == 1",
        "eval(Meta.parse(\"include(x)\"))", "include(include(\"a.jl\"))",
        "getfield(Main, :include)(\"a.jl\")"),
    false => ("include(\"a.jl\")", "using Test; include(\"a.jl\"); using .A", "module A\ninclude(\"a.jl\")\nend",
        "for x in y\ninclude(x)\nend", "isdefined(Main, :f) || include(\"a.jl\")", "@test f(1) == 2", "included(1)",
        "@testset \"a\" begin\ninclude(\"a.jl\")\n@test f(1)\nend", "Base.include(A, \"a.jl\")",
        "include(joinpath(a, b))",
        "if x\ninclude(\"a.jl\")\nelse\ninclude(\"b.jl\")\nend", "", "1 +", ")"),
), text in texts
    contract = G.Contract()
    G.read_text!(contract, text)
    holds(contract.takes_values == is_used, "a value is used in `$text`: $is_used")
end

# Nobody knows whether a test reads the text of an exception. Its class and its other fields count.
holds(told([FIRST[1:2]..., raised("none there")]) == "unknown", "a text of an exception of the library")
holds(told([thrown("b", 1)], [thrown("a", 1)]) == "unknown", "a text")
holds(told([thrown("b", 2)], [thrown("a", 1)]) == "other", "a text and a field")
holds(told([thrown("a", 2)], [thrown("a", 1)]) == "other", "a field")
const WRITTEN = [answer(nothing; changes = (("B", 5, "IOBuffer", text),)) for text in ("YQ==", "Yg==")]
holds(told(WRITTEN[1:1], WRITTEN[2:2]) == "other", "what is written to a stream of the tests")
for (text, outcome) in (("YQ==", "same"), ("Yg==", "unknown"))
    shown = Run(reference(("a", WRITTEN[1:1]); request = "showerror"))
    test(shown, "a", [answer(nothing; changes = (("B", 5, "IOBuffer", text),))]; request = "showerror")
    holds(outcomes(shown) == ["a" => outcome], "what `showerror` writes: $(outcomes(shown))")
end
holds(told(WRITTEN[1:1], WRITTEN[2:2]; request = "showerror") == "other", "no text of an exception")

# To find the tests that read no text, each text is replaced by another one, in no order, or all texts are by one.
for (how, count) in ((1, 5), (2, 1))
    run = Run(; record = true)
    run.answers.rewording = how
    messages = [raised("a"), raised("a"), thrown("b", 1), deepcopy(WRITTEN[1]), raised("c")]
    foreach(messages) do message
        run.answers.request = message[1] == "=" ? "showerror" : "call"
        G.hear!(run.answers, message)
    end
    G.end_part!(run.answers, run.contract, "a", true, false)
    texts = [messages[1][5][4][3], messages[2][5][4][3], messages[3][5][4], messages[5][5][4][3]]
    push!(texts, String(G.base64decode(messages[4][3][1][4])))
    holds(length(unique(texts)) == count && all(==(1), length.(texts)), "texts that are replaced: $texts")
    holds(how == 2 || !issorted(texts[1:2]) && !issorted(texts[1:3]; rev = true), "the order of texts: $texts")
    holds(any(endswith(" reworded"), run.contract.noted["#answers"]), "a test that passes with other texts")
end

# What a module has counts once the tests have it: by a name, or because something gives it.
const FOUND = ("l", -4, "", 1)
const MODULE = [answer(("t", nothing, ("t", ("t", "LIMITS", "const", FOUND), ("t", "help", "const", called(-5)))))]
const SHORTER = [answer(("t", nothing, ("t", ("t", "LIMITS", "const", FOUND))))]
const LONGER = [answer(("t", nothing, ("t", ("t", "LIMITS", "const", ("l", -4, "", 2)))))]
function loaded(run::Run, messages, text, later = [answer(("#", -4))])
    run.answers.request = "import"
    foreach(message -> G.hear!(run.answers, message), deepcopy(messages))
    for each in messages[1][5][3][2:end]
        push!(run.answers.names, (each[2], each[2], each[4]))
    end
    G.hear_names!(run.answers, text)
    test(run, "a", later)
    return run
end
function compared(text, messages, later = [answer(("#", -4))]; first = later)
    recorded = loaded(Run(; record = true), MODULE, text, first)
    found = outcomes(loaded(Run(recorded.contract.noted["#answers"]), messages, text, later))
    return isempty(found) ? "" : found[1].second
end
holds(compared("LIMITS == 1", SHORTER) == "same", "a function that no test spells")
holds(compared("help(LIMITS)", SHORTER) == "other", "a function that a test spells")
holds(compared("help", SHORTER; first = [answer(1)]) == "other", "the same, and another answer")
holds(compared("", LONGER) == "other", "what a name has, once something gives it")
holds(compared("LIMITS", LONGER, [answer(1)]) == "other", "what a name has that a test spells")
holds(compared("", LONGER, [answer(1)]) == "same", "what a name has that nothing gives")
const GROWN = [answer(1; changes = (("l", -4, "", 1, 2),)), answer(("#", -4))]
holds(compared("", MODULE, GROWN[1:1]; first = [answer(1)]) == "same", "a change that no test sees")
holds(compared("", MODULE, GROWN; first = [answer(1), answer(("#", -4))]) == "other", "a change that is seen later")

# Another test that differs changes nothing, also if the candidate has released what it was lent.
for number in (2, 12)
    run = Run(reference(("a", FIRST), ("b", [answer(("l", -9, "", 3)), answer(("o", 2))])))
    test(run, "a", [answer(("l", -8, "", 7))]; passed = false)
    number == 2 || (G.released!(run.answers, 2, LENT[2]); G.lent!(run.answers, number, LENT[2]))
    test(run, "b", [answer(("l", -19, "", 3)), answer(("o", number))])
    holds(outcomes(run) == ["b" => "same"], "after another test: $(outcomes(run))")
end
for (number, outcome) in ((-1, "same"), (-4, "other"))
    tests = [("a", FIRST), ("b", [answer(("#", -1))])]
    run = Run(reference(tests...))
    test(run, "a", FIRST)
    test(run, "b", [answer(("#", number))])
    holds(last(outcomes(run)) == ("b" => outcome), "an object of an earlier test")
end

# If answers must be the same, a test with others fails, and so does one whose answers cannot be compared.
# Limits are reported.
G.REPORT[] = (IOBuffer(), "token")
for exact in (true, false)
    run = Run(reference(("a", FIRST), ("b", FIRST)); exact = exact)
    holds(test(run, "a", FIRST) == "", "the same answers")
    holds((test(run, "b", FIRST[1:1]) == "") != exact, "exact: $exact")
    holds(outcomes(run) == (exact ? ["a" => "same"] : ["a" => "same", "b" => "other"]), "outcomes, exact: $exact")
    varying = [reference(("a", FIRST))...; reference(("a", FIRST[1:1]))...; reference(("b", FIRST); looked = true)...]
    run = Run(varying; exact = exact)
    reasons = [test(run, "a", FIRST), test(run, "b", FIRST[1:1])]
    whys = ["a: the reference gives others in each run", "b: it also uses files, programs, connections or the state of its own process"]
    holds(exact ? all(map(endswith, reasons, whys)) : reasons == fill("", 2), "unknown: $reasons")
    holds(last.(outcomes(run)) == (exact ? [] : fill("unknown", 2)), "unknown, exact: $exact")
    # What the reference did not do makes nothing unknown.
    run = Run(reference(("a", FIRST)); exact = exact)
    reasons = [test(run, "a", FIRST[1:1]; looked = true), test(run, "new", FIRST)]
    holds((reasons == fill("", 2)) != exact, "other answers, exact: $exact")
    holds(last.(outcomes(run)) == (exact ? [] : fill("other", 2)), "other, exact: $exact")
end

# What is not counted: tests that fail, and those in which nothing was sent.
const NONE = Run(reference(("a", FIRST), ("b", []), ("", FIRST)))
test(NONE, "a", FIRST; passed = false)
test(NONE, "b", [])
test(NONE, "", FIRST)
holds(isempty(outcomes(NONE)), "nothing to count")
test(NONE, "", FIRST[1:1])
holds(outcomes(NONE) == ["what happened before the first test" => "other"], "before the first test")
const EARLY = Run(reference(("", FIRST), ("a", [answer(1)])))
test(EARLY, "", [FIRST[1:2]..., raised("none there")])
test(EARLY, "a", [answer(1)])
holds(last.(outcomes(EARLY)) == ["unknown", "unknown"], "unknown before tests")

# What comes under the number of something that no test has is another answer.
const LIE = answer(("t", nothing, ("t", ("t", "LIMITS", "const", FOUND), ("t", "@twice", "macro", ("l", -4, "", 2)))))
holds(compared("LIMITS", [LIE], [answer(1)]) == "other", "two contents for a number")
holds(compared("", LONGER, [answer(FOUND)]; first = [answer(("#", -4))]) == "other", "another content for a number")

# What is malformed is another answer.
for parts in (("x",), ("c", -3, 7, 8), ("l", "x", ""), ("e", 0, 1, 2, 3), (("l",), 1))
    holds(told([answer(parts)], [answer(nothing)]) == "other", parts)
end

G.REPORT[] = (IOBuffer(), "token")
G.report_answers(NONE.answers)
const LINE = String(take!(G.REPORT[][1]))
const COUNTS = "{\"same\":0,\"other\":1,\"unknown\":0,\"tests\":[\"what happened before the first test\"]}"
holds(LINE == "token answers $COUNTS\n", LINE)
println("$(FAILED[]) do not hold")
exit(FAILED[] == 0 ? 0 : 1)
