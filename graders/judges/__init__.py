"""Judges of words: a module for each provider, found by its name.

    provider                       the base of every judge
    openai_judge, command_judge,   the providers: a server with the chat completions interface, a program in its own
    recorded_judge                 sandbox, a file of replies
    judge_file                     `judge:` of a case or a suite, and the file of `--judge`
    judge_prompt                   the rules for a judge, and how it is shown the candidate's texts
    asking                         asks a panel: attempts, and unusable replies
    reply_cache, spending          avoids repeated questions; limits the cost

`gradebox.graders.checks.llm` defines the questions and reads the replies.
"""
