"""TPE's densities: where good and where other trials lay when it proposed a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    MOST_NAMED,
    Claim,
    Fact,
    NothingToExplain,
    Result,
    Subject,
    Table,
    attributes,
    chained,
    fact,
    format_value,
    spans,
    trial_number,
    unknown_name,
)
from hpo_explain.methods.proposals.explainable import proposals_of
from hpo_explain.methods.proposals.proposed import AnyTrial, proposed
from hpo_explain.models import SupportsDensities
from hpo_explain.question import Explained, Question, explains
from hpo_explain.run import KnowsWhyNot, Run
from hpo_explain.space import Array, Parameter

_CLEAR = 1.1  # times as common: less is not told
_OF_CURVE = ("values", "good", "bad", "proposed", "proposed_good", "proposed_bad")


@dataclass(frozen=True, eq=False)
class DensityCurve:
    """How common the values of one hyperparameter are among good trials and among others.

    Attributes
    ----------
    name : str
        The hyperparameter.
    values : tuple
        Values in the user's units.
    log, categorical : bool
        Its scale and kind.
    good, bad : ndarray of shape (G,)
        The densities l and g of the values, whatever the other hyperparameters are, as multiples
        of chance: 1 where a value is as common as under a uniform choice.
    proposed : object or None
        The proposed value; None where the hyperparameter was inactive.
    proposed_good, proposed_bad : float
        l and g at it; NaN where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> l, g = np.array([1.6, 0.4]), np.array([0.8, 1.2])
    >>> DensityCurve("kernel", ("rbf", "poly"), False, True, l, g, "rbf", 1.6, 0.8).ratio
    2.0
    """

    name: str
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: Any = None
    proposed_good: float = np.nan
    proposed_bad: float = np.nan

    @property
    def ratio(self) -> float:
        """How much more common the proposed value is among good trials than among others."""
        return float(self.proposed_good / self.proposed_bad)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProposalDensities(Result):
    """TPE's densities of good and other trials for each hyperparameter of a proposal.

    Of hyperparameters that were sampled together these are the marginal densities.

    Attributes
    ----------
    curves : tuple of DensityCurve
        One per hyperparameter, in the order of the space.
    config : mapping
        The proposal, in the user's units.
    joint : tuple of tuple of str
        Hyperparameters that were sampled together.
    not_chosen : tuple of str
        The hyperparameters that have no value yet, although they may be active.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> hx.methods.proposal_densities(study, 11)["x"].proposed == study.trials[11].params["x"]
    True
    """

    table: ClassVar[Table] = Table(
        columns={
            "hyperparameter": lambda result: [c.name for c in result.curves for _ in c.values],
            "value": lambda result: [value for c in result.curves for value in c.values],
            "good": lambda result: np.concatenate([c.good for c in result.curves]),
            "bad": lambda result: np.concatenate([c.bad for c in result.curves]),
            "log_ratio": lambda result: np.concatenate(
                [np.log(c.good / c.bad) for c in result.curves]
            ),
        },
        held=attributes(
            "config",
            "joint",
            curves=lambda result: [
                {"hyperparameter": c.name, **{name: getattr(c, name) for name in _OF_CURVE}}
                for c in result.curves
            ],
        ),
    )
    curves: tuple[DensityCurve, ...]
    config: Mapping[str, Any]
    joint: tuple[tuple[str, ...], ...] = ()
    not_chosen: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> DensityCurve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise unknown_name("name", name, [c.name for c in self.curves], "hyperparameter")

    def order(self) -> list[int]:
        """Return the positions of the active hyperparameters, the largest ratio first."""
        active = [i for i, curve in enumerate(self.curves) if curve.proposed is not None]
        return sorted(active, key=lambda i: -abs(np.log(self.curves[i].ratio)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which proposed values are clearly more common among good trials than among others."""
        clear = [self.curves[i] for i in self.order() if self.curves[i].ratio >= _CLEAR]
        text = (
            f"At {self.where} no value is clearly more common among good trials than among others."
        )
        return tuple(map(self._claim, clear[:MOST_NAMED])) or (
            Claim("tried", tuple(self.config), text=text, side="below"),
        )

    def _claim(self, curve: DensityCurve) -> Claim:
        value = format_value(curve.proposed, width=200)
        return Claim(
            "tried",
            (curve.name,),
            curve.ratio,
            values=(curve.proposed,),
            frame=f"At {self.where} {{each}} among good trials as among the others.",
            text=f"{curve.name} = {value} is {curve.ratio:.2g} times as common",
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DensityPath(Result):
    """How the densities of one hyperparameter changed during a run.

    Attributes
    ----------
    name : str
        The hyperparameter.
    trials : tuple of int
        The proposals.
    values : tuple
        Values in the user's units.
    log, categorical : bool
        Its scale and kind.
    good, bad : ndarray of shape (T, G)
        The densities l and g when each of them was proposed, as multiples of chance.
    proposed : tuple
        The proposed values; None where the hyperparameter was inactive.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> hx.methods.density_path(study, "x").good.shape
    (4, 121)
    """

    table: ClassVar[Table] = Table(
        columns={
            "trial": lambda result: np.repeat(result.trials, len(result.values)),
            "value": lambda result: list(result.values) * len(result.trials),
            "good": lambda result: result.good.ravel(),
            "bad": lambda result: result.bad.ravel(),
            "log_ratio": lambda result: result.log_ratio.ravel(),
        },
        held=attributes("name", "trials", "values", "good", "bad", "proposed"),
    )
    name: str
    trials: tuple[int, ...]
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: tuple[Any, ...]

    @property
    def log_ratio(self) -> Array:
        """Logarithm of l / g, (T, G)."""
        return np.log(self.good) - np.log(self.bad)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which value the latest densities prefer."""
        latest = self.log_ratio[-1]
        best, times = self.values[int(np.argmax(latest))], float(np.exp(latest.max()))
        common = f"{times:.2g} times as common as among the others by trial "
        prefer = f"Good trials came to prefer {self.name} = {format_value(best, width=200)}"
        text = chained([f"{prefer}: {common}", trial_number(self.trials[-1]), "."])
        return (Claim("tried", (self.name,), times, values=(best,), text=text),)


_FINE = 121  # values of a hyperparameter that has more


@explains(of="optimizer", without=("seed",))
def proposal_densities(question: Question, trial: AnyTrial = "latest") -> ProposalDensities:
    """Show TPE's densities of good and other trials when it proposed a configuration.

    Parameters
    ----------
    trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
        The proposal, as in `explain_proposal`.

    Returns
    -------
    ProposalDensities
        TPE's densities of each hyperparameter, with the proposed value.

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
    """Show how TPE's densities of one hyperparameter changed during a run.

    Parameters
    ----------
    name : str
        The hyperparameter.
    trials : sequence of int, optional
        The proposals; by default all of them.

    Returns
    -------
    DensityPath
        The densities at each proposal.

    Raises
    ------
    NothingToExplain
        If TPE's model chose none of the trials.
    ValueError
        If the hyperparameter or a trial does not exist.

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
