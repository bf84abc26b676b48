"""What tests of the item runners share: a sandbox in which programs of one language are run, one after another."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from item_samples import SAMPLES

from gradebox.graders import languages
from gradebox.graders.languages.item_protocol import Program, completed, encode, encode_shared
from gradebox.graders.languages.language import started
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Outcome, SandboxSpec


class Workshop:
    """A sandbox with a language's files, in which one program after another is run."""

    def __init__(self, sandbox: Sandbox, language: str) -> None:
        self.sandbox = sandbox
        self.language = language
        self.argv = started(languages.get(language).argv(), sandbox.image.labels)
        self.composed = languages.get(language).composed
        self.uids = count(10_000)

    def send(self, stdin: bytes, wall_seconds: float = 60) -> Outcome:
        uid = next(self.uids)
        self.sandbox.reset(uid)
        return self.sandbox.run(
            Command(
                self.argv, env=self.sandbox.env, stdin=stdin, uid=uid, wall_seconds=wall_seconds, report=True,
                capture_bytes=1 << 20, forks=languages.get(self.language).forks,
            )
        )  # fmt: skip

    def run(self, *setup: str, item: str, imports: tuple[str, ...] = (), teardown: tuple[str, ...] = ()) -> Ran:
        token = secrets.token_hex(16)
        stdin = encode(token, imports=imports, setup=setup, item=item, teardown=teardown, composed=self.composed)
        return Ran(token, self.send(stdin))

    def passes(self, *setup: str, item: str, imports: tuple[str, ...] = (), teardown: tuple[str, ...] = ()) -> bool:
        return self.run(*setup, item=item, imports=imports, teardown=teardown).passed

    def share(
        self, *items: str, setup: tuple[str, ...] = (), teardown: tuple[str, ...] = ()
    ) -> tuple[list[bool], bool]:
        """Return which items passed, and whether the whole came to its end."""
        token = secrets.token_hex(16)
        programs = [Program(secrets.token_hex(16), item) for item in items]
        outcome = self.send(encode_shared(token, programs, setup=setup, teardown=teardown, composed=self.composed))
        report = outcome.report.content()
        return [completed(program.token, report) for program in programs], completed(token, report)


@dataclass(frozen=True)
class Ran:
    """What became of one program."""

    token: str
    outcome: Outcome

    @property
    def passed(self) -> bool:
        return self.outcome.exit_code == 0 and completed(self.token, self.outcome.report.content())

    @property
    def printed(self) -> str:
        return self.outcome.stdout.text() + self.outcome.stderr.text()


def open_workshop(engine: DockerEngine, language: str, files: Mapping[str, str] | None = None) -> Iterator[Workshop]:
    with Sandbox(engine, SandboxSpec(reference(languages.get(language).image))) as sandbox:
        files = SAMPLES[language].files if files is None else files
        sandbox.put([file_entry(path, text.encode()) for path, text in files.items()], uid=10_000)
        sandbox.snapshot()
        yield Workshop(sandbox, language)
