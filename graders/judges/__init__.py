"""Who judges words: a module for each provider, found by its name.

    provider                       what every judge has
    openai_judge, command_judge,   the providers: a server that speaks chat completions, a program in a sandbox of its
    recorded_judge                 own, a file of replies
    judge_file                     `judge:` of a case or a suite, and the file of `--judge`
    judge_prompt                   the rules that a judge gets, and how it is shown what the candidate wrote
    asking                         asks a panel: attempts, and replies that cannot be used
    reply_cache, spending          nobody is asked twice; what may be spent

What a judge is asked, and what its reply means, is the checks' to say (`gradebox.graders.checks.llm`).
"""
