"""Hidden tests in C, C++ and Rust that take names of the submission."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.native_hazards import native_hazards
from gradebox.graders.cases import load

CASE = "image: image\n%sassertions: [{type: code-grader, command: [ctest], required: true}]\n"
FILES = {"workspace/sum.hpp": "", "workspace/kept.h": "", "reference/more.h": "", "grading/bench.h": ""}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('#include "sum.hpp"', "sum.hpp"),
        ('  # include "../sum.hpp" // of theirs', "sum.hpp"),
        ('#include "more.h"', "more.h"),
        ('#include "sum.hpp" // gradebox: trusted', ""),
        ('#include "bench.h"', ""),
        ('#include "kept.h"', ""),
        ('#include "catch2/catch.hpp"', ""),
        ("#include <sum.hpp>", ""),
        ('// #include "sum.hpp"', ""),
    ],
)
def test_a_file_of_the_submission_in_a_test_is_named_with_its_line(tmp_path: Path, line: str, named: str) -> None:
    case = CASE % "protect: [kept.h]\n"
    write(tmp_path, {"case.yaml": case, **FILES, "grading/tests.cpp": f"#include <cstdio>\n{line}\nint main() {{}}\n"})
    (loaded,) = load(tmp_path).cases
    found = list(native_hazards(loaded))
    assert [(one.place.file, one.place.line) for one in found] == [(tmp_path / "grading/tests.cpp", 2)] * bool(named)
    assert all(f"`{named}`" in one.message for one in found)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("use bank_account::*;", "bank_account"),
        ("    pub use ::bank_account::money::*;", "bank_account"),
        ("use bank_account::*; // gradebox: trusted", ""),
        ("use bank_account::{Account, Money};", ""),
        ("use proptest::prelude::*;", ""),
        ("use super::*;", ""),
    ],
)
def test_a_crate_of_the_submission_whose_names_all_come_into_a_test_is_named(
    tmp_path: Path, line: str, named: str
) -> None:
    crate = '[package]\nname = "bank-account"\n'
    files = {"case.yaml": CASE % "", "workspace/Cargo.toml": crate, "grading/tests/account.rs": f"// Tests.\n{line}\n"}
    write(tmp_path, files)
    (loaded,) = load(tmp_path).cases
    found = list(native_hazards(loaded))
    assert [(one.place.file.name, one.place.line) for one in found] == [("account.rs", 2)] * bool(named)
    assert all(f"`{named}`" in one.message for one in found)


def test_a_case_without_hidden_files_has_none(tmp_path: Path) -> None:
    write(tmp_path, {"case.yaml": CASE % "", "workspace/sum.hpp": ""})
    assert list(native_hazards(load(tmp_path).cases[0])) == []
