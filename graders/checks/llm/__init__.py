"""What checks in words ask a judge (`prompts`), and what its reply means (`replies`). Who is asked is another room."""
