"""The commands of ``grade`` for the engine and this machine: doctor, images and completion.

Only their options are here; what they do is imported when they are called, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graders.cli import completion
from graders.cli.help import Commands, examples, one_of
from graders.cli.options import HostOption

if TYPE_CHECKING:
    from graders.doctor import Finding

SECTION = "Commands for engine and shell"

ImagesArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Which images; all without a name.", metavar="NAME", autocompletion=completion.images),
]

images_app = typer.Typer(
    help="Build, list and remove the images that cases are graded in.",
    cls=Commands,
    epilog=examples("grade images build", "grade images list"),
)


def doctor(
    json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    host: HostOption = None,
) -> None:
    """Check the engine and all else that grading needs.

    Whatever is wrong is said with its remedy.
    """
    from graders.cli.interruption import raising  # noqa: PLC0415
    from graders.doctor import examine, print_findings, worst  # noqa: PLC0415

    with raising():
        findings: list[Finding] = examine(host)
    print_findings(findings, as_json=json_object)
    raise typer.Exit(worst(findings))


def images_build(
    names: ImagesArgument = None,
    force: Annotated[bool, typer.Option("--force", help="Build anew what is current, too.")] = False,
    host: HostOption = None,
) -> None:
    """Build the images that are missing or stale.

    The first layer comes from a registry where one answers, else from Debian's packages.
    """
    from graders.cli.commands.images import build  # noqa: PLC0415
    from graders.cli.interruption import raising  # noqa: PLC0415

    with raising():
        build(names or [], force=force, host=host)


def images_list(
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per image, a line each.")] = False,
    host: HostOption = None,
) -> None:
    """List the images and their state."""
    from graders.cli.commands.images import show  # noqa: PLC0415
    from graders.cli.interruption import raising  # noqa: PLC0415

    with raising():
        show(as_json=json_lines, host=host)


def images_rm(names: ImagesArgument = None, host: HostOption = None) -> None:
    """Remove images from the engine."""
    from graders.cli.commands.images import remove  # noqa: PLC0415
    from graders.cli.interruption import raising  # noqa: PLC0415

    with raising():
        remove(names or [], host=host)


def print_completion(
    shell: Annotated[
        str, typer.Argument(help="bash, zsh or fish.", metavar="SHELL", autocompletion=lambda: list(completion.Shell))
    ],
) -> None:
    """Print what bash, zsh or fish reads to complete command lines.

    Commands, options, some of their values, and paths.
    """
    completion.print_script(one_of(completion.Shell, "SHELL", shell))


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("doctor", rich_help_panel=SECTION, epilog=examples("grade doctor", "grade doctor --json"))(doctor)
    images_app.command("build", epilog=examples("grade images build", "grade images build python bun"))(images_build)
    images_app.command("list", epilog=examples("grade images list"))(images_list)
    images_app.command("rm", epilog=examples("grade images rm julia"))(images_rm)
    app.add_typer(images_app, name="images", rich_help_panel=SECTION)
    app.command(
        "completion",
        rich_help_panel=SECTION,
        epilog=examples(
            "grade completion bash > ~/.local/share/bash-completion/completions/grade",
            "grade completion zsh > ~/.zfunc/_grade",
            "grade completion fish > ~/.config/fish/completions/grade.fish",
        ),
    )(print_completion)
