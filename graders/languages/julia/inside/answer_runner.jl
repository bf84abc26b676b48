# Runs an answer and the items of its definition: `julia -t 1 -e SOURCE`, SOURCE being answer_text.jl and this file. The
# protocol is described in graders/checks/answer_protocol.py. Julia 1.5 and newer.
#
#     supervisor --- this process --- answer_program.jl (another one after a loop that was killed, or an early exit)
#
# This process never loads anything of the answer. It finds the code, hands it to a child, then the items one after the
# other, each with its own deadline. A child that is late or gone is killed with its process group, the item has failed,
# and the next one gets a new child with the answer loaded anew.

const STARTUP_SECONDS = 120.0
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_RELAYED_BYTES = 64 * 1024

function read_parts(input)
    parts = Tuple{String,String}[]
    position = 1
    while position <= length(input)
        line_end = findnext(isequal(UInt8('\n')), input, position)
        name, size = split(String(input[position:line_end-1]))
        last = line_end + parse(Int, size)
        push!(parts, (String(name), String(input[line_end+1:last])))
        position = last + 2
    end
    return parts
end

mutable struct Child
    group::Int
    parts::Pipe
    replies::Pipe
    secret::String
end

relayed = 0

# The output of a child, on our stderr as far as it is of use to people. The rest is read too, so that nothing blocks.
function relay(errors)
    global relayed
    while !eof(errors)
        chunk = readavailable(errors)
        room = max(0, MAX_RELAYED_BYTES - relayed)
        relayed += length(chunk)
        write(stderr, chunk[1:min(room, length(chunk))])
    end
end

function heading(text)
    global relayed
    yield()
    write(stderr, "<$text>\n")
    relayed = 0
end

function start_child(source, imports)
    command = detach(`$(joinpath(Sys.BINDIR, "julia")) --startup-file=no --history-file=no -e $source`)
    parts, replies, errors = Pipe(), Pipe(), Pipe()
    process = run(pipeline(command; stdin = parts, stdout = replies, stderr = errors); wait = false)
    close(parts.out)
    close(replies.in)
    close(errors.in)
    @async relay(errors)
    child = Child(getpid(process), parts, replies, bytes2hex(open(stream -> read(stream, 16), "/dev/urandom")))
    deliver(child, "secret", child.secret)
    foreach(name -> deliver(child, "import", name), imports)
    return child, ask(child, "begin", "", (STARTUP_SECONDS, 2 * STARTUP_SECONDS))
end

function deliver(child, name, content)
    try
        write(child.parts, "$name $(sizeof(content))\n", content, "\n")
    catch
        # It is gone; the reply that does not come says so.
    end
end

# The processor time of the sandbox so far; `nothing` where its kernel does not show it.
function processor_seconds()
    ispath("/proc/sentry-meminfo") && return nothing
    try
        old = "/sys/fs/cgroup/cpuacct/cpuacct.usage"
        isfile(old) && return parse(Int, read(old, String)) / 1e9
        return parse(Int, match(r"usage_usec (\d+)", read("/sys/fs/cgroup/cpu.stat", String)).captures[1]) / 1e6
    catch
        return nothing
    end
end

# Whether a thread of the child's processes runs or could run.
function could_run()
    for process in readdir("/proc")
        isdigit(process[1]) && process != "1" && process != string(getpid()) || continue
        try
            for thread in readdir("/proc/$process/task")
                line = read("/proc/$process/task/$thread/stat", String)
                line[last(findlast(") ", line))+1] == 'R' && return true
            end
        catch
            # It has ended.
        end
    end
    return false
end

# Return how it went, and a sentence. As in the supervisor, time in which the child could run and others had the
# processors does not count: what it used of the time in which it could run is its own, the rest is theirs.
function ask(child, name, content, (cpu, wall))
    before, started = processor_seconds(), time_ns()
    looked, wanted, late = started, 0.0, ""
    timer = Timer(0.1; interval = 0.1) do timer
        now, after = time_ns(), processor_seconds()
        used = after === nothing ? 0.0 : after - before
        after === nothing || !could_run() || (wanted += (now - looked) / 1e9)
        looked = now
        if used > cpu
            late = "it used up its $cpu s of processor time, within $wall s of wall time"
        elseif (now - started) / 1e9 - max(0.0, wanted - used) > wall
            late = "it was still running after $wall s of wall time and less than $cpu s of processor time"
        end
        isempty(late) || (close(timer); stop(child))
    end
    deliver(child, name, content)
    words = SubString{String}[]
    try
        while isempty(words) && !eof(child.replies)
            line = readline(child.replies)
            # Whatever has not the secret comes from the answer.
            startswith(line, child.secret * " ") && (words = split(line, ' '; limit = 3))
        end
    catch
        # Closed by the timer.
    end
    close(timer)
    length(words) < 2 || return String(words[2]), String(get(words, 3, ""))
    stop(child)
    return isempty(late) ? ("gone", "it ended the process") : ("late", late)
end

function stop(child)
    ccall(:kill, Cint, (Cint, Cint), -child.group, 9)
    ccall(:kill, Cint, (Cint, Cint), child.group, 9)
    close(child.replies)
end

# The answer's text, and whether it is code from end to end; `nothing` if there is none.
function read_answer(name)
    for file in ("answer.md", "answer.jl", "$name.jl")
        isfile(file) || continue
        bytes = open(stream -> read(stream, MAX_ANSWER_BYTES), file)
        text = String(bytes)
        return isvalid(text) ? text : map(c -> isvalid(c) ? c : '\ufffd', text), endswith(file, ".jl")
    end
    return nothing
end

function main()
    # PR_SET_DUMPABLE: nothing of the same user may look into this process.
    ccall(:prctl, Cint, (Cint, Culong, Culong, Culong, Culong), 4, 0, 0, 0, 0)
    parts = read_parts(read(stdin))
    of(name) = String[content for (part, content) in parts if part == name]
    token, source, name = of("token")[1], of("program")[1], of("name")[1]
    cpu, wall = split(of("limit")[1])
    limit = (parse(Float64, cpu), parse(Float64, wall))
    report = ccall(:fcntl, Cint, (Cint, Cint, Clong), 3, 1030, 100)
    ccall(:close, Cint, (Cint,), 3)
    function tell(words...)
        line = Vector{UInt8}(codeunits(string(token, ' ', join(words, ' '), '\n')))
        ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), report, line, length(line))
    end
    finish(status) = (flush(stderr); ccall(:_exit, Cvoid, (Cint,), status))

    imports = of("import")
    for line in imports
        package = String(match(r"^\s*(?:using\s|import\s)?\s*([^\s:,.]*)", line).captures[1])
        if !(package in ("", "Base", "Core", "Main") || is_installed(package))
            tell("missing", package)
            finish(90)
        end
    end
    # A child that cannot even begin is not the answer's doing.
    function begin_child()
        child, (status, sentence) = start_child(source, imports)
        status == "ok" || (tell("broken", status, sentence); finish(90))
        return child
    end

    function load(code)
        child = begin_child()
        status, sentence = ask(child, "code", code, limit)
        status == "ok" && return child, status, sentence
        stop(child)
        return nothing, status, sentence
    end
    # Run a source, and report what becomes of it; the last report counts.
    function attempt(code)
        isempty(code) && (tell("unparsed", "no code was found"); return nothing)
        expression = parse_source(code)
        is_broken(expression) && (tell("unparsed", first(join(split(complaint(expression)), ' '), 300)); return nothing)
        tell("parsed")
        child, status, sentence = load(code)
        child === nothing && tell(status == "syntax" ? "unparsed" : "stopped", sentence)
        return child
    end

    answer = read_answer(name)
    if answer === nothing
        tell("unparsed", "there is no answer")
        tell("end")
        finish(0)
    end
    blocks = answer[2] ? [String(strip(answer[1]))] : code_blocks(answer[1])
    heading("first try")
    code = first_source(blocks)
    child = attempt(code)
    if child === nothing
        heading("second try")
        code = second_source(blocks, name)
        child = attempt(code)
    end
    if child !== nothing
        tell("executed")
        counts = Dict("example" => 0, "test" => 0)
        for (kind, content) in parts
            haskey(counts, kind) || continue
            number = counts[kind] += 1
            heading("$kind $number")
            child === nothing && ((child, status, sentence) = load(code))
            if child !== nothing
                status, sentence = ask(child, "item", content, limit)
                status in ("late", "gone") && (child = nothing)
            end
            tell(status == "ok" ? "passed" : "failed", kind, number, sentence)
        end
        child === nothing || stop(child)
    end
    tell("end")
    finish(0)
end
get(task_local_storage(), :gradebox_program, start -> start())(main)
