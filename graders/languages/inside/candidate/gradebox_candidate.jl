# Starts programs of the submission as the candidate, for a grader with `isolation: apart`.
#
#   include("gradebox_candidate.jl")
#   done = GradeboxCandidate.run(`julia app.jl`; input="2 3\n", timeout=5)
#   done.status == 0 && strip(done.stdout) == "5" || exit(1)
module GradeboxCandidate

"Exit status of a program whose time was over."
const TIMED_OUT = 124

"""The command that runs another one as the candidate; `memory` in bytes. `timeout` is in seconds of processor time;
twice as much wall time stops what waits."""
function command(program::Cmd; timeout=nothing, memory=nothing)
    limits = String[]
    timeout === nothing || append!(limits, ["--timeout", string(timeout)])
    memory === nothing || append!(limits, ["--memory", string(memory)])
    Cmd(Cmd(["candidate"; limits; "--"; program.exec]); ignorestatus=true)
end

"Run a program to its end: (status, stdout, stderr). All of its processes are dead then."
function run(program::Cmd; input="", options...)
    out, err = IOBuffer(), IOBuffer()
    process = Base.run(pipeline(command(program; options...); stdin=IOBuffer(input), stdout=out, stderr=err))
    (status=process.exitcode, stdout=String(take!(out)), stderr=String(take!(err)))
end

"Give files and directories of this process to the candidate."
lend(paths...) = (Base.run(Cmd(["candidate"; "--lend"; collect(String, paths)])); nothing)

"Take files and directories from the candidate; then no name in them leads elsewhere."
reclaim(paths...) = (Base.run(Cmd(["candidate"; "--reclaim"; collect(String, paths)])); nothing)

"Start a program to talk to: a process that can be read and written."
popen(program::Cmd; options...) = open(command(program; options...), "r+")

end
