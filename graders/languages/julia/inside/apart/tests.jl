# Tests of Julia that are judged apart: `julia FLAGS -e SOURCE -- FILE ARGUMENTS`, in place of `julia FLAGS FILE`. The
# protocol is described in graders/runners/adapter.py. The file is the case's. Nothing of the submission is in this
# process, so what counts needs no guard.

const RAN = Ref(0)
const FAILED = Ref(0)
const IS_WATCHED = Ref(false)

# A failure that a set of tests recorded fails the item, whatever becomes of its error.
function watch(tests::Module)
    IS_WATCHED[] && return
    IS_WATCHED[] = true
    for kind in (:DefaultTestSet, :FallbackTestSet), result in (:Fail, :Error)
        Core.eval(tests, quote
            function record(set::$kind, result::$result)
                $FAILED[] += 1
                invoke(record, Tuple{$kind,Union{Fail,Error}}, set, result)
            end
        end)
    end
end

function read_line(descriptor::Cint)
    byte, line = Ref{UInt8}(0), UInt8[]
    while ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), descriptor, byte, 1) == 1 && byte[] != UInt8('\n')
        push!(line, byte[])
    end
    return String(line)
end

function run_tests()
    begin_report(read_line(Cint(0)))
    file = popfirst!(ARGS)
    peer = begin_grader(Main)
    tests = Base.require(Base.PkgId(Base.UUID("8dfed614-e22c-5e08-85e1-65c5234f0b40"), "Test"))
    watch(tests)
    Core.eval(tests, quote
        record(set::DefaultTestSet, result::Pass) = ($RAN[] += 1; set.n_passed += 1; result)
        record(set::FallbackTestSet, result::Pass) = ($RAN[] += 1; result)
    end)
    tell = function ()
        Base.invokelatest(end_part!, peer, file, FAILED[] == 0) || FAILED[] > 0 || (FAILED[] += 1)
        report("done $(RAN[] + FAILED[]) $(FAILED[])")
    end
    # Julia's own exit follows, with what the tests registered for it.
    leave = function (status)
        status == 0 && peer.why == "" && tell()
        ccall(:jl_exit, Cvoid, (Cint,), status == 0 && (peer.why != "" || FAILED[] > 0) ? 1 : status)
    end
    Core.eval(Base, :(exit(status) = $leave(status)))
    Core.eval(Base, :(PROGRAM_FILE = $file))
    path = abspath(file)
    text = own_text(peer, path)
    if text === nothing
        report("unloaded $file: it is not the case's")
        ccall(:jl_exit, Cvoid, (Cint,), 1)
    end
    task_local_storage(() -> include_string(Main, text, path), :SOURCE_PATH, path)
    peer.why == "" || error(peer.why)
    tell()
    # What failed without an error that the tests left alone: other answers, or what the submission caught.
    FAILED[] == 0 || ccall(:jl_exit, Cvoid, (Cint,), 1)
end
