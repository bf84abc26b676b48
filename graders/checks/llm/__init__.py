"""What checks in words ask a judge (`questions`), and what a reply means (`replies`). Who is asked is another room."""
