"""TPE's own densities, rebuilt by the sampler itself from the trials it had at the time.

This is all that touches the private parts of `optuna.samplers.TPESampler`; it was checked with
Optuna 4.5 and 5.0. The sampler's code runs on a copy of the sampler and on a `PastStudy`, up to the
point where it compares its candidates; there the two densities are caught, turned into plain
arrays, and compared with what the sampler computes from them.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import RandomSampler, TPESampler
from optuna.samplers._lazy_random_state import LazyRandomState
from optuna.search_space import IntersectionSearchSpace
from optuna.search_space.group_decomposed import _GroupDecomposedSearchSpace
from optuna.trial import FrozenTrial

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
from hpo_explain.adapters.optuna._space import distribution_of
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import join_names
from hpo_explain.base.workers import ByValue, dumped
from hpo_explain.models.densities.kernels import CategoryKernels, Kernels, NumericKernels
from hpo_explain.models.densities.mixture import ProductMixture
from hpo_explain.models.densities.ratio import DensityBlock, DensityRatio
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import CategoricalParameter, CategoryIndex, Parameter, SearchSpace, asked_as

_CANDIDATES = 2  # on which the arrays are compared with the sampler's own densities
_AGREES = 1e-6
_MARK = "tpe:relative_params:"


@dataclass(frozen=True, eq=False)
class Caught:
    """Two densities of the sampler, with its candidates and what it computed for them."""

    below: Any
    above: Any
    candidates: dict[str, Any]
    values: Any


def rebuild(
    sampler: TPESampler,
    study: PastStudy,
    number: int,
    space: SearchSpace,
    distributions: Sequence[tuple[str, BaseDistribution]],
    fixed: Collection[str] = (),
) -> DensityRatio:
    """Return the acquisition function of a TPE sampler for a trial.

    Parameters
    ----------
    sampler : TPESampler
        The sampler; it is not changed.
    study : PastStudy
        The study as it stood when the trial was asked for.
    number : int
        The trial's number.
    space : SearchSpace
        The run's search space.
    distributions : sequence of (str, BaseDistribution)
        Each hyperparameter, as the objective calls it, with its distribution at the trial.
    fixed : collection of str
        Hyperparameters that were set, not sampled.

    Raises
    ------
    RandomPhaseError
        If too few trials were finished.
    UnexpectedSamplerError
        If the sampler does not answer as in the versions checked.
    """
    with asking_sampler():
        with np.errstate(all="ignore"):  # as it was told when the sampler was used
            caught = _caught(sampler, study, number, distributions, fixed)
        blocks = [_block(found, space) for found in caught]
        ratio = DensityRatio(space, blocks)
        for found, block in zip(caught, blocks, strict=True):
            _compare(found, block, space)
    return ratio


def sampled_together(sampler: TPESampler, study: PastStudy, number: int) -> frozenset[str]:
    """Return the hyperparameters that a TPE sampler samples together for a trial.

    Raises
    ------
    RandomPhaseError
        If too few trials were finished.
    UnexpectedSamplerError
        If the sampler does not answer as in the versions checked.
    """
    with asking_sampler():
        return frozenset(_joint(_forgetful(sampler), study, Asking(number)))


def _forgetful(sampler: TPESampler) -> Any:
    """Return a copy that builds anew, from the trials of the time, what it would remember."""
    own: Any = copy.deepcopy(sampler)
    own._rng = LazyRandomState(0)
    own._random_sampler = RandomSampler(seed=0)
    own._search_space = IntersectionSearchSpace(include_pruned=True)
    if own._group:
        own._group_decomposed_search_space = _GroupDecomposedSearchSpace(True)
    own._warn_independent_sampling = False
    own._n_ei_candidates = _CANDIDATES
    return own


def _joint(own: Any, study: Any, trial: Any) -> dict[str, BaseDistribution]:
    if _finished(study) < own._n_startup_trials:
        raise RandomPhaseError
    joint: dict[str, BaseDistribution] = own.infer_relative_search_space(study, trial)
    return joint


def _caught(
    sampler: TPESampler,
    study: PastStudy,
    number: int,
    distributions: Sequence[tuple[str, BaseDistribution]],
    fixed: Collection[str],
) -> list[Caught]:
    """Return the densities that the sampler builds for a trial."""
    own = _forgetful(sampler)
    caught: list[Caught] = []
    compute = own._compute_acquisition_func

    def noticed(self: Any, samples: dict[str, Any], below: Any, above: Any) -> Any:
        values = compute(samples, below, above)
        caught.append(Caught(below, above, samples, values))
        return values

    own._compute_acquisition_func = MethodType(noticed, own)
    trial: Any = Asking(number)
    past: Any = study
    joint = _joint(own, past, trial)
    joint = {name: joint[name] for name in joint if name not in fixed}
    own.sample_relative(past, trial, joint)
    for name, distribution in distributions:
        if not (name in joint or name in fixed or distribution.single()):
            own.sample_independent(past, trial, name, distribution)
    return caught


def _finished(study: PastStudy) -> int:
    return sum(trial.state.is_finished() and trial.state.name != "FAIL" for trial in study.trials)


# ---------------------------------------------------------------------- what trials tell


def sampled_jointly(trial: FrozenTrial) -> frozenset[str] | None:
    """Return what a trial's mark, if it has one, says was sampled jointly.

    A sampler leaves it for parallel workers, if it is multivariate and uses the constant liar.
    """
    chunks: list[str] = []
    while f"{_MARK}{len(chunks)}" in trial.system_attrs:
        chunks.append(trial.system_attrs[f"{_MARK}{len(chunks)}"])
    if not chunks:
        return None
    try:
        return frozenset(json.loads("".join(chunks)))
    except json.JSONDecodeError:
        return frozenset()


def leaves_marks(sampler: TPESampler, study: PastStudy) -> bool:
    """Return whether a sampler marks the trials for which it samples something jointly."""
    own: Any = sampler
    asks: Any = getattr(own, "_is_multivariate", None)
    return bool(own._constant_liar and (own._multivariate if asks is None else asks(study)))


def with_settings(
    sampler: TPESampler, *, multivariate: bool, group: bool, constant_liar: bool
) -> TPESampler:
    """Return a copy of a sampler with other settings."""
    own: Any = copy.deepcopy(sampler)
    own._multivariate, own._group, own._constant_liar = (multivariate, group, constant_liar)
    own._parzen_estimator_parameters = own._parzen_estimator_parameters._replace(
        multivariate=multivariate
    )
    return own


# ---------------------------------------------------------------------- as plain arrays


def _block(caught: Caught, space: SearchSpace) -> DensityBlock:
    asked = caught.below._search_space
    parameters = [p for p in space if _is_asked(p, asked)]
    return DensityBlock(
        tuple(space.index(parameter.name) for parameter in parameters),
        good=_mixture(caught.below, parameters),
        bad=_mixture(caught.above, parameters),
    )


def _is_asked(parameter: Parameter, asked: Mapping[str, BaseDistribution]) -> bool:
    """Say whether a hyperparameter is among some; of parts of one, that of the range asked for."""
    name = asked_as(parameter)
    if name not in asked or name == parameter.name:
        return name in asked
    return asked[name] == distribution_of(parameter)


def _mixture(estimator: Any, parameters: Sequence[Parameter]) -> ProductMixture:
    mixture, order = (estimator._mixture_distribution, list(estimator._search_space))
    return ProductMixture(
        np.array(mixture.weights, dtype=float),
        tuple(
            _kernels(
                mixture.distributions[order.index(asked_as(parameter))],
                estimator._search_space[asked_as(parameter)],
                parameter,
            )
            for parameter in parameters
        ),
    )


def _kernels(kernels: Any, distribution: BaseDistribution, parameter: Parameter) -> Kernels:
    if isinstance(distribution, CategoricalDistribution):
        if not isinstance(parameter, CategoricalParameter):
            raise not_categorical(parameter.name)
        index = CategoryIndex(distribution.choices)
        places = [index(choice) for choice in parameter.choices]
        weights = np.array(kernels.weights, dtype=float)
        return CategoryKernels(
            np.column_stack(
                [np.zeros(len(weights)) if k is None else weights[:, k] for k in places]
            )
        )
    if not isinstance(distribution, (FloatDistribution, IntDistribution)):
        raise unknown_distribution(parameter.name)
    step = float(getattr(kernels, "step", None) or 0.0)
    if hasattr(kernels, "adapted_low"):
        low, high = kernels.adapted_low, kernels.adapted_high
    else:  # before 4.6, on the hyperparameter's own scale already
        low, high = kernels.low - step / 2.0, kernels.high + step / 2.0
    return NumericKernels(
        mu=np.array(kernels.mu, dtype=float),
        sigma=np.array(kernels.sigma, dtype=float),
        low=float(low),
        high=float(high),
        smallest=float(distribution.low),
        largest=float(distribution.high),
        log=bool(distribution.log),
        step=step,
    )


def _compare(caught: Caught, block: DensityBlock, space: SearchSpace) -> None:
    """Raise unless the arrays give what the sampler computed for its candidates."""
    parameters = [space.parameters[j] for j in block.columns]
    tables = [
        density.log_weights
        + sum(
            kernels.log_densities(_as_values(caught, parameter))
            for parameter, kernels in zip(parameters, density.kernels, strict=True)
        )
        for density in (block.good, block.bad)
    ]
    good, bad = (np.logaddexp.reduce(table, axis=1) for table in tables)
    if not np.isfinite([good, bad]).all():
        zero = "its densities are 0 at a candidate, as on a grid too fine for numbers of its size"
        raise UnexpectedSamplerError(zero)
    wanted = np.asarray(caught.values, dtype=float)
    finite = np.isfinite(wanted)
    if not np.allclose((good - bad)[finite], wanted[finite], rtol=_AGREES, atol=_AGREES):
        raise UnexpectedSamplerError(
            "its acquisition function is not the difference of the log-densities that it builds"
        )


def _as_values(caught: Caught, parameter: Parameter) -> Any:
    values = np.asarray(caught.candidates[asked_as(parameter)], dtype=float)
    if not isinstance(parameter, CategoricalParameter):
        return values
    choices = caught.below._search_space[parameter.name].choices
    index = CategoryIndex(parameter.choices)
    own = [index(choices[int(k)]) for k in values]
    return np.array([np.nan if k is None else k for k in own])


@dataclass(frozen=True, eq=False)
class TpeRecord(SamplerRecord):
    """A TPE sampler and the trials of its study, for a Run.

    Attributes
    ----------
    sampler : TPESampler or None
        The sampler, unless its settings are lost.
    how : Fact
        How it is known.
    fixed : tuple of str
        Hyperparameters that a `PartialFixedSampler` sets.
    """

    sampler: TPESampler | None
    how: Fact
    fixed: tuple[str, ...] = ()

    what = "densities"

    def __getstate__(self) -> dict[str, Any]:
        # settings such as gamma= may be functions that pickle by value only, or not at all
        state = dict(self.__dict__)
        try:
            dumped(self.sampler)
        except Exception:
            state["sampler"] = None
        else:
            state["sampler"] = ByValue(self.sampler)
        return state

    def _rebuild(self, before: int | None) -> OwnAcquisition | Fact:
        if self.sampler is None:
            lost = f"the settings of {self.name} are not known; give "
            return fact(lost, Option("sampler"))
        trial = next((t for t in self.trials if t.number == before), None)
        number = trial.number if trial else len(self.trials)
        study = PastStudy(self.directions, known_when(self.trials, before))
        sampler, fixed, notes = self._as_marked(self.sampler, study, number, trial)
        distributions = self._distributions(number)
        ratio = rebuild(sampler, study, number, self.space, distributions, fixed)
        rebuilt = fact(
            "log l and log g say how common a value is among the good trials finished by then and "
            f"among the others; they are computed again by {self.name}, ",
            self.how,
        )
        return OwnAcquisition(ratio, (rebuilt, *notes))

    def _as_marked(
        self, sampler: TPESampler, study: PastStudy, number: int, trial: FrozenTrial | None
    ) -> tuple[TPESampler, tuple[str, ...], list[Fact]]:
        """Return the sampler, with other settings where the marks on a trial tell otherwise."""
        if not trial:
            return sampler, self.fixed, []
        marked, marks = sampled_jointly(trial), leaves_marks(sampler, study)
        if marked is None and not marks:
            return sampler, self.fixed, []
        if marked is None:
            joint = sampled_together(sampler, study, number)
            if not joint - {*self.fixed}:
                return sampler, self.fixed, []
            other = with_settings(sampler, multivariate=False, group=False, constant_liar=False)
            unmarked = (
                f"trial {number} has no mark of joint sampling, so multivariate=False and "
                "constant_liar=False are assumed, as was the default before Optuna 5"
            )
            return other, self.fixed, [fact(unmarked)]
        notes = []
        if not marks:
            sampler = with_settings(sampler, multivariate=True, group=False, constant_liar=True)
            jointly = f"trial {number} is marked as sampled jointly, so "
            notes.append(fact(f"{jointly}multivariate=True and constant_liar=True are assumed"))
        joint = sampled_together(sampler, study, number)
        if marked - joint:
            grouped = with_settings(sampler, multivariate=True, group=True, constant_liar=True)
            if marked <= sampled_together(grouped, study, number):
                sampler, joint = (grouped, sampled_together(grouped, study, number))
                why = "as its mark names more than all trials share"
                notes.append(fact(f"group=True is assumed, {why}"))
        fixed = joint - marked if marked else set()
        if fixed - {*self.fixed}:
            names = join_names(sorted(fixed))
            notes.append(fact(f"{names}: taken as fixed, as the mark leaves it out"))
        return sampler, tuple(sorted({*self.fixed, *fixed})), notes

    def _distributions(self, number: int) -> list[tuple[str, BaseDistribution]]:
        """Return the distribution of every hyperparameter: the trial's own, else the latest.

        One whose range depends on another has several.
        """
        found: dict[str, BaseDistribution] = {}
        whole = {p.name for p in self.space if asked_as(p) == p.name}
        for other in [*self.trials[: number + 1][::-1], *self.trials]:
            for name, distribution in other.distributions.items():
                if name in self.space.names:
                    found.setdefault(name, distribution)
            if len(found) == len(whole):
                break
        parts = [p for p in self.space if p.name not in whole]
        return [*found.items(), *((asked_as(p), distribution_of(p)) for p in parts)]
