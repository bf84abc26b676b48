"""For people who write cases: templates of new cases, and the examination of a case's quality."""
