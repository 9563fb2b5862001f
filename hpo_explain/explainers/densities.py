"""The densities between which TPE chose, at one proposal and over a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_explain._words import spans
from hpo_explain.densities import DensityRatio
from hpo_explain.explainers.proposals import proposal_of
from hpo_explain.explanations import DensityCurve, DensityPath, ProposalDensities
from hpo_explain.facts import Fact
from hpo_explain.run import KnowsWhyNot, Run
from hpo_explain.space import Array, CategoricalParameter, Parameter

_FINE = 121  # values of a hyperparameter that has more


def densities_at(run: Run, trial: int | str) -> ProposalDensities:
    """Return the densities of every hyperparameter at a proposal.

    Raises
    ------
    ValueError
        If the trial is no proposal, or it was not chosen by densities.
    """
    number = proposal_of(run, trial)
    ratio, notes = _ratio(run, number)
    row, space = run.X[run.row(number)], run.space
    config = run.config(number)
    return ProposalDensities(
        curves=tuple(
            _curve(ratio, j, float(row[j]), config.get(parameter.name))
            for j, parameter in enumerate(space.parameters)
        ),
        config=config,
        joint=tuple(
            tuple(space.names[j] for j in block.columns)
            for block in ratio.blocks
            if len(block.columns) > 1
        ),
        optimizer=run.optimizer,
        trial=number,
        notes=tuple(map(str, notes)),
    )


def density_path_of(run: Run, name: str, trials: Sequence[int] | None = None) -> DensityPath:
    """Return the densities of one hyperparameter at proposals of a run, in order.

    Raises
    ------
    ValueError
        If there is no such hyperparameter, or none of the trials was chosen by densities.
    """
    j = run.space.index(name)
    proposal_of(run, "latest")  # says why there is none
    numbers = list(run.proposals or ()) if trials is None else [proposal_of(run, t) for t in trials]
    if not numbers:
        raise ValueError("trials is empty. Name at least one proposal.")
    positions = _positions(run.space.parameters[j])
    good, bad, told, missing = [], [], [], []
    for number in sorted(numbers):
        try:
            ratio, _ = _ratio(run, number)
        except ValueError:
            missing.append(number)
            continue
        above, below = ratio.marginal(j, positions)
        good.append(above)
        bad.append(below)
        told.append(number)
    if not told:
        _ratio(run, sorted(numbers)[-1])  # says why
    parameter = run.space.parameters[j]
    return DensityPath(
        name=name,
        trials=tuple(told),
        values=tuple(parameter.decode(positions)),
        log=bool(getattr(parameter, "log", False)),
        categorical=isinstance(parameter, CategoricalParameter),
        good=np.array(good),
        bad=np.array(bad),
        proposed=tuple(run.config(number).get(name) for number in told),
        optimizer=run.optimizer,
        notes=(f"not chosen by densities: {spans(missing)}",) if missing else (),
    )


def _ratio(run: Run, number: int) -> tuple[DensityRatio, tuple[Fact, ...]]:
    """Return the densities under which a trial was chosen, and how they are known."""
    own = run.own_acquisition(number)
    if own is not None and isinstance(own.acquisition, DensityRatio):
        return own.acquisition, own.notes
    why = f"{run.optimizer} chose it by another acquisition function"
    if own is None:
        known = run.record.why_not(number) if isinstance(run.record, KnowsWhyNot) else None
        why = (
            str(known)
            if known is not None
            else f"{run.optimizer}'s acquisition function is not known"
        )
    raise ValueError(
        f"trial {number} has no densities of good and other trials: {why}. Densities are those of "
        "Optuna's TPESampler; explain_proposal works with any optimizer."
    )


def _curve(ratio: DensityRatio, j: int, at: float, proposed: Any) -> DensityCurve:
    parameter = ratio.space.parameters[j]
    positions = _positions(parameter)
    good, bad = ratio.marginal(j, positions)
    here = (np.array([np.nan]), np.array([np.nan]))
    if not np.isnan(at):
        here = ratio.marginal(j, np.array([at]))
    return DensityCurve(
        name=parameter.name,
        values=tuple(parameter.decode(positions)),
        log=bool(getattr(parameter, "log", False)),
        categorical=isinstance(parameter, CategoricalParameter),
        good=good,
        bad=bad,
        proposed=proposed,
        proposed_good=float(here[0][0]),
        proposed_bad=float(here[1][0]),
    )


def _positions(parameter: Parameter) -> Array:
    """Return all positions of a hyperparameter, or some along its own scale."""
    grid = parameter.grid() if parameter.size is not None and parameter.size <= _FINE else None
    if grid is not None:
        return grid[0]
    if isinstance(parameter, CategoricalParameter):
        return np.arange(parameter.size, dtype=float)
    return np.unique(parameter.nearest(np.linspace(0.0, 1.0, _FINE)))
