# Makes Julia's system image anew, with the programs that gradebox runs compiled in it: `julia system_image.jl make
# FILE`. It runs while an image is built, beside the sources of these programs. `bundle.py` says how they are found.
# `julia system_image.jl run NAME` runs one of them, so that Julia tells what it compiles for it.

let
    programs = Dict(
        "items" => ("equality.jl", "controls.jl", "item_runner.jl"),
        "calls" => ("call_runner.jl",),
        "answers" => ("answer_text.jl", "answer_runner.jl"),
        "answer" => ("equality.jl", "controls.jl", "answer_program.jl"),
        "apart" => ("json.jl", "contract.jl", "answers.jl", "rewording.jl", "sharing.jl", "codec.jl", "containers.jl",
            "objects.jl", "peer.jl", "candidate.jl", "grader.jl", "operators.jl", "files.jl", "tests.jl", "items.jl"),
        "tests" => ("equality.jl", "controls.jl", "julia_test_adapter.jl"),
    )
    here = @__DIR__
    part = ((name, text),) -> "$name $(sizeof(text))\n$text\n"
    comparing = "f(x) = x + 1\n@assert f(1) == 2 && \"a\" * \"b\" == \"ab\"\n@test f(1) == 2\n" *
        "f(1) == 2 || error(\"x\")\nif f(1) != 2\n    throw(ErrorException(\"x\"))\nend\n" *
        "@test [1.0] ≈ [1.0]\n@test_throws ErrorException error(\"x\")"
    # What a submission that is judged apart has, and what tests do with it: the more kinds, the less is compiled later.
    submitted = """
    several() = (Set([1, 2]), Dict("a" => 1))
    struct Passed; a; b; end
    abstract type Shape end
    struct Square <: Shape; side::Float64; end
    area(shape::Square) = shape.side^2
    mutable struct Stack{T}; items::Vector{T}; end
    Stack{T}() where T = Stack{T}(T[])
    Base.push!(stack::Stack, item) = (push!(stack.items, item); stack)
    Base.pop!(stack::Stack) = isempty(stack.items) ? throw(ArgumentError("empty")) : pop!(stack.items)
    Base.length(stack::Stack) = length(stack.items)
    Base.isempty(stack::Stack) = isempty(stack.items)
    Base.getindex(stack::Stack, i::Int) = stack.items[i]
    Base.iterate(stack::Stack, at = 1) = iterate(stack.items, at)
    Base.:(==)(one::Stack, other::Stack) = one.items == other.items
    Base.:+(one::Passed, other::Passed) = Passed(one.a + other.a, one.b)
    Base.show(io::IO, stack::Stack) = print(io, "Stack of ", length(stack))
    same(x) = x === -1 ? throw(DomainError(x, "x")) : x
    each(f, xs) = map(f, xs)
    greeting(name; word = "Hello") = word * name
    doubled!(xs) = (xs .*= 2; xs)
    """
    passing = """
    @test same([1, 2]) == [1, 2] && same(Any["a", 1.0, (1, :b), Dict("a" => 1), Set([1]), nothing, 'c',
        0x01, big(2)^70, 1//2, 1:3, "x\\"", (a = 1,), NaN, Int]) isa Vector
    @test same([1 2; 3 4]) == [1 2; 3 4] && same(Dict("a" => [1.5])) == Dict("a" => [1.5]) && same(true) && same(1) != 2
    @test Passed(1, "a").b == "a" && (Passed(1, "a") + Passed(2, "b")).a == 3 && 1 in several()[1]
    @test area(Square(2)) ≈ 4.0 && Square(1.0) isa Shape && each(x -> x + 1, [1]) == [2]
    @test greeting("a") == "Helloa" && greeting("a"; word = "b") == "ba"
    stack, numbers = Stack{Int}(), [1, 2]
    @test isempty(stack) && length(push!(push!(stack, 1), 2)) == 2 && stack[1] == 1 && collect(stack) == [1, 2]
    @test pop!(stack) == 2 && stack.items == [1] && string(stack) == "Stack of 1" && stack == push!(Stack{Int}(), 1)
    doubled!(numbers)
    @test numbers == [2, 4]
    @test_throws DomainError same(-1)
    @test_throws ArgumentError pop!(Stack{Int}())
    """
    # What each of them is given while Julia tells what it compiles: arguments, the stdin; and files. The items that are
    # judged apart record the contract by which the file of tests, which does the same, is judged.
    answering = "push!(empty!(ARGS), \"run\", \"answer\"); include(\"$here/system_image.jl\")"
    token = "token" => "a"^32
    items(parts...) = join(map(part, [token; parts...]))
    samples = [
        ("items", [], items("import" => "Test", "item" => comparing)),
        ("answers", [], items("program" => answering, "name" => "f", "limit" => "60 120", "example" => "f(1)",
            "test" => "@test f(1) == 2")),
        ("answer", [], join(map(part, ["secret" => "a", "import" => "Test", "begin" => "", "code" => "f(x) = x + 1",
            "item" => comparing, "item" => "@test f(1) == 3"]))),
        ("tests", ["runtests.jl"], "$(token.second)\n"),
        ("apart", [], items("import" => "Test", "setup" => "include(\"passed.jl\")", "item" => passing)),
        ("apart", ["parted.jl"], "$(token.second)\n"),
        ("calls", ["0"], "called.jl\nf\t(1,)\t(;)\nf\t(\"a\",)\t(;)\nf\t([1.0, 2.0],)\t(;)\n"),
    ]
    files = Dict(
        "passed.jl" => submitted,
        "called.jl" => "f(x) = x isa String ? error(x) : x .+ 1\n",
        "answer.md" => "It adds:\n\n```julia\nf(x) = x + 1\n```\n",
        "runtests.jl" => "using Test\n@testset \"all\" begin\n    @test 1 + 1 == 2\n" *
            "    @test_throws ErrorException error(\"x\")\nend\n",
        "parted.jl" => "using Test\ninclude(\"passed.jl\")\n@testset \"all\" begin\n$passing\nend\n",
    )

    digest = function (text)
        sha = Base.require(Base.PkgId(Base.UUID("ea8e919c-243c-51af-8825-aaa63cd721ce"), "SHA"))
        return bytes2hex(Base.invokelatest(sha.sha256, text))
    end
    # A program hands its function to whoever waits for one, and runs it otherwise.
    define = function ()
        Core.eval(Main, :(module GradeboxPrograms
        const PROGRAMS = Dict{String,Any}()
        end))
        for (name, sources) in programs
            text = join([read(joinpath(here, source), String) for source in sources], "\n")
            place = Core.eval(Main.GradeboxPrograms, Expr(:module, true, Symbol(name), Expr(:block)))
            keep = start -> Main.GradeboxPrograms.PROGRAMS[digest(text)] = Main.GradeboxPrograms.PROGRAMS[name] = start
            task_local_storage(() -> include_string(place, text, "gradebox"), :gradebox_program, keep)
        end
    end

    # In a process that writes an image, none of this has been done.
    prepare = function ()
        Base.reinit_stdio()
        Core.eval(Sys, :(BINDIR = ccall(:jl_get_julia_bindir, Any, ())::String))
        library = "v$(VERSION.major).$(VERSION.minor)"
        Core.eval(Sys, :(STDLIB = abspath(BINDIR, "..", "share", "julia", "stdlib", $library)))
        Base.init_depot_path()
        Base.init_load_path()
    end
    compile = function (statements)
        # By the names with which Julia tells of them, in a module that nobody sees.
        place = Module(:Statements)
        for known in (values(Base.loaded_modules)..., Main.GradeboxPrograms)
            nameof(known) in (:Base, :Core, :Main) || Core.eval(place, :(const $(nameof(known)) = $known))
        end
        for line in eachline(statements)
            try
                Core.eval(place, Meta.parse(line))
            catch
                # It names something of the sample's own.
            end
        end
        foreach(name -> delete!(Main.GradeboxPrograms.PROGRAMS, name), keys(programs))
        empty!(Base.DEPOT_PATH)
        empty!(Base.LOAD_PATH)
    end

    julia = joinpath(Sys.BINDIR, "julia")
    started = function (image, options, (name, words, input), directory)
        write(joinpath(directory, "stdin"), input)
        command = [julia; "--startup-file=no"; "--history-file=no"; image; options; joinpath(here, "system_image.jl");
            "run"; name; [endswith(word, ".jl") ? joinpath(directory, word) : word for word in words]]
        given = name == "calls" ? "3< stdin" : "< stdin 3> report"
        return Cmd(`sh -c $("exec \"\$@\" $given 4> steps") sh $command`; dir = directory,
            env = merge(Dict(ENV), Dict("GRADEBOX_CANDIDATE" => "env", "GRADEBOX_APART" =>
                joinpath(directory, "told.json"))))
    end
    make = function (wanted)
        current = unsafe_string(Base.JLOptions().image_file)
        directory = mktempdir()
        for (name, text) in files
            write(joinpath(directory, name), text)
        end
        at(name) = joinpath(directory, name)
        tell(contract) = write(at("told.json"), "{\"files\": {\"parted.jl\": \"$(digest(files["parted.jl"]))\"}, ",
            "\"contract\": $contract, \"record\": $(contract == "null")}")
        tell("null")
        open(at("statements.jl"), "w") do statements
            for sample in samples
                # What ends with an error has still told what it compiled.
                run(pipeline(ignorestatus(started(String[], "--trace-compile=stderr", sample, directory)); stderr =
                    at("told")))
                foreach(line -> startswith(line, "precompile(") && println(statements, line), eachline(at("told")))
                recorded = collect(eachmatch(r" contract (\{.*\})", read(at("report"), String)))
                tell(isempty(recorded) ? "null" : recorded[end][1])
            end
        end
        # As fast on an ordinary machine of today as Julia's own image, and working on every one.
        target = Sys.ARCH === :x86_64 ? "generic;haswell,-rdrnd" : "generic"
        flags = ["--startup-file=no", "--history-file=no", "-C", target, "--sysimage=$current"]
        run(`$julia $flags --output-o $(at("image.o")) $here/system_image.jl write $(at("statements.jl"))`)
        maps = read("/proc/self/maps", String)
        libraries = unique(String[found.match for found in eachmatch(r"/\S*/libjulia(-internal)?\.so\S*", maps)])
        run(`gcc -shared -o $(at("image.so")) -Wl,--whole-archive $(at("image.o")) -Wl,--no-whole-archive $libraries`)
        run(started("--sysimage=$(at("image.so"))", String[], samples[1], directory))
        read(at("report"), String) == "a"^32 * "\n" || error("The new image does not run an item.")
        path = wanted * current
        mkpath(dirname(path))
        cp(at("image.so"), path; force = true)
        chmod(path, 0o644)
    end

    action = popfirst!(ARGS)
    if action == "make"
        make(ARGS[1])
    elseif action == "write"
        prepare()
        define()
        compile(ARGS[1])
    else
        isdefined(Main, :GradeboxPrograms) || define()
        Core.eval(Main, :(const BOUNDARY = $(read(joinpath(here, "boundary.json"), String))))
        name = popfirst!(ARGS)
        start = get(Main.GradeboxPrograms.PROGRAMS, name, nothing)
        if start === nothing
            text = join([read(joinpath(here, source), String) for source in programs[name]], "\n")
            start = Main.GradeboxPrograms.PROGRAMS[digest(text)]
        end
        Base.invokelatest(start)
    end
end
