"""`hpo-explain what-if`: the profiler of a run, as a page."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.phrases import printable
from hpo_explain.cli._errors import say
from hpo_explain.cli._interrupt import interrupt_at_hand
from hpo_explain.cli._reading import read_all_and_tell
from hpo_explain.cli._source import Source, SourceCommand, takes_source


@click.command("what-if", cls=SourceCommand)
@takes_source
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="what_if.html",
    show_default=True,
    help="The file to write.",
)
def what_if(source: Source, out: Path) -> None:
    """Write the profiler: what other values would change.

    It shows a curve for each hyperparameter, given the values of the others. Drag one value, and
    the other curves follow.
    """
    from hpo_explain.reporting._file import check_place
    from hpo_explain.reporting.standalone import panel_of

    check_place(out)  # before a minute of work, not after
    runs = read_all_and_tell(source)
    say("writing the profiler ...")
    panel = panel_of(runs)
    interrupt_at_hand().check()
    click.echo(printable(f"What if: {panel.write(out)}"))
