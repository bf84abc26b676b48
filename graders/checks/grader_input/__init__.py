"""Parts of the stdin of code graders: the messages of the case, the transcript, and older names. Pure."""
