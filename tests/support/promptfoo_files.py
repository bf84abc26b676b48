"""What tests of promptfoo's and AgentV 5's files share: a file in a directory, and what it was loaded as."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradebox.graders.cases import Loaded, load
from gradebox.graders.model.case import Case

PLAIN, SUITE = "promptfooconfig.yaml", "x.eval.yaml"
PROMPTS = "prompts: ['Say {{word}}.']\n"


def loaded(root: Path, text: str | Mapping[str, Any], name: str = PLAIN, **environ: str) -> Loaded:
    """Load a file, which JSON may say: YAML reads it."""
    (root / name).write_text(text if isinstance(text, str) else json.dumps(text))
    return load(root / name, environ=environ)


def cases(root: Path, text: str | Mapping[str, Any], name: str = PLAIN, **environ: str) -> tuple[Case, ...]:
    """Load a file that must be sound."""
    found = loaded(root, text, name, **environ)
    assert not found.errors, said(found)
    return found.cases


def said(found: Loaded) -> str:
    return "\n".join(map(str, found.diagnostics))


def checks(root: Path, *listed: Any, name: str = SUITE, **test: Any) -> list[Any]:
    """Return what the checks of a test are read as."""
    (case,) = cases(root, {"prompts": ["p"], "tests": [{"assert": list(listed), **test}]}, name)
    return list(case.checks)
