"""Foreign formats: one folder each, reader and writer together; found by scanning, and as ``gradebox.formats``.

Whole products of others are in `gradebox.plugins`, and are found as those of other distributions are.

A format is a module or an object that defines what it can do:

    CASE_FILES, load_cases     the names of its case files, and how one is read (`cases.load.CaseFormat`)
    recorded_run               how recorded runs are read (`runs.tasks.RunFormat`)
    reads, load_document       which documents are its, by their keys (`cases.load.DocumentFormat`); those that
                               have a name of its CASE_FILES are its, too
    recorded_answer            how a recorded answer is read (`submissions.source.AnswerFormat`)
"""
