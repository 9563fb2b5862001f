"""`hpo-explain tunability` and its like: what tuning gains over a default, and can lose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


def _asked(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all games have."""
    for option in (
        takes_seed("the surrogate and of what is searched for"),
        chooses_surrogate(),
        click.option("--order", default=2, show_default=True, type=click.IntRange(min=1),
                     help="The size of the largest sets of hyperparameters."),
        click.option("--index", default="k-SII", show_default=True,
                     type=click.Choice(["k-SII", "STII", "FSII"]),
                     help="How what hyperparameters do together is shared out."),
        click.option("--default", type=click.IntRange(min=0), metavar="TRIAL",
                     help="The trial with the default configuration; without it the first one."),
    ):  # fmt: skip
        command = option(command)
    return command


def _show(game: str, source: Source, form: str, plot: Path | None, asked: dict[str, Any]) -> None:
    from hpo_explain import methods

    result = getattr(methods, game)(read_and_tell(source), **asked)
    show(result, result.to_frame().drop(columns="members").reset_index(), form, plot)


@click.command()
@takes_source
@_asked
@shows_result
def tunability(source: Source, form: str, plot: Path | None, **asked: Any) -> None:
    """Say what tuning gains over a default.

    For each set of hyperparameters the best of its values are searched for on the model while the
    others stay at the default: alone is what that gains, value what the set adds to smaller ones.
    """
    _show("tunability", source, form, plot, asked)


@click.command()
@takes_source
@_asked
@shows_result
def mistunability(source: Source, form: str, plot: Path | None, **asked: Any) -> None:
    """Say what the worst values lose against a default."""
    _show("mistunability", source, form, plot, asked)


@click.command()
@takes_source
@_asked
@shows_result
def sensitivity(source: Source, form: str, plot: Path | None, **asked: Any) -> None:
    """Say how much the prediction varies around a default.

    For each set of hyperparameters the variance over its values while the others stay at the
    default.
    """
    _show("sensitivity", source, form, plot, asked)


@click.command()
@takes_source
@_asked
@click.option("--against", multiple=True, metavar="SOURCE",
              help="A run of another optimizer in the same space, read with the same options; may "
              "be repeated. Without any, the best that the model knows.")  # fmt: skip
@shows_result
def optimizer_bias(
    source: Source, against: tuple[str, ...], form: str, plot: Path | None, **asked: Any
) -> None:
    """Say what the optimizer missed.

    For each set of hyperparameters how much more its best values gain over the default than the
    values that were tried.
    """
    asked["ensemble"] = [replace(source, source=other).read() for other in against]
    _show("optimizer_bias", source, form, plot, asked)
