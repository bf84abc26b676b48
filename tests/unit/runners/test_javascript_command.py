"""What commands of JavaScript's test runners have in common."""

from __future__ import annotations

from gradebox.graders.runners.javascript_command import count, has_any, package_program


def test_a_program_of_a_package_is_found_by_its_name_or_behind_a_launcher() -> None:
    found = [package_program(words.split(), "jest") for words in ("bin/jest a", "npx -y jest a", "npm exec -- jest")]
    assert [each.count for each in found if each] == [1, 3, 4]
    assert package_program(["npx", "vitest"], "jest") is None
    assert package_program(["npm", "run", "jest"], "jest") is None


def test_an_option_counts_with_its_value_joined_to_it_or_not() -> None:
    words = ["--reporter", "dot", "--reporter=tap", "--reporters", "x"]
    assert count(words, "--reporter") == 2
    assert has_any(words, {"--reporters"})
    assert not has_any(words, {"--report"})
