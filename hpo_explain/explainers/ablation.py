"""Ablation analysis between two configurations, on a surrogate (Biedenkapp et al. 2017).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ^s, θ^t   source and target configuration
ĝ          what is explained, as a cost: the predicted objective, negated where it is
           maximized, or a negated acquisition
θ[j]       θ with hyperparameter j at its value in θ^t
gain       ``ĝ(θ) - ĝ(θ[j])`` at the time j is flipped (thesis, Eq. 3)
=========  ============================================================================

Every round flips the hyperparameter with the largest gain. What is conditional follows: flipping a
parent takes along the children that become inactive, and those that become active, which have no
other value than that of the target. A flip that would switch on a hyperparameter that has a value
in neither configuration waits for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from hpo_explain._checks import check_seed
from hpo_explain._progress import shows_progress
from hpo_explain.acquisition import Acquisition
from hpo_explain.errors import NothingToExplain
from hpo_explain.explainers._coalition_game import CoalitionGame
from hpo_explain.explainers._explained import Explained
from hpo_explain.explanations import Ablation, Subject
from hpo_explain.facts import Fact, fact
from hpo_explain.options import Direction
from hpo_explain.space import POSITION_TOLERANCE, Array, Config, encode_one
from hpo_explain.surrogates import Surrogate, std_from_variance

_MOST_SETS = 1000  # of flips that wait for each other, among which the smallest is looked for
_MOST_FLIPS = 8  # whose orders are all looked at: 256 configurations

Flips = tuple[int, ...]


class AblationExplainer:
    """Says which changes between two configurations make the difference, one after the other.

    Beside the greedy path stands the division that does not depend on the order: Shapley values of
    the same changes, with the source as the only background (baseline Shapley).

    Parameters
    ----------
    surrogate : Surrogate or Acquisition
        The model of the objective, or an acquisition to explain in its place.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective; an acquisition is larger where it is better.
    subject : Subject, optional
        What is explained, with names for plots and sentences, such as ``Subject.of(run)``; by
        default it is made from the model and `direction`.
    seed : int, default 0
        Seed of sampled coalitions, where more than 11 hyperparameters differ, and of the value of
        what is inactive in both configurations, where a coalition switches it on.

    Raises
    ------
    ValueError
        If `surrogate` is neither, or `direction` is unknown.

    References
    ----------
    .. [1] Fawcett, C. and Hoos, H. H. (2016). Analysing differences between algorithm
       configurations through ablation. J. Heuristics 22, 431-458.
       https://doi.org/10.1007/s10732-014-9275-9
    .. [2] Biedenkapp, A. et al. (2017). Efficient parameter importance analysis via ablation with
       surrogates. AAAI.
    .. [3] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 3, Eq. 3; Section 8, baseline Shapley.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> ablation = hx.AblationExplainer(surrogate).explain({"x": 0.9, "y": 0.9}, {"x": 0, "y": 0})
    >>> ablation.steps
    (('x',), ('y',))
    """

    def __init__(
        self,
        surrogate: Surrogate | Acquisition,
        *,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._explained = Explained.of(surrogate, subject.direction if subject else direction)
        self._subject = self._explained.completed(subject)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(
        self,
        source: Config,
        target: Config,
        *,
        source_trial: int | None = None,
        target_trial: int | None = None,
    ) -> Ablation:
        """Return the greedy path from one configuration to another.

        Parameters
        ----------
        source, target : dict
            The configurations, in the user's units; what is inactive is left out.
        source_trial, target_trial : int, optional
            The trials whose configurations they are, if they are.

        Returns
        -------
        Ablation
            Gains along the path, and the Shapley values of the same steps.

        Raises
        ------
        NothingToExplain
            If the two configurations are the same.
        ValueError
            If a configuration is not one of the space.
        """
        explained = self._explained
        space = explained.space
        x, y = encode_one(space, source, "source"), encode_one(space, target, "target")
        flips = self._flips(x, y)
        if not flips:
            config = space.decode(x[None, :])[0]
            raise NothingToExplain(fact("same_configuration", config=tuple(config.items())))
        rows, taken, rounds = self._path(x, y, flips)
        path = np.array(rows)
        values = explained(path)
        cost = explained.sign * values
        std, total_std, kind = self._spread(path)
        shapley, how = self._shapley(x, y, flips, taken)
        return Ablation(
            subject=self._subject,
            source=space.decode(x[None, :])[0],
            target=space.decode(y[None, :])[0],
            steps=tuple(tuple(space.names[j] for j in step) for step in taken),
            along=tuple(
                tuple(space.names[j] for j in _changed(a, b) if j not in step)
                for a, b, step in zip(rows[:-1], rows[1:], taken, strict=True)
            ),
            values=values,
            gains=cost[:-1] - cost[1:],
            rounds=rounds,
            shapley=shapley,
            std=std,
            total_std=total_std,
            order_std=self._order_spread(x, y, flips, taken),
            std_kind=kind,
            covariance=self._explained.covariance(path),
            source_trial=source_trial,
            target_trial=target_trial,
            notes=self._notes(taken, kind, how),
        )

    def _flips(self, x: Array, y: Array) -> list[int]:
        """Return the columns that change for no other reason than that they do.

        What is active in only one of the two because of its parents follows these.
        """
        space = self._explained.space
        both = np.stack([x, y])
        return [j for j in _changed(x, y) if space.allowed(both, j).all()]

    @cached_property
    def _dependent(self) -> list[int]:
        """The columns that may be inactive, parents before children."""
        space = self._explained.space
        return [j for j in space.parents_first if space.is_conditional(space.names[j])]

    def _flipped(self, x: Array, y: Array, flips: Sequence[int], done: Sequence[int]) -> Array:
        """Return the source with some hyperparameters flipped, and what follows them.

        NaN where a hyperparameter is active that has a value in neither configuration.
        """
        space = self._explained.space
        row = x.copy()
        row[list(done)] = y[list(done)]
        for j in self._dependent:
            if not space.allowed(row[None, :], j)[0]:
                row[j] = np.nan
            elif j not in flips and np.isnan(row[j]):
                row[j] = y[j]
        return row

    def _path(
        self, x: Array, y: Array, flips: list[int]
    ) -> tuple[list[Array], list[Flips], tuple[dict[str, float], ...]]:
        """Return the rows of the path, what each step flips, and all gains of each round."""
        explained, space = self._explained, self._explained.space
        rows, taken, left = [x], list[Flips](), list(flips)
        done: list[int] = []
        rounds = []
        while left:
            candidates, z = self._candidates(x, y, flips, done, left)
            cost = explained.sign * explained(np.vstack([rows[-1], z]))
            gains = cost[0] - cost[1:]
            rounds.append(
                {
                    " + ".join(space.names[j] for j in c): float(gain)
                    for c, gain in zip(candidates, gains, strict=True)
                }
            )
            best = int(np.argmax(gains))
            taken.append(candidates[best])
            rows.append(z[best])
            done += candidates[best]
            left = [j for j in left if j not in done]
        return rows, taken, tuple(rounds)

    def _candidates(
        self, x: Array, y: Array, flips: list[int], done: list[int], left: list[int]
    ) -> tuple[list[Flips], Array]:
        """Return what can be flipped next, and the rows: single ones, else the smallest sets."""
        space = self._explained.space
        if not self._dependent:  # each flip is a change of one column
            z = np.repeat(self._flipped(x, y, flips, done)[None, :], len(left), axis=0)
            z[np.arange(len(left)), left] = y[left]
            return [(j,) for j in left], z
        for size in range(1, len(left)):
            if size > 1 and comb(len(left), size) > _MOST_SETS:
                break
            sets = list(combinations(left, size))
            z = np.array([self._flipped(x, y, flips, [*done, *c]) for c in sets])
            valid = space.is_valid(z)
            if valid.any():
                return [c for c, is_one in zip(sets, valid, strict=True) if is_one], z[valid]
        return [tuple(left)], self._flipped(x, y, flips, [*done, *left])[None, :]

    def _spread(self, path: Array) -> tuple[Array | None, float | None, str]:
        """Return the std of each gain and of the whole, and what they are over."""
        by_tree = self._explained.by_tree(path)
        if by_tree is not None:
            gains = by_tree[:-1] - by_tree[1:]
            # counted from the first tree, equal trees have no spread, not even from rounding
            whole = by_tree[0] - by_tree[-1]
            std = (gains - gains[:, :1]).std(axis=1)
            return std, float((whole - whole[0]).std()), "trees"
        K = self._explained.covariance(path)
        if K is None:
            return None, None, ""
        variance = np.diag(K)
        pairs = variance[:-1] + variance[1:] - 2.0 * np.diag(K, 1)
        whole_variance = variance[0] + variance[-1] - 2.0 * K[0, -1]
        return std_from_variance(pairs), float(std_from_variance(whole_variance)), "posterior"

    def _order_spread(
        self, x: Array, y: Array, flips: list[int], taken: list[Flips]
    ) -> Array | None:
        """Return the std of each gain minus its Shapley value: linear in all 2^n configurations."""
        n = len(flips)
        if n > _MOST_FLIPS:
            return None
        sets: list[Flips] = [s for size in range(n + 1) for s in combinations(range(n), size)]
        rows = np.array([self._flipped(x, y, flips, [flips[i] for i in s]) for s in sets])
        if not self._explained.space.is_valid(rows).all():
            return None
        place = {s: i for i, s in enumerate(sets)}
        weights = np.zeros((len(taken), len(sets)))
        done: tuple[int, ...] = ()
        for k, step in enumerate(taken):
            members = [flips.index(j) for j in step]
            weights[k, place[done]] += 1.0
            done = tuple(sorted((*done, *members)))
            weights[k, place[done]] -= 1.0
            for i, s in ((i, s) for i in members for s in sets if i not in s):
                share = 1.0 / (n * comb(n - 1, len(s)))
                weights[k, place[s]] -= share
                weights[k, place[tuple(sorted((*s, i)))]] += share
        by_tree = self._explained.by_tree(rows)
        if by_tree is not None:
            return np.asarray((weights @ (by_tree - by_tree[:, :1])).std(axis=1))
        K = self._explained.covariance(rows)
        if K is None:
            return None
        return std_from_variance(np.einsum("ki,ij,kj->k", weights, K, weights))

    def _shapley(
        self, x: Array, y: Array, flips: list[int], taken: list[Flips]
    ) -> tuple[Array, Fact]:
        """Return the Shapley values of the flips, summed over those of a step, and from what."""
        explained, space = self._explained, self._explained.space
        # with the target's values of what only the target has, those follow their parents here too
        base = np.where(np.isnan(x), y, x)
        drawn = space.sample(1, seed=self._seed, latent=True)[0]
        for j, parameter in enumerate(space.parameters):
            if np.isnan(base[j]) and parameter.optional is None:
                base[j] = drawn[j]
            elif j in flips:
                base[j] = x[j]
        game = CoalitionGame(explained.game, y, np.array(flips), "auto", self._seed)
        by_cube, how = game.shapley([base[None, :]])
        gain = -explained.sign * by_cube[0].sum(axis=1)
        return np.array([gain[[flips.index(j) for j in step]].sum() for step in taken]), how

    def _notes(self, taken: list[Flips], kind: str, how: Fact) -> tuple[Fact, ...]:
        names = self._explained.space.names
        at_once = [step for step in taken if len(step) > 1]
        return (
            *([fact("gain_std", over=kind)] if kind else []),
            *(fact("flipped_at_once", names=[names[j] for j in step]) for step in at_once),
            *([fact("shapley_sampled")] if dict(how.values).get("sampled") else []),
            *self._subject.notes,
        )


def _changed(a: Array, b: Array) -> list[int]:
    """Return the columns in which two rows differ, activity included."""
    apart = np.abs(a - b) > POSITION_TOLERANCE
    return np.flatnonzero(apart | (np.isnan(a) != np.isnan(b))).tolist()
