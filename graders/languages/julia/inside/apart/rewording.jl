# Items of Julia that are judged apart: texts of exceptions in messages are replaced by others, to find the tests that
# read none. They decide nothing else.

# Replace the texts of exceptions in a message by what no test looks for by chance: private characters of Unicode.
function reword!(answers::Answers, tree::Vector{Any})
    raised = tree[1] == "!" ? tree[5] : nothing
    is_list(raised, "n", 2) && reword_texts!(answers, raised, 3)
    is_list(raised, "w", 4) && reword_texts!(answers, raised, 5)
    for change in (answers.request == "showerror" ? tree[3] : ())
        if change[1] == "B"
            change[4] = base64encode(other_text(answers, 0))
            answers.reworded += 1
        end
    end
    reword_errors!(answers, tree)
end
function reword_errors!(answers::Answers, @nospecialize(tree))
    tree isa Vector{Any} || return
    foreach(part -> reword_errors!(answers, part), tree)
    is_list(tree, "e", 5) && reword_texts!(answers, tree[4], 2)
end
function reword_texts!(answers::Answers, parts::Vector{Any}, start::Int)
    for (count, at) in enumerate(findall(part -> part isa String, parts[start:end]))
        parts[start + at - 1] = other_text(answers, count - 1)
    end
    answers.reworded += 1
end
# As in Python, each text gets another character, in an order that neither ascends nor descends, or all get one.
function other_text(answers::Answers, count::Int)
    return string(Char(0xf0000 + (answers.rewording == 2 ? 0 : 16in_turn(answers.reworded, 4094) + in_turn(count, 16))))
end
function in_turn(number::Int, most::Int)
    half, rest = divrem(number % most, 2)
    return rest == 1 ? half : most - 1 - half
end
