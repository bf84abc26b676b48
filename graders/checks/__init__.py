"""The types of check, one file each: what a case's author can assert.

    base, registry                what a type is made of; the types that there are
    reading                       checks of a document -> `Check`
    evaluation, judging           from a plan to results, whatever the type
    code_grader, items, rubrics   judged by what runs in the sandbox
    calls/                        judged here by what functions return in the sandbox
    composite, check_reference    judged by other checks
    llm_grader                    judged by a model or a person
    field_accuracy, text/         judged by the answer, or by text of a file
    files/, transcript/           judged by the files that were delivered, or by how the answer came about
    definition                    the four checks of the Julia LLM Leaderboard

To add a type, add a file with a class that derives from `Check`; no other file needs a change.
"""
