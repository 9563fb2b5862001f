"""Whether it can be told what a hyperparameter's value does to the objective.

TPE's own densities cannot tell: of few good trials some are near any value it proposes, because it
proposes values near good trials, and a run that converges is better late, whatever the values of
hyperparameters that do not matter. So `near_good` is a permutation test, with labels permuted
within blocks of trials made one after the other. A bootstrap of good and other trials called twice
as many values common that are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.space import Array, CategoricalParameter, SearchSpace

BY_CHANCE = 0.01  # a value is common among good trials if chance does it more rarely
CLEAR = 1.1  # times as common: less is not told
_SIGN = declared_fact(
    "sign_not_known",
    "the trials do not tell whether {names}'s value makes the objective better or worse",
)
_TOGETHER = declared_fact(
    "not_by_itself", "by itself the value of {names} is {times:.2g} times as common there as by "
    "chance: its contribution holds only together with the other values",
)  # fmt: skip
_CHANCE = declared_fact(
    "may_be_chance", "as many good trials may have such a value of {names} by chance"
)


@dataclass(frozen=True, eq=False)
class ObjectiveContributions:
    """What each hyperparameter does to the predicted objective, and how sure the model is.

    Attributes
    ----------
    phi : ndarray of shape (d,)
        Contributions, in the objective's units; where it is minimized, negative ones are good.
    standard_error : ndarray of shape (d,)
        Standard error of integrating over the background.
    model_std : ndarray of shape (d,)
        Their standard deviation under the model: the posterior's for a Gaussian process, that
        over the trees for a forest.
    covariance : ndarray of shape (d, d) or None
        Their posterior covariance; None of a forest.
    """

    phi: Array
    standard_error: Array
    model_std: Array
    covariance: Array | None = None


@dataclass(frozen=True, eq=False)
class Commonness:
    """How common the values of a configuration are among good and among other trials.

    Attributes
    ----------
    good, bad : ndarray of shape (d,)
        Their densities as multiples of chance, whatever the other values are; NaN where inactive.
    near : ndarray of shape (d, 2)
        Both, as means over values within a tenth of the hyperparameter's scale.
    by_chance : ndarray of shape (d, 2)
        How probable it is by chance that trials near the value are as often good, or as rarely.
    """

    good: Array
    bad: Array
    near: Array
    by_chance: Array

    def doubts(self, j: int, name: str, term: str, *, raises: bool) -> tuple[Fact, ...]:
        """Return why it cannot be told that a value is as common as a term suggests.

        Parameters
        ----------
        j : int
            The hyperparameter.
        name : str
            Its name.
        term : {"good", "bad"}
            The term that leads its contribution.
        raises : bool
            Whether the value raises the term: it is common among good trials, or rare among the
            others.
        """
        common = raises if term == "good" else not raises
        times = float((self.good if term == "good" else self.bad)[j])
        around = float(self.near[j, 0 if term == "good" else 1])
        # contributions compare with an average configuration, words with chance, as the densities
        clear = min(times, around) >= CLEAR if common else max(times, around) <= 1.0 / CLEAR
        if not clear:
            return (_TOGETHER(names=[name], times=times),)
        if term == "good":
            return doubts_of_chance(name, float(self.by_chance[j, 0 if raises else 1]))
        return ()


def doubts_of_chance(name: str, by_chance: float) -> tuple[Fact, ...]:
    """Return a fact where chance alone may have made trials with a value good, or bad."""
    return (_CHANCE(names=[name]),) if by_chance > BY_CHANCE else ()


def doubts_of_value(
    subject: Subject,
    scope: Scope,
    config: Mapping[str, Any],
    name: str,
    effect: float,
    half: float,
) -> tuple[Fact, ...]:
    """Return why it cannot be told that a value does something to the objective.

    Parameters
    ----------
    subject : Subject
        The model and the trials that it knew.
    scope : {"everywhere", "good_region", "proposals"}
        Which verdict of trust the statement needs.
    config : mapping
        The configuration.
    name : str
        The hyperparameter.
    effect : float
        How much it does what is said of it; negative where it does the opposite.
    half : float
        Half the 95 % interval of that, under the model.

    Returns
    -------
    tuple of Fact
        Empty where it can be told.
    """
    sign = () if effect > half else (_SIGN(names=[name]),)
    tried = {name: [config[name]]} if name in config else {}
    return (*sign, *subject.doubts(scope), *subject.untried(tried))


GOOD = 0.25  # of the trials
_NEAR = 0.1  # of a hyperparameter's scale: the std of the weights
_BLOCK = 8  # trials
_PERMUTATIONS = 999


def near_good(space: SearchSpace, tried: Array, costs: Array, x: Array, *, seed: int = 0) -> Array:
    """Return how probable it is by chance that trials near each value are as often good.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    tried : ndarray of shape (n, d)
        Encoded configurations of the trials known, in their order.
    costs : ndarray of shape (n,)
        Their costs; NaN counts as the worst.
    x : ndarray of shape (d,)
        Encoded values; NaN where inactive.
    seed : int, default 0
        Seed of the permutations.

    Returns
    -------
    ndarray of shape (d, 2)
        One-sided p-values: that they are good as often or more often, and as often or more rarely;
        1 where the value is inactive.

    References
    ----------
    .. [1] Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer.
       Restricted permutations.
    """
    found = np.ones((len(space), 2))
    costs = np.where(np.isnan(costs), np.inf, costs)
    active = ~np.isnan(tried)
    # those that are active in the same trials share the permutations
    groups: dict[bytes, list[int]] = {}
    there = ~np.isnan(x) & (active.sum(axis=0) >= 2)
    places = {j: place for place, j in enumerate(space.order.tolist())}
    for j in (j for j in places if there[j]):
        groups.setdefault(active[:, j].tobytes(), []).append(j)
    for columns in groups.values():
        rows = active[:, columns[0]]
        weights = _nearness(space, tried[rows][:, columns], x, columns)
        good = _good(costs[rows])
        observed = good @ weights
        drawn = _permuted(good, np.random.default_rng([seed, places[columns[0]]])) @ weights
        slack = 1e-9
        more = (drawn >= observed - slack).sum(axis=0)
        less = (drawn <= observed + slack).sum(axis=0)
        found[columns] = (1.0 + np.column_stack([more, less])) / (_PERMUTATIONS + 1.0)
    return found


def _nearness(space: SearchSpace, values: Array, x: Array, columns: list[int]) -> Array:
    """Return how near trials are to each value, (n, number of columns), at most 1."""
    near = np.exp(-0.5 * ((values - x[columns]) / _NEAR) ** 2)
    categorical = [isinstance(space.parameters[j], CategoricalParameter) for j in columns]
    return np.where(categorical, values == x[columns], near)


def _good(costs: Array) -> Array:
    """Return which trials are among the best quarter, less the mean of their block."""
    rank = np.argsort(np.argsort(costs, kind="stable"), kind="stable")
    good = (rank < max(1, round(GOOD * len(costs)))).astype(float)
    for block in _blocks(len(costs)):
        good[block] -= good[block].mean()
    return good


def _permuted(values: Array, rng: np.random.Generator) -> Array:
    """Return permutations within blocks, (permutations, n)."""
    parts = [
        rng.permuted(np.tile(values[block], (_PERMUTATIONS, 1)), axis=1)
        for block in _blocks(len(values))
    ]
    return np.concatenate(parts, axis=1)


def _blocks(n: int) -> list[npt.NDArray[np.int64]]:
    return np.array_split(np.arange(n), max(1, round(n / _BLOCK)))
