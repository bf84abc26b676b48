# Asks words.jl from outside. Candidates never see this file, and words.jl runs as another user that cannot read it.

include("gradebox_candidate.jl")

for (text, wanted) in ["one\n" => 1, "  \t\n" => 0, "a\n\nb  c\td" => 4]
    ran = GradeboxCandidate.run(`julia --startup-file=no words.jl`; input=text, timeout=10)
    if strip(ran.stdout) != string(wanted)
        println(stderr, "words.jl printed $(repr(first(ran.stdout, 100))) for $(repr(text)), $wanted was expected")
        println(stderr, last(ran.stderr, 500))
        exit(1)
    end
end
