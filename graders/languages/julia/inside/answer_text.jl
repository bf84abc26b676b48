# What of an answer is code, by the rules of the Julia LLM Leaderboard. Text and parsing only: nothing of the answer is
# run here. Julia 1.5 and newer. Positions are those of bytes, as its strings have them.

const OPENINGS = ("```julia\n", "```julia ")
const CLOSINGS = ("\n```\n", "\n```")
const FENCE = "\n```\n"

# What an expression may begin with to pass for code. Not here: what only declares (`struct`, `using`, `module`,
# `const`).
const CODE_HEADS = Set([
    :call, :macrocall, :function, :(=), :if, :for, :while, :let, :try, :catch, :finally, :do, :block, :quote,
    :., :ref, :index, :curly, :where, :kw, :tuple, :array, :method, :comprehension, :generator, :typed_hcat,
    :typed_vcat,
])

starts(needle, text) = Int[first(range) for range in findall(needle, text; overlap = true)]

# The blocks of a text in markdown, in order.
function code_blocks(text)
    openings = sort!(unique!(vcat((starts(opening, text) for opening in OPENINGS)...)))
    closings = unique!(vcat((starts(closing, text) for closing in CLOSINGS)...))
    isempty(openings) && return plain_blocks(text)
    free = trues(length(closings))
    blocks = Tuple{Int,Int}[]
    for opening in reverse(openings)
        number = findfirst(i -> free[i] && closings[i] > opening, eachindex(closings))
        number === nothing && continue
        free[number] = false
        pushfirst!(blocks, (opening, closings[number]))
    end
    # A fence that is never closed makes no block; where none is, the text has no fence at all.
    isempty(blocks) && return plain_blocks(text)
    inside(inner) = any(outer -> outer[1] < inner[1] && inner[2] < outer[2], blocks)
    begins = sizeof(OPENINGS[1])
    return [tidy(text[block[1]+begins:prevind(text, block[2])]) for block in blocks if !inside(block)]
end

# Without a fence that says `julia`, the text is cut at plain fences. Every piece between two of them is a block, prose
# too: parsing decides what is code. What comes before the first and after the last is not a block, so text without any
# has none.
function plain_blocks(text)
    fences = starts(FENCE, text)
    # A fence as the first line lacks the newline before it, one as the last line the newline after it.
    startswith(text, lstrip(FENCE)) && pushfirst!(fences, 0)
    !isempty(fences) && endswith(text, rstrip(FENCE)) && push!(fences, sizeof(text) - sizeof(rstrip(FENCE)) + 1)
    pieces = (text[first+sizeof(FENCE):prevind(text, last)] for (first, last) in zip(fences, fences[2:end]))
    return filter!(!isempty, String[tidy(piece) for piece in pieces])
end

tidy(block) = without_prompts(String(strip(block)))

# Of what was copied from a session at the prompt, what was typed. A prompt is taken out wherever its line has it.
function without_prompts(block)
    occursin(r"^(julia> |> )"m, block) || return block
    typed, kept = false, String[]
    for line in split(block, '\n')
        prompt = startswith(line, "julia> ") ? "julia> " : startswith(line, "> ") ? "> " : ""
        typed = !isempty(prompt) || (typed && startswith(line, ' '))
        typed && push!(kept, isempty(prompt) ? line : replace(line, prompt => ""))
    end
    return String(strip(join(kept, '\n')))
end

# The expression of a whole source, `nothing` if there is none in it.
function parse_source(source, name = "answer")
    try
        parse = isdefined(Meta, :parseall) ? Meta.parseall : Base.parse_input_line
        return parse(source; filename = name)
    catch error
        return Expr(:error, error)
    end
end

is_error(expression) = expression isa Expr && expression.head in (:error, :incomplete)
is_broken(expression) = is_error(expression) || (expression isa Expr && any(is_error, expression.args))
has_code_head(expression) = expression isa Expr && expression.head in CODE_HEADS

function is_code(block)
    expression = parse_source(block)
    is_broken(expression) && return false
    return has_code_head(expression) || (expression isa Expr && any(has_code_head, expression.args))
end

# What a parser has to say about a source that it does not take.
function complaint(expression)
    expression.head == :toplevel && (expression = expression.args[findfirst(is_error, expression.args)])
    what = isempty(expression.args) ? "" : expression.args[1]
    return what isa Exception ? sprint(showerror, what) : string(what)
end

function first_function(block)
    for pattern in (r"^\s*function\s+([\w.]+)\("m, r"^\s*([\w.]+)\(.*\)\s*="m)
        found = match(pattern, block)
        found === nothing || return String(found.captures[1])
    end
    return ""
end

# The names that a line at column 0 loads, with all that the leaderboard takes for one: it cuts at commas, colons and
# spaces, so the names after a comma count as packages, and so does a comment.
function named_packages(line)
    occursin(r"^(using|import) ", line) || return String[]
    rest = replace(replace(line, "using" => ""), "import" => "")
    words = split(join((first(split(part, ':')) for part in split(rest, ',')), ' '), ' '; keepempty = false)
    return [String(word) for word in words if !startswith(word, "Base") && !startswith(word, "Main")]
end

is_loaded(name) = any(key -> key.name == name, keys(Base.loaded_modules))
is_installed(name) = is_loaded(name) || Base.identify_package(name) !== nothing
is_known(name) = is_installed(name) || Symbol(name) in names(Base)

# A source without the lines that ask for packages which are not here.
function without_package_lines(source)
    kept = filter(collect(eachline(IOBuffer(source)))) do line
        !occursin(r"^\s*\bPkg.[a-z]", line) && all(is_known, named_packages(line))
    end
    return join(string(line, '\n') for line in kept)
end

first_source(blocks) = without_package_lines(join(filter(is_code, blocks), '\n'))

function second_source(blocks, name)
    number = findfirst(block -> first_function(block) == name && is_code(block), blocks)
    return without_package_lines(number === nothing ? join(blocks, "\n\n") : blocks[number])
end
