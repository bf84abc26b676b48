"""Java: a program is the class after which its file is named."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="java",
    image="java",
    programs=("java", "javac", "jar"),
    answer_file="Main.java",
    fences=frozenset({"java"}),
    interpreter="java",
    build=("javac", "-J-XX:+UseSerialGC", "-encoding", "UTF-8", "-d", ".classes", "{file}"),
    # The case limits memory, so the heap is a share of that and not of the machine's. Deep recursion is not an error.
    program=("java", "-XX:+UseSerialGC", "-XX:MaxRAMPercentage=70", "-Xss64m", "-cp", ".classes", "{stem}"),
    home_files=(".m2/settings.xml", ".gradle/init.gradle", ".gradle/init.d/", ".gradle/gradle.properties"),
    complaints=(
        r"error: file not found: (?P<file>\S+)",
        r"(?P<source>[^\s:]+):\d+: error: package (?P<module>\S+) does not exist",
        r"Error: Could not find or load main class (?P<module>\S+)",
    ),
    title="Java",
    package=__name__,
)
