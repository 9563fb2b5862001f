"""`hpo-explain advise`: what to do next."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.phrases import printable
from hpo_explain.cli._model import takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--most", default=5, show_default=True, type=click.IntRange(min=1),
              help="The largest number of actions.")  # fmt: skip
@takes_seed("the models, samples and draws")
@shows_result
def advise(source: Source, most: int, seed: int, form: str, plot: Path | None) -> None:
    """Say what to do next, what is expected to bring most first.

    Each action with what speaks for it and code to paste.
    """
    from hpo_explain.facade.advice import advise as advice_of

    result = advice_of(read_and_tell(source), most=most, seed=seed)
    show(result, result.to_frame(), form, plot)
    if form == "table":
        for place, action in enumerate(result.actions, start=1):
            click.echo(f"\n{place}. {action.title}\n   {action.reason}")
            for line in action.code.splitlines():
                click.echo(f"       {printable(line)}")
