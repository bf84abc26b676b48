"""Entries of AgentV's ``.agentv/targets.yaml`` that judge: which they are, and how a case would name them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gradebox.graders.documents.interpolation import interpolate

_BASE_URLS = {
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai/",
}
_NAMES = ("grader_target", "judge_target")
_VARIABLE = re.compile(r"\s*\$\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}\s*\Z")


class JudgeEntry(NamedTuple):
    """A judge as an entry of a case's `judge`, or the reason why it cannot be asked."""

    entry: dict[str, Any]
    problem: str = ""


def judging_name(entries: Iterable[Mapping[str, Any]], target: str | None, environ: Mapping[str, str]) -> str:
    """Return the name of the judge of a target, or of the default one, empty if it has none; aliases count once."""
    by_name = {str(entry.get("name")): entry for entry in entries}
    used = by_name.get(target or "default", {})
    alias = interpolate(str(used.get("use_target", "")), environ).text
    for entry in (used, by_name.get(alias, {})):
        name = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str)), None)
        if name is not None:
            name = interpolate(name, environ).text
            stands_for = interpolate(str(by_name.get(name, {}).get("use_target", "")), environ).text
            return stands_for if stands_for in by_name else name
    return ""


def judge_entry(entry: Mapping[str, Any]) -> JudgeEntry:
    """Return an entry as `judge:` says it; a key must be taken from the environment."""
    provider = entry.get("provider")
    base_url = entry.get("base_url") or entry.get("endpoint") or _BASE_URLS.get(str(provider))
    if provider not in _BASE_URLS:
        return JudgeEntry({}, f"gradebox does not ask the provider `{provider}`")
    made = {"provider": "openai", "name": entry.get("name"), "base_url": base_url, "model": entry.get("model")}
    made |= {key: entry[key] for key in ("temperature", "max_tokens") if key in entry}
    if (key := entry.get("api_key")) is not None:
        variable = _VARIABLE.match(str(key))
        if variable is None:
            return JudgeEntry({}, "its `api_key` is not taken from the environment")
        made["api_key_env"] = variable[1]
    return JudgeEntry(made)
