"""C++: a program is compiled by GCC, in the image of C."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="cpp",
    image="gcc",
    programs=("g++", "c++", "cmake", "ctest"),
    answer_file="solution.cpp",
    fences=frozenset({"cpp", "c++", "cc", "cxx", "hpp"}),
    interpreter="gcc",
    build=("g++", "-std=gnu++20", "-O2", "-o", ".program", "{file}"),
    program=("./.program",),
    title="C++",
    package=__name__,
)
