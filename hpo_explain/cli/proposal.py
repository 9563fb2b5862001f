"""`hpo-explain proposal`: why the optimizer tried a configuration."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.options import Criterion, WhichTrial
from hpo_explain.cli._contributions import contributions_table
from hpo_explain.cli._model import takes_seed
from hpo_explain.cli._number_or_word import number_or_word
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--trial", default="latest", show_default=True,
              callback=number_or_word,
              metavar="[N|latest|best|best-predicted|pending]",
              help="The proposal; pending: the latest one that runs.")  # fmt: skip
@click.option("--acquisition", default="auto", show_default=True,
              type=click.Choice(["auto", "lcb", "ei", "pi", "logei"]),
              help="auto: the optimizer's own where it is known.")  # fmt: skip
@click.option("--background", default="auto", show_default=True,
              callback=number_or_word,
              metavar="[N|auto|global|local|hybrid|thesis|incumbent]",
              help="What the proposal is compared with.")  # fmt: skip
@takes_seed("the surrogate and of the background")
@shows_result
def proposal(
    source: Source,
    trial: int | WhichTrial,
    acquisition: Criterion,
    background: int | str,
    seed: int,
    form: str,
    plot: Path | None,
) -> None:
    """Say why the optimizer tried a configuration.

    Contributions of its hyperparameters to the acquisition function, larger is more desirable;
    lower and upper are the 95 % interval of averaging over the background.
    """
    from hpo_explain.facade.proposals import explain_proposal

    result = explain_proposal(
        read_and_tell(source),
        trial,
        acquisition=acquisition,
        background=background,
        seed=seed,
    )
    show(result, contributions_table(result, words=form == "table"), form, plot)
