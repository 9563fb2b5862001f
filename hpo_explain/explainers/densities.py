"""TPE's densities at a proposal: where good and where other trials lay when it was chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import WhichTrial
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.densities import DensityCurve, ProposalDensities
from hpo_explain.methods._engines.certainty import near_good
from hpo_explain.methods._engines.explained import Explained
from hpo_explain.methods._engines.proposed import HasNumber, proposed
from hpo_explain.models.densities.ratio import DensityRatio
from hpo_explain.run import KnowsWhyNot, Run
from hpo_explain.space import Array, CategoricalParameter, Config, Parameter

_FINE = 121  # values of a hyperparameter that has more


def densities_at(run: Run, trial: int | WhichTrial | Config | HasNumber) -> ProposalDensities:
    """Return the densities of every hyperparameter at a proposal.

    Raises
    ------
    NothingToExplain
        If no model chose the trial, or another one than densities.
    ValueError
        If there is no such trial.
    """
    what = proposed(run, trial)
    own = own_densities(run, what.before)
    if own is None:
        raise no_densities(run, what.before)
    row, space = what.x, run.space
    config = space.decode(row[None, :])[0]
    notes = (*own.notes, *what.notes)
    subject = Subject.of(run, trial=what.number, state=what.state, assumed=False, notes=notes)
    known = run.known_before(what.before)
    by_chance = near_good(space, run.X[known], run.cost[known], row)[:, 0]
    return ProposalDensities(
        subject=Explained.of(own.ratio).completed(subject),
        curves=tuple(
            replace(
                _curve(own.ratio, j, float(row[j]), config.get(parameter.name)),
                by_chance=float(by_chance[j]),
            )
            for j, parameter in enumerate(space.parameters)
        ),
        config=config,
        not_chosen=what.not_chosen,
        joint=tuple(
            tuple(space.names[j] for j in block.columns)
            for block in own.ratio.blocks
            if len(block.columns) > 1
        ),
        notes=notes,
    )


class _OwnDensities(NamedTuple):
    """The densities under which a trial was chosen, and how they are known."""

    ratio: DensityRatio
    notes: tuple[Fact, ...]


def own_densities(run: Run, number: int | None) -> _OwnDensities | None:
    """Return the densities under which a trial was chosen; None if it was chosen otherwise."""
    own = run.own_acquisition(number)
    if own is None or not isinstance(own.acquisition, DensityRatio):
        return None
    return _OwnDensities(own.acquisition, own.notes)


def no_densities(run: Run, number: int | None) -> NothingToExplain:
    """Return the error for a trial that was not chosen by densities."""
    other = run.own_acquisition(number)
    why = run.record.why_not(number) if isinstance(run.record, KnowsWhyNot) else None
    return NothingToExplain(
        fact(
            "no_densities",
            trials=[] if number is None else [number],
            names=[run.optimizer],
            acquisition=None if other is None else other.acquisition.label,
            why=why,
        )
    )


def _curve(ratio: DensityRatio, j: int, at: float, proposed: Any) -> DensityCurve:
    parameter = ratio.space.parameters[j]
    positions = shown_positions(parameter)
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


def shown_positions(parameter: Parameter) -> Array:
    """Return all positions of a hyperparameter, or some along its own scale."""
    grid = parameter.grid() if parameter.size is not None and parameter.size <= _FINE else None
    if grid is not None:
        return grid[0]
    if isinstance(parameter, CategoricalParameter):
        return np.arange(parameter.size, dtype=float)
    return np.unique(parameter.nearest(np.linspace(0.0, 1.0, _FINE)))
