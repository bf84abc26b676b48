"""Cases -> the definitions of the targets that they name.

A case looks for `targets.yaml` beside itself and then beside its suite, unless the command line names a file. Where
there is none, its targets are names with hooks, and what is handed in is graded. Where there is one, it must define
the target: a typo in a name must not grade the untouched workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from graders.documents.diagnostics import Findings, shown
from graders.documents.paths import exists
from graders.documents.suggest import suggestion
from graders.model.case import Case
from graders.targets.definition import CliTarget, Definition
from graders.targets.reading import Targets, read_targets

TARGET_FILES = ("targets.yaml", "targets.yml")


class Aimed(NamedTuple):
    """A case, and what it is given to; None where it is not given to anything that is defined."""

    case: Case
    definition: Definition | None


@dataclass(frozen=True, slots=True)
class Resolved:
    """What resolving came to.

    Attributes:
        cases: Those that can be graded, in their order.
        refused: How many cannot, which `findings` explain.
    """

    cases: tuple[Aimed, ...]
    refused: int
    findings: Findings


def resolve(cases: Iterable[Case], environ: Mapping[str, str], file: Path | None = None) -> Resolved:
    """Find the definition of each case's target.

    Args:
        cases: As they were loaded.
        environ: For ``${{ NAME }}`` and for what a target may take from the host's environment.
        file: Where targets are defined; None to look beside cases and suites.
    """
    lookup = _Lookup(environ, file)
    found: list[Aimed] = []
    refused = 0
    for case in cases:
        aimed = lookup.aimed(case)
        if aimed is None:
            refused += 1
        else:
            found.append(aimed)
    return Resolved(tuple(found), refused, lookup.findings)


@dataclass(slots=True)
class _Lookup:
    """Reads each file once, and what each target takes from the host once."""

    environ: Mapping[str, str]
    file: Path | None
    findings: Findings = field(default_factory=Findings)
    _files: dict[Path, Path | None] = field(default_factory=dict)
    _targets: dict[Path, Targets | None] = field(default_factory=dict)
    _armed: dict[tuple[Path, str], Definition | None] = field(default_factory=dict)

    def aimed(self, case: Case) -> Aimed | None:
        """Return the case with its definition; None if it names one that is not there or cannot be used."""
        if case.target is None:
            return Aimed(case, None)
        file = self.file or next(self._beside(case), None)
        if file is None:
            return Aimed(case, None)
        if file not in self._targets:
            self._targets[file] = read_targets(file, self.findings, self.environ)
        targets = self._targets[file]
        if targets is None:
            return None
        name = case.use_target or case.target
        if name not in targets.definitions:
            message = f"{file} defines no target `{shown(name)}`"
            self.findings.error(case.place, message, hint=suggestion(name, targets.definitions))
            return None
        if (file, name) not in self._armed:
            self._armed[file, name] = self._with_environment(targets.definitions[name])
        definition = self._armed[file, name]
        return None if definition is None else Aimed(case, definition)

    def _beside(self, case: Case) -> Iterator[Path]:
        for directory in dict.fromkeys((case.directory, *case.roots)):
            if directory not in self._files:
                files = (directory / name for name in TARGET_FILES)
                self._files[directory] = next((file for file in files if exists(file)), None)
            found = self._files[directory]
            if found is not None:
                yield found

    def _with_environment(self, definition: Definition) -> Definition | None:
        """Return the definition with the variables that it takes from the host; None if one of them is not set."""
        if not isinstance(definition, CliTarget) or not definition.env_allow:
            return definition
        missing = [name for name in definition.env_allow if name not in self.environ]
        for name in missing:
            message = f"the target `{shown(definition.name)}` takes {name} from the environment, where it is not set"
            self.findings.error(definition.place, message, hint="Set it, or remove it from `env_allow`.")
        taken = {name: self.environ[name] for name in definition.env_allow if name in self.environ}
        return None if missing else replace(definition, env={**definition.env, **taken})
