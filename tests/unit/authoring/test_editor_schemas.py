"""What editors find: schemas in a project, and settings that name them. What a user wrote stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders.authoring.editor_schemas import VS_CODE, install, schema_line, vs_code, with_schemas


def test_a_new_case_names_the_nearest_schema_above_it(tmp_path: Path) -> None:
    assert schema_line(tmp_path / "a/b") == ""
    install(tmp_path)
    assert schema_line(tmp_path / "a/b") == "# yaml-language-server: $schema=../../.gradebox/case.schema.json\n"
    (tmp_path / "a").mkdir()
    install(tmp_path / "a")
    assert schema_line(tmp_path / "a/b") == "# yaml-language-server: $schema=../.gradebox/case.schema.json\n"


def test_settings_name_schemas_that_are_there(tmp_path: Path) -> None:
    install(tmp_path)
    settings = json.loads((tmp_path / VS_CODE).read_text())
    assert set(settings["yaml.schemas"]) == {f"./.gradebox/{kind}.schema.json" for kind in ("case", "suite")}
    for path in settings["yaml.schemas"]:
        assert json.loads((tmp_path / path).read_text())["$schema"].startswith("http://json-schema.org/draft-07")
    before = (tmp_path / VS_CODE).read_bytes()
    assert any("has these schemas already" in said for said in install(tmp_path))
    assert (tmp_path / VS_CODE).read_bytes() == before


def test_settings_of_the_user_stay() -> None:
    mine = {"editor.tabSize": 3, "yaml.schemas": {"./mine.json": "x.yaml", "./.gradebox/case.schema.json": "only.yaml"}}
    after = json.loads(with_schemas(json.dumps(mine)) or "")
    assert after["editor.tabSize"] == 3
    assert after["yaml.schemas"] == vs_code() | mine["yaml.schemas"]  # type: ignore[operator]
    assert list(after) == list(mine)


@pytest.mark.parametrize("text", ["// mine\n{}", '{"a": 1,}', "[]", '{"yaml.schemas": []}'])
def test_settings_that_are_no_plain_json_stay_and_are_printed(tmp_path: Path, text: str) -> None:
    (tmp_path / VS_CODE).parent.mkdir()
    (tmp_path / VS_CODE).write_text(text)
    assert with_schemas(text) is None
    (said,) = (line for line in install(tmp_path) if "stays as it is" in line)
    assert json.loads(said[said.index("{") :]) == {"yaml.schemas": vs_code()}
    assert (tmp_path / VS_CODE).read_text() == text
