"""TPE's densities: where good and where other trials lay when it proposed a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_explain.base import Fact, NothingToExplain, Subject, fact, spans
from hpo_explain.methods.proposals.densities_result import (
    DensityCurve,
    DensityPath,
    ProposalDensities,
)
from hpo_explain.methods.proposals.explainable import proposals_of
from hpo_explain.methods.proposals.proposed import AnyTrial, proposed
from hpo_explain.models import SupportsDensities
from hpo_explain.question import Explained, Question, explains
from hpo_explain.run import KnowsWhyNot, Run
from hpo_explain.space import Array, Parameter

_FINE = 121  # values of a hyperparameter that has more


@explains(of="optimizer", without=("seed",))
def proposal_densities(question: Question, trial: AnyTrial = "latest") -> ProposalDensities:
    """Show where good and where other trials lay when TPE proposed a configuration.

    Parameters
    ----------
    trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
        The proposal, as in :func:`explain_proposal`.

    Returns
    -------
    ProposalDensities
        The sampler's own densities of each hyperparameter, with the proposed value.

    Raises
    ------
    NothingToExplain
        If TPE's model did not choose the trial.
    ValueError
        If the trial does not exist.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> hx.methods.proposal_densities(study, 11)["x"].proposed == study.trials[11].params["x"]
    True
    """
    run = question.run
    what = proposed(run, trial)
    own = _own(run, what.before)
    if own is None:
        raise _none(run, what.before)
    ratio, how = own
    row, space = what.x, run.space
    config = space.decode(row[None, :])[0]
    notes = (*how, *what.notes)
    subject = Subject.of(run, trial=what.number, state=what.state, assumed=False, notes=notes)
    return ProposalDensities(
        subject=Explained.of(ratio).completed(subject),
        curves=tuple(
            _curve(ratio, j, float(row[j]), config.get(parameter.name))
            for j, parameter in enumerate(space.parameters)
        ),
        config=config,
        not_chosen=what.not_chosen,
        joint=tuple(
            tuple(space.names[j] for j in block.columns)
            for block in ratio.blocks
            if len(block.columns) > 1
        ),
        notes=notes,
    )


@explains(of="optimizer", without=("seed",))
def density_path(question: Question, name: str, trials: Sequence[int] | None = None) -> DensityPath:
    """Show how TPE's densities of one hyperparameter moved over a run.

    Parameters
    ----------
    name : str
        The hyperparameter.
    trials : sequence of int, optional
        The proposals; by default all of them.

    Returns
    -------
    DensityPath
        The densities when each of them was proposed.

    Raises
    ------
    NothingToExplain
        If TPE's model chose none of the trials.
    ValueError
        If there is no such hyperparameter or trial.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> hx.methods.density_path(study, "x").trials
    (10, 11, 12, 13)
    """
    run = question.run
    j = run.space.index(name)
    parameter = run.space.parameters[j]
    positions = _shown_positions(parameter)
    numbers = proposals_of(run, trials)
    ratios = {n: own[0] for n in numbers if (own := _own(run, n)) is not None}
    missing = [n for n in numbers if n not in ratios]
    if not ratios:
        raise _none(run, missing[-1])
    densities = [ratio.marginal(j, positions) for ratio in ratios.values()]
    good, bad = map(np.array, zip(*densities, strict=True))
    other = fact(f"not chosen by densities: {spans(missing)}", trials=missing)
    notes = (other,) if missing else ()
    return DensityPath(
        subject=Explained.of(ratios[max(ratios)]).completed(
            Subject.of(run, assumed=False, notes=notes)
        ),
        name=name,
        trials=tuple(ratios),
        good=good,
        bad=bad,
        proposed=tuple(run.config(number).get(name) for number in ratios),
        notes=notes,
        **_axis(parameter, positions),
    )


def _own(run: Run, number: int | None) -> tuple[SupportsDensities, tuple[Fact, ...]] | None:
    """Return the densities under which a trial was chosen, and how they are known.

    None if it was chosen otherwise.
    """
    own = run.own_acquisition(number)
    if own is None or not isinstance(own.acquisition, SupportsDensities):
        return None
    return own.acquisition, own.notes


def _none(run: Run, number: int | None) -> NothingToExplain:
    """Return the error for a trial that was not chosen by densities."""
    which, trials = ("the next trial", []) if number is None else (f"trial {number}", [number])
    other = run.own_acquisition(number)
    why_not = run.record.why_not(number) if isinstance(run.record, KnowsWhyNot) else None
    why = why_not or f"{run.optimizer}'s acquisition function is not known"
    if other is not None:
        label = other.acquisition.label
        why = f"{run.optimizer} chose it by another acquisition function, {label}"
    return NothingToExplain(
        fact(
            f"{which} has no densities of good and other trials: ",
            why,
            ". Densities are those of Optuna's TPESampler; explain_proposal works with any "
            "optimizer.",
            trials=trials,
            names=[run.optimizer],
        )
    )


def _curve(ratio: SupportsDensities, j: int, at: float, value: Any) -> DensityCurve:
    parameter = ratio.space.parameters[j]
    positions = _shown_positions(parameter)
    good, bad = ratio.marginal(j, positions)
    good_here, bad_here = np.nan, np.nan
    if not np.isnan(at):
        here = ratio.marginal(j, np.array([at]))
        good_here, bad_here = (float(density[0]) for density in here)
    return DensityCurve(
        name=parameter.name,
        good=good,
        bad=bad,
        proposed=value,
        proposed_good=good_here,
        proposed_bad=bad_here,
        **_axis(parameter, positions),
    )


def _axis(parameter: Parameter, positions: Array) -> dict[str, Any]:
    return {
        "values": tuple(parameter.decode(positions)),
        "log": bool(getattr(parameter, "log", False)),
        "categorical": parameter.is_category,
    }


def _shown_positions(parameter: Parameter) -> Array:
    """Return all positions of a hyperparameter, or some along its own scale."""
    few = parameter.size is not None and parameter.size <= _FINE
    grid = parameter.grid() if few else None
    if grid is not None:
        return grid[0]
    if parameter.is_category:
        return np.arange(parameter.size, dtype=float)
    return np.unique(parameter.nearest(np.linspace(0.0, 1.0, _FINE)))
