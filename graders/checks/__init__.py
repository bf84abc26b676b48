"""The types of check, one file each: what a case's author can assert.

    base, registry                the base class of all types; finds the types
    reading                       checks of a document -> `Check`
    evaluation                    plans and judges checks, whatever their types
    code_grader, items, rubrics   judged by commands in the sandbox
    calls/                        judged on the host by the results of functions in the sandbox
    composite, check_reference    judged by other checks
    llm_grader                    judged by a model or a person
    field_accuracy, text/         judged by the answer, or by the text of a file
    files/, transcript/           judged by the submitted files, or by how the answer came about

To add a type, add a file with a class that derives from `Check`; no other file needs a change.
"""
