"""Makes the questions of checks in words (`questions`), and reads the replies. `graders.judges` asks the judges."""
