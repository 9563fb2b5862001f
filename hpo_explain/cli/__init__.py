"""The command line: `hpo-explain`, one file per command.

Nothing but click is imported before a command runs, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from hpo_explain.adapters.addresses import without_secrets
from hpo_explain.base.garbage import seldom_searched
from hpo_explain.catalog.methods import METHODS
from hpo_explain.cli._commands import MethodCommand
from hpo_explain.cli._errors import ARGUMENTS
from hpo_explain.cli._interrupt import heeded_interrupt
from hpo_explain.cli.demo import demo
from hpo_explain.cli.mcp import mcp
from hpo_explain.cli.publish import publish
from hpo_explain.cli.report import report
from hpo_explain.cli.watch import watch
from hpo_explain.cli.what_if import what_if

__all__ = ["main"]


class _Questions(click.Group):
    """Commands; a source in place of one asks for its summary."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that a command line means, and its arguments."""
        ctx.meta[ARGUMENTS] = [*args]
        path = Path(args[0])
        if args[0] not in self.commands and (path.suffix or len(path.parts) > 1 or path.exists()):
            if args[1:] and args[1] in self.commands:
                problem = f"the command comes first: {ctx.command_path} {args[1]} {args[0]}"
                raise click.UsageError(problem, ctx)
            args = ["summary", *args]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what click says of a wrong command line may quote an address."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            text = without_secrets(error.format_message())
            raise click.UsageError(text, error.ctx) from None


_COMPLETION = """\b
For completion in bash, put this into ~/.bashrc (for zsh and fish with their names):
  eval "$(_HPO_EXPLAIN_COMPLETE=bash_source hpo-explain)"
"""


@click.group(
    cls=_Questions, epilog=_COMPLETION, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="hpo_explain")
@click.pass_context
def main(context: click.Context) -> None:
    """Explain hyperparameter optimization: what matters, what to try next, and why.

    A SOURCE is a storage address of Optuna (sqlite:///study.db, postgresql://..., mysql://...), the
    file of an SQLite or journal storage, a CSV file (with --objective), or a pickled result (with
    --trust-pickle). Only publish writes to it. A SOURCE without a command is summarized.

    Results go to stdout, everything else to stderr. The exit code is 0 on success, 1 on failure,
    and 2 if the command line is wrong.
    """
    if os.environ.get("NO_COLOR"):  # https://no-color.org
        context.color = False
    for stream in (sys.stdout, sys.stderr):
        # a terminal that knows no "×" must not end the program
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    context.with_resource(seldom_searched())
    context.obj = context.with_resource(heeded_interrupt())


for _command in (
    *(MethodCommand(method) for method in METHODS if method.called),
    demo,
    mcp,
    publish,
    report,
    watch,
    what_if,
):
    main.add_command(_command)
