"""What the image of a case is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gradebox.graders.grading.case_images.describe import describe, visible
from gradebox.graders.model.own_image import OwnImage
from gradebox.sandbox.images.recipes import AUTHORITIES, reference

Write = Callable[[Mapping[str, str | bytes]], Path]


def test_an_image_has_nothing_that_candidates_must_not_see(tree: Write) -> None:
    hidden = {
        "case.yaml": "", "grading/t.py": "", "reference/a.py": "", "submissions/x/a.py": "", ".git/HEAD": "",
        "runs/r1/run.json": "", "runs/r1/results.jsonl": "", "other/case.yaml": "", "other/grading/t.py": "",
        "EVAL.yaml": "", "x.eval.yaml": "", "skip.log": "",
    }  # fmt: skip
    seen = {".dockerignore": "*.log\n", "Dockerfile": "FROM a\n", "src/reference/a.py": "", "data.csv": ""}
    place = tree({**hidden, **seen})

    described = describe(OwnImage(place, place / "Dockerfile", place), "case.yaml", {})

    files = {path for path in described.context.paths if (place / path).is_file()}
    assert files == set(seen)


def test_hidden_names_are_hidden_beside_a_case_file_alone(tree: Write) -> None:
    place = tree({"grading/a": "", "sub/case.yml": "", "sub/reference/a": ""})

    assert list(visible(place, ["grading/a", "sub/reference/a"])) == ["grading/a"]


def test_packages_stand_on_this_versions_image(tmp_path: Path) -> None:
    authorities = tmp_path / "ca.pem"
    authorities.write_text("authority")
    described = describe(OwnImage(tmp_path, base="python", pip=("six",)), "x", {"SSL_CERT_FILE": str(authorities)})

    assert described.arguments == {"BASE": reference("python")}
    assert b'"six"' in described.context.dockerfile
    assert (described.context.files or {})[AUTHORITIES] == b"authority"


def test_any_image_can_be_the_base(tmp_path: Path) -> None:
    assert describe(OwnImage(tmp_path, base="alpine:3"), "x", {}).arguments == {"BASE": "alpine:3"}
