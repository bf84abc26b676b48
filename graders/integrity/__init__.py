"""What a submission must not decide: which files are restored, removed and flagged as tampering."""
