"""The Gaussian process of Optuna's GPSampler, fitted by the sampler itself as it did at the time.

This is all that touches the private parts of `optuna.samplers.GPSampler`; checked with Optuna
4.5 and 5.0. The sampler starts each fit where the fit before ended, so its fits are repeated one
after the other, on a copy of the sampler and a `PastStudy`, up to the point where it would search
for the next configuration. There its kernel is caught and put into a surrogate, whose log EI is
compared with the sampler's own.

Optuna's kernel is a Matérn-5/2 of ``Σ_j w_j d_j²`` with d the difference of normalized values, the
range padded by half a step on either side, or whether two categories differ. Encoded positions
differ from normalized values by a factor, which goes into the length-scales.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from types import MethodType
from typing import Any

import numpy as np
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import GPSampler
from optuna.samplers._lazy_random_state import LazyRandomState
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import TrialState

from hpo_explain.adapters.optuna._gp_running import LogEIBesideRunning
from hpo_explain.adapters.optuna._record import (
    Asking,
    PastStudy,
    RandomPhaseError,
    SamplerRecord,
    UnexpectedSamplerError,
    asking_sampler,
    known_when,
    not_categorical,
    unknown_distribution,
)
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.models.acquisition.surrogate_based import LogExpectedImprovement
from hpo_explain.models.columns import KernelColumns
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, CategoricalParameter, CategoryIndex, Parameter, SearchSpace

_AVERAGED = fact(
    "it is averaged over the possible results of the trials then running, as the sampler does; the "
    "random numbers are others, as it does not record them"
)
_AGREES = 1e-4
_COMPARED = 5  # trials at which log EI is compared


@dataclass(frozen=True, eq=False)
class KernelParameters:
    """What a fit hands on to the next one, under the names by which the sampler asks for it."""

    inverse_squared_lengthscales: Any
    kernel_scale: Any
    noise_var: Any


@dataclass(frozen=True, eq=False)
class Fitted:
    """What the sampler made of the trials known when a trial was asked for.

    Attributes
    ----------
    surrogate : GaussianProcessSurrogate
        Its Gaussian process, in the objective's units.
    log_ei : LogExpectedImprovement, LogEIBesideRunning or None
        Its acquisition function, as far as it is the log EI of the process, alone or beside
        running trials; None where it is another one.
    acquisition : str
        The class of its acquisition function in Optuna.
    parameters : list of KernelParameters
        Where the next fit starts.
    """

    surrogate: GaussianProcessSurrogate
    log_ei: LogExpectedImprovement | LogEIBesideRunning | None
    acquisition: str
    parameters: list[KernelParameters]


class _Caught(BaseException):  # not an Exception: no handler of errors may stop it
    def __init__(self, acquisition: Any) -> None:
        self.acquisition = acquisition


def without_memory(sampler: GPSampler) -> GPSampler:
    """Return a copy of a sampler that remembers no fit."""
    own: Any = copy.copy(sampler)
    own._gprs_cache_list = own._constraints_gprs_cache_list = None
    own._intersection_search_space = IntersectionSearchSpace()
    own._rng = LazyRandomState(0)
    return copy.deepcopy(own)


def memory_of(sampler: GPSampler) -> list[KernelParameters]:
    """Return where a sampler's next fit starts; nowhere if it has fitted nothing."""
    remembered: Any = sampler
    return [_parameters(process) for process in remembered._gprs_cache_list or ()]


def _parameters(process: Any) -> KernelParameters:
    return KernelParameters(
        process.inverse_squared_lengthscales.detach().clone(),
        process.kernel_scale.detach().clone(),
        process.noise_var.detach().clone(),
    )


def fit(
    sampler: GPSampler,
    study: PastStudy,
    number: int,
    space: SearchSpace,
    start: list[KernelParameters],
) -> Fitted:
    """Return the sampler's Gaussian process and acquisition function for a trial.

    Parameters
    ----------
    sampler : GPSampler
        A sampler that remembers nothing; it is not changed.
    study : PastStudy
        The study, of a single objective, as it stood when the trial was asked for.
    number : int
        The trial's number.
    space : SearchSpace
        The run's search space.
    start : list of KernelParameters
        Where the fit starts: what the fit before ended with; empty for the first.

    Raises
    ------
    RandomPhaseError
        If too few trials were finished, or they have no hyperparameter in common.
    UnexpectedSamplerError
        If the sampler does not answer as in the versions checked.
    ImportError
        If torch is missing.
    """
    own: Any = copy.deepcopy(sampler)
    own._gprs_cache_list = start or None
    own._optimize_acqf = MethodType(_catch, own)
    asking: Any = Asking(number)
    past: Any = study
    completed = [t for t in study.trials if t.state == TrialState.COMPLETE]
    with asking_sampler():
        try:
            common = own.infer_relative_search_space(past, asking)
            if len(completed) < own._n_startup_trials or not common:
                raise RandomPhaseError
            past = _with_finite_values(study)
            with np.errstate(all="ignore"):  # as it was told when the sampler was used
                own.sample_relative(past, asking, common)
        except _Caught as caught:
            return _fitted(own, caught.acquisition, past, common, space)
    raise UnexpectedSamplerError("it proposed without an acquisition function")


def _with_finite_values(study: PastStudy) -> PastStudy:
    """Return a study with infinite values clipped as the sampler does, which would warn again."""
    values = [t.values[0] for t in study.trials if t.state == TrialState.COMPLETE]
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        raise UnexpectedSamplerError("no trial has a finite value")
    if len(finite) == len(values):
        return study
    low, high = min(finite), max(finite)
    trials = []
    for trial in study.trials:
        clipped = copy.copy(trial)
        if trial.state == TrialState.COMPLETE:
            clipped.values = [min(max(trial.values[0], low), high)]
        trials.append(clipped)
    return PastStudy(study.directions, trials)


def _catch(self: Any, acqf: Any, best_params: Any) -> Any:
    raise _Caught(acqf)


def _fitted(
    own: Any, acqf: Any, study: PastStudy, common: dict[str, Any], space: SearchSpace
) -> Fitted:
    (process,) = own._gprs_cache_list
    name = type(acqf).__name__
    values = np.array(
        [t.values[0] for t in study.trials if t.state == TrialState.COMPLETE], dtype=float
    )
    minimize = study.direction.name == "MINIMIZE"
    surrogate = _surrogate(process, values, common, space, minimize=minimize)
    log_ei: LogExpectedImprovement | LogEIBesideRunning | None = None
    best = float(values.min() if minimize else values.max())
    direction: Direction = "minimize" if minimize else "maximize"
    scale = float(max(values.std(), 1e-10))
    if name == "LogEI":
        log_ei = LogExpectedImprovement(surrogate, best=best, direction=direction)
    if name == "qLogEI":
        given = acqf._cond_gpr
        draws = given.get_fantasy_samples().numpy() * scale
        sign = -1.0 if minimize else 1.0
        log_ei = LogEIBesideRunning(
            surrogate,
            best,
            direction,
            running=_rows(given._X_running.numpy(), common, space),
            results=sign * (sign * values.mean() + draws),
            normal=given._fixed_samples_x.numpy(),
            scale=scale,
        )
    if log_ei:
        _compare(acqf, process, log_ei, common, space, scale)
    parameters = [_parameters(process) for process in own._gprs_cache_list]
    return Fitted(surrogate, log_ei, name, parameters)


def _surrogate(
    process: Any, values: Array, common: dict[str, Any], space: SearchSpace, *, minimize: bool
) -> GaussianProcessSurrogate:
    """Return Optuna's process as one over encoded rows, in the objective's units."""
    from hpo_explain.models._gp_fit import FittedProcess
    from hpo_explain.models._scaled_matern import ScaledMatern

    columns = KernelColumns(space)
    weights = dict(zip(common, process.inverse_squared_lengthscales.numpy(), strict=True))
    scales = np.full(len(columns.members), np.inf)
    for group, members in enumerate(columns.members):
        parameter = space.parameters[members[0]]
        is_own = group == [m[0] for m in columns.members].index(members[0])
        if is_own and parameter.name in weights and parameter.size != 1:
            ratio = _ratio(parameter, common[parameter.name])
            scales[group] = 1.0 / (ratio * math.sqrt(weights[parameter.name]))
    rows = _rows(process._X_train.numpy(), common, space)
    # Optuna standardizes by the population's standard deviation, and maximizes
    sign = -1.0 if minimize else 1.0
    gp = FittedProcess.conditioned(
        ScaledMatern(float(process.kernel_scale), scales, columns.amid),
        float(process.noise_var),
        columns(rows),
        process._y_train.numpy().ravel(),
        offset=float(sign * values.mean()),
        scale=float(max(values.std(), 1e-10)),
    )
    return GaussianProcessSurrogate(space, gp, columns=columns, negated=minimize)


def _rows(normalized: Array, common: dict[str, Any], space: SearchSpace) -> Array:
    """Return normalized values as encoded rows; NaN in what the sampler ignores."""
    X = np.full((len(normalized), len(space)), np.nan)
    for i, (name, distribution) in enumerate(common.items()):
        if name in space.names:
            X[:, space.index(name)] = _position(space[name], distribution, normalized[:, i])
    return X


def _position(parameter: Parameter, distribution: Any, normalized: Array) -> Array:
    if isinstance(parameter, CategoricalParameter):
        index = CategoryIndex(parameter.choices)
        places = [index(choice) for choice in distribution.choices]
        return np.array([places[int(k)] for k in normalized], dtype=float)
    low, high = _padded(distribution)
    first, last = (_scaled(parameter.low, parameter.log), _scaled(parameter.high, parameter.log))
    if first == last:
        return np.zeros_like(normalized)
    return (low + normalized * (high - low) - first) / (last - first)


def _ratio(parameter: Parameter, distribution: Any) -> float:
    """Return how much a normalized value changes with the encoded position."""
    if isinstance(parameter, CategoricalParameter):
        if not isinstance(distribution, CategoricalDistribution):
            raise not_categorical(parameter.name)
        return 1.0
    if not isinstance(distribution, (FloatDistribution, IntDistribution)):
        raise unknown_distribution(parameter.name)
    if parameter.log != distribution.log:
        changed = f"the scale of {parameter.name} changed during the study"
        raise UnexpectedSamplerError(changed)
    low, high = _padded(distribution)
    return (_scaled(parameter.high, parameter.log) - _scaled(parameter.low, parameter.log)) / (
        high - low
    )


def _padded(distribution: Any) -> tuple[float, float]:
    half = (distribution.step or 0.0) / 2.0
    return (
        _scaled(distribution.low - half, distribution.log),
        _scaled(distribution.high + half, distribution.log),
    )


def _scaled(value: float, log: bool) -> float:
    return math.log(value) if log else float(value)


def _compare(
    acqf: Any,
    process: Any,
    log_ei: LogExpectedImprovement | LogEIBesideRunning,
    common: dict[str, Any],
    space: SearchSpace,
    scale: float,
) -> None:
    """Raise unless log EI is the sampler's own at some trials, up to the units of the objective."""
    # halfway between trials, where the process is not sure; categories stay as they are
    inner = np.array(process._X_train.numpy()[: _COMPARED + 1], dtype=float)
    for i, distribution in enumerate(common.values()):
        if isinstance(distribution, FloatDistribution):
            inner[1:, i] = 0.5 * (inner[1:, i] + inner[:-1, i])
    rows = _rows(inner, common, space)
    ours = next(iter(log_ei.terms(rows).values())) - math.log(scale)
    theirs = np.asarray(acqf.eval_acqf_no_grad(inner), dtype=float)
    # far below the best, both are rounding
    likely = theirs > -50.0
    if not np.allclose(ours[likely], theirs[likely], rtol=_AGREES, atol=_AGREES):
        differs = "its log EI is not that of the Gaussian process that it fits"
        raise UnexpectedSamplerError(differs)


@dataclass(frozen=True, eq=False)
class GpRecord(SamplerRecord):
    """Optuna's GPSampler and the trials of its study, for a Run.

    Attributes
    ----------
    sampler : GPSampler
        The sampler, without what it remembers.
    memory : list of KernelParameters
        Where its next fit starts.
    how : Fact
        How the sampler is known.
    own_objective : bool
        Whether the run's objective is the one that the sampler models.
    """

    sampler: GPSampler
    memory: list[KernelParameters]
    how: Fact
    own_objective: bool
    _handed_on: dict[int, list[KernelParameters]] = field(
        default_factory=dict, init=False, repr=False
    )

    what = "Gaussian process"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_handed_on": {}}

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the sampler's Gaussian process at trial `before`, if it had one."""
        found = self._rebuilt(before)
        return None if isinstance(found, Fact) or not self.own_objective else found.surrogate

    def _acquisition_of(self, rebuilt: Fitted | Fact) -> OwnAcquisition | Fact:
        if isinstance(rebuilt, Fact):
            return rebuilt
        if not rebuilt.log_ei:
            return fact(
                f"{self.name} chose this by {rebuilt.acquisition}, which also weighs what the "
                "constraints allow and is not rebuilt; its Gaussian process is"
            )
        averaged = () if rebuilt.acquisition == "LogEI" else (_AVERAGED,)
        refitted = fact(
            f"log EI: of the Gaussian process that {self.name} fitted, ",
            self.how,
            "; its fits are repeated one after the other, as in a single process",
        )
        return OwnAcquisition(rebuilt.log_ei, (refitted, *averaged))

    def _rebuild(self, before: int | None) -> Fitted | Fact:
        """Return what the sampler fitted, or why that is not known."""
        if len(self.directions) > 1:
            several = f"{len(self.directions)} objectives against each other"
            return fact(f"{self.name} weighed {several}, which is not rebuilt")
        try:
            return self._fit(before, self.memory if before is None else self._start(before))
        except ImportError:
            needs = f"the Gaussian process of {self.name} needs torch"
            return fact(f"{needs}: pip install torch")

    def _fit(self, before: int | None, start: list[KernelParameters]) -> Fitted:
        number = len(self.trials) if before is None else before
        study = PastStudy(self.directions, known_when(self.trials, before))
        return fit(self.sampler, study, number, self.space, start)

    def _start(self, before: int) -> list[KernelParameters]:
        """Return what the fit before handed on, after all fits that came before it."""
        start: list[KernelParameters] = []
        for trial in self.trials[:before]:
            number = trial.number
            added = self.origins.get(number) is Origin.ADDED
            if added or trial.state == TrialState.WAITING:
                continue  # the sampler was not asked for it
            if number not in self._handed_on:
                try:
                    self._handed_on[number] = self._fit(number, start).parameters
                except RandomPhaseError:
                    self._handed_on[number] = start
            start = self._handed_on[number]
        return start
