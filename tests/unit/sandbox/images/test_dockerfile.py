"""What a Dockerfile says before anything is built."""

from __future__ import annotations

import pytest

from gradebox.sandbox.images.dockerfile import Need, buildkit_needs, copies_all, instructions, needed_images, stages

BUILDKIT = """\
# syntax=docker/dockerfile:1
FROM debian AS one

# a comment
RUN --mount=type=cache,target=/x \\
    # another
    echo a
RUN <<EOF
FROM nothing
EOF
COPY --from=one --chmod=644 a b
ADD --checksum=sha256:1 https://example.org/a /a
RUN echo "a --mount" && cat a<b
"""


def test_what_only_buildkit_understands_is_named_with_its_line() -> None:
    assert buildkit_needs(BUILDKIT) == (
        Need(1, "`# syntax=docker/dockerfile:1`", blocks=False),
        Need(5, "`RUN --mount`"),
        Need(8, "a here-document in `RUN`"),
        Need(11, "`COPY --chmod`"),
        Need(12, "`ADD --checksum`"),
    )


def test_an_ordinary_dockerfile_needs_no_buildkit() -> None:
    assert buildkit_needs("ARG A=1\nFROM debian\nRUN cat <<< a; echo --mount\nCOPY --chown=1:1 a b\n") == ()


def test_instructions_are_joined_over_lines_with_the_line_of_the_first() -> None:
    found = [(one.line, one.name, one.text) for one in instructions("\n# x\nfrom a\nrun b \\\n\n# c\n  d\n")]

    assert found == [(3, "FROM", "a"), (4, "RUN", "b  d")]


def test_another_escape_character_continues_lines() -> None:
    assert [one.text for one in instructions("# escape=`\nFROM a\nRUN b `\n c\n")] == ["a", "b  c"]


def test_an_unfinished_here_document_ends_with_the_file() -> None:
    assert [one.name for one in instructions("FROM a\nRUN <<EOF\nb\n")] == ["FROM", "RUN"]


@pytest.mark.parametrize(
    ("text", "arguments", "target", "found"),
    [
        ("FROM debian:12", {}, "", ("debian:12",)),
        ("ARG V=12\nFROM debian:${V}", {}, "", ("debian:12",)),
        ("ARG V=12\nFROM debian:$V", {"V": "13"}, "", ("debian:13",)),
        ("ARG V\nFROM debian:${V:-11}${V:+x}", {}, "", ("debian:11",)),
        ("FROM --platform=linux/amd64 a AS one\nFROM one\nFROM scratch", {}, "", ("a",)),
        ("FROM a AS One\nFROM b\nCOPY --from=one x /\nCOPY --from=0 y /\nCOPY --from=c z /", {}, "", ("a", "b", "c")),
        ("FROM a AS one\nFROM b AS two\nFROM c", {}, "two", ("a", "b")),
        ("", {}, "", ()),
    ],
)  # fmt: skip
def test_images_below_are_found(text: str, arguments: dict[str, str], target: str, found: tuple[str, ...]) -> None:
    assert needed_images(text, arguments, target) == found


def test_stages_have_names_in_lower_case() -> None:
    assert stages("FROM a AS Build\nFROM b\nFROM c as last") == ("build", "last")


def test_what_copies_the_whole_context_is_found_by_its_lines() -> None:
    assert copies_all("FROM a\nCOPY . /x\nCOPY a b /x\nADD --chown=1:1 ./ /x\nCOPY --from=a . /x\nCOPY a .\n") == (2, 4)
