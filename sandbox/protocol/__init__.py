"""The supervisor's protocol: frames, messages, and one request at a time."""
