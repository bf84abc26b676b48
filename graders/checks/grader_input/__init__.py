"""Parts of what code-graders read on stdin: the messages of the case, the transcript, and older names. Pure."""
