"""`hpo-explain importance`: which hyperparameters matter."""

from __future__ import annotations

from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpo_explain.base.errors import InputError
from hpo_explain.base.options import Kind
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source

if TYPE_CHECKING:
    from hpo_explain.space import Parameter, SearchSpace


def _cap(context: click.Context, option: click.Parameter, text: str | None) -> float | str | None:
    """Return a number, or a quantile as it is written."""
    if text is None:
        return None
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = nan
    is_share = text.endswith("%")
    if not isfinite(number) or (is_share and not 0.0 < number <= 100.0):
        raise click.BadParameter(
            f"must be a number, or a quantile such as 25% of at most 100%, but was {text!r}."
        )
    return text if is_share else number


def _given(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what is to be read once the hyperparameters are known."""
    for text in texts:
        if "=" not in text:
            raise click.BadParameter(f"must be NAME=VALUE or NAME=VALUE,VALUE, but was {text!r}.")
    return texts


@click.command()
@takes_source
@click.option("--order", default=1, show_default=True, type=click.IntRange(min=1),
              help="Size of the largest sets: 2 adds all pairs.")  # fmt: skip
@chooses_surrogate("The model; auto: the one that predicts held-out trials better.")
@click.option("--cap", callback=_cap, metavar="[NUMBER|PERCENT%]",
              help="Only the good region: what is worse than this number of the "
              "objective, or than this quantile (25%), counts as it.")  # fmt: skip
@click.option("--given", multiple=True, callback=_given, metavar="NAME=VALUE[,VALUE]",
              help="Only this sub-space: these categories or integers, or between these two ends "
              "of a range; may be repeated.")  # fmt: skip
@takes_seed("the models and of the interval")
@shows_result
def importance(
    source: Source,
    order: int,
    kind: Kind,
    cap: float | str | None,
    given: tuple[str, ...],
    seed: int,
    form: str,
    plot: Path | None,
) -> None:
    """Say which hyperparameters matter.

    Shares of the variance of the objective, without the noise of the trials, with 95 % intervals
    (lower, upper); std is the standard deviation over draws of a posterior, or a forest's trees.
    """
    from hpo_explain.facade.fanova import importance as importance_of

    run = read_and_tell(source)
    within = _sub_space(run.space, given)
    result = importance_of(run, order, kind=kind, seed=seed, cap=cap, given=within)
    frame = result.to_frame().drop(columns="members").reset_index()
    show(result, frame, form, plot)


def _sub_space(space: SearchSpace, given: tuple[str, ...]) -> dict[str, list[Any]] | None:
    """Return what was given as NAME=VALUE,VALUE, the values as the space knows them."""
    found: dict[str, list[Any]] = {}
    for text in given:
        # a name may hold "=" itself
        names = [name for name in space.names if text.startswith(f"{name}=")]
        if not names:
            raise InputError(
                "given",
                f"must be NAME=VALUE with one of {', '.join(space.names[:30])}, but was {text!r}",
                text,
            )
        name = max(names, key=len)
        values = _values(space[name], name, text[len(name) + 1 :])
        found.setdefault(name, []).extend(values)
    return found or None


def _values(parameter: Parameter, name: str, text: str) -> list[Any]:
    from hpo_explain.space import CategoricalParameter

    if isinstance(parameter, CategoricalParameter):
        known = {str(choice): choice for choice in parameter.choices}
        # a category may hold "," itself
        words = [text] if text in known else text.split(",")
        unknown = [word for word in words if word not in known]
        if unknown:
            raise InputError(
                "given", f"{name} must be among {', '.join(known)}, but was {unknown[0]!r}", text
            )
        return [known[word] for word in words]
    try:
        return [float(word) if "." in word or "e" in word.lower() else int(word)
                for word in text.split(",")]  # fmt: skip
    except ValueError:
        raise InputError(
            "given", f"{name} must be numbers like 1,2, but was {text!r}", text
        ) from None
