"""Rust: a program is one file without crates, compiled by rustc."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="rust",
    image="rust",
    programs=("rustc", "cargo"),
    answer_file="solution.rs",
    fences=frozenset({"rust", "rs"}),
    interpreter="rust",
    build=("rustc", "--edition", "2021", "-O", "-o", ".program", "{file}"),
    program=("./.program",),
    # Cargo's own settings, which can select another compiler or other sources of crates.
    home_files=(".cargo/config", ".cargo/config.toml"),
    complaints=(
        r"error: couldn't read `?(?P<file>[^\s`:]+)`?: No such file",
        r"error\[E0463\]: can't find crate for `(?P<module>\w+)`",
    ),
    title="Rust",
    package=__name__,
)
