"""The H-statistic: how strongly hyperparameters interact (Friedman and Popescu 2008).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x_i        row i of a sample of the space, i = 1, ..., n; latent
F          what is explained: the surrogate's mean, or an acquisition
F_S(x_S)   partial dependence on the hyperparameters S: the mean of F over the sample with x_S
           inserted; centred to mean 0 over the sample
F_∖j       partial dependence on all hyperparameters but j
H_jk²      ``Σ_i (F_jk - F_j - F_k)² / Σ_i F_jk²``: the share of the pair's joint effect that is
           interaction (Eq. 44)
H_j²       ``Σ_i (F - F_j - F_∖j)² / Σ_i F²``: the share of everything that is interaction of j
           with any others (Eq. 45)
=========  ============================================================================

Each set S is predicted once, at all n² combinations of a sample row with another one's values; F_j
and F_∖j are the means of the same n² numbers along the two sides. Leaving out a tenth of the sample
at a time gives the standard error of H (delete-a-group jackknife).

Of functions that the trials allow, over the whole space: ``H_jk² = V_jk / (V_j + V_k + V_jk)`` and
``H_j² = Σ_k V_jk / V`` by the functional ANOVA of each, without interactions of more than two. What
functions leave out of the objective may be any pair's: intervals reach up to H with it in V_jk.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import NORMAL_95, ROUNDING_OF_SUMS, Fact, counted, fact, shows_progress, steps
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.background import latent_sample
from hpo_explain.methods._engines.explainer import Explainer
from hpo_explain.methods._engines.game import relevant
from hpo_explain.methods._engines.orders import COMPOSED_ROWS
from hpo_explain.methods.importance.h_statistic_result import InteractionStrength
from hpo_explain.question import Question, explains
from hpo_explain.space import Array, Bools, Ints, ranked

_GROUPS = 10
_ALL = 30  # hyperparameters that matter: of more, the pairs of some are looked at
_OF_ALL, _OF_ONE = 10, 20  # of which all pairs are, and of which those of one


@explains
def h_statistic(
    question: Question, name: str | None = None, *, sample: int | npt.ArrayLike = 100
) -> InteractionStrength:
    """Say which hyperparameters interact, by the H-statistic.

    Parameters
    ----------
    name : str, optional
        Only the pairs of this hyperparameter; by default all pairs.
    sample : int or ndarray of shape (n, d), default 100
        The points it is estimated from, as in :class:`InteractionExplainer`.

    Returns
    -------
    InteractionStrength
        H of pairs, and of every hyperparameter with any others, in functions that the trials
        allow. Of a forest, a model without a joint posterior and an acquisition it is estimated
        from the sample, and nothing of it is certain.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the name is unknown, or the sample is too small.

    References
    ----------
    .. [1] Friedman, J. H. and Popescu, B. E. (2008). Predictive learning via rule ensembles. Annals
       of Applied Statistics 2(3), 916-954. https://doi.org/10.1214/07-AOAS148

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> hx.methods.h_statistic(table, objective="loss", kind="forest", sample=20).sample_size
    20
    """
    explainer = InteractionExplainer(
        question.model, sample=sample, subject=question.subject(), seed=question.seed
    )
    return explainer.explain(name)


@dataclass(frozen=True, eq=False, kw_only=True)
class InteractionExplainer(Explainer):
    """Says which hyperparameters interact, and how strongly.

    Parameters
    ----------
    surrogate, direction, subject, seed
        As of :class:`Explainer`.
    sample : int or ndarray of shape (n, d), default 100
        The points x_i: a number of them, at least 10 (one Latin hypercube of the space's measure),
        or encoded rows.

    Raises
    ------
    ValueError
        If `surrogate` is neither, or the sample is too small or outside the space.

    References
    ----------
    .. [1] Friedman, J. H. and Popescu, B. E. (2008). Predictive learning via rule ensembles. Annals
       of Applied Statistics 2(3), 916-954, Eq. 44 and 45. https://doi.org/10.1214/07-AOAS148

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x", "y", "z")])
    >>> X = space.sample(60, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] * X[:, 1] + X[:, 2])
    >>> found = hx.methods.InteractionExplainer(surrogate).explain()
    >>> found.strength("x", "y") > 5 * found.strength("x", "z")
    True
    """

    sample: int | npt.ArrayLike = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        # what is wrong with the sample is said before it is needed
        _ = self._rows

    @cached_property
    def _rows(self) -> Array:
        """The latent rows x_i."""
        return latent_sample(self.space, self.sample, least=_GROUPS, seed=self.seed)

    @cached_property
    def _configs(self) -> Array:
        return self.space.project(self._rows)

    @cached_property
    def _with_rows(self) -> Array:
        """Weights of the rows: in the first row all, in row 1 + g all but those of group g."""
        group = np.arange(len(self._rows)) % _GROUPS
        without = group != np.arange(_GROUPS)[:, None]
        return np.vstack([np.ones(len(group)), without])

    @shows_progress
    def explain(self, name: str | None = None) -> InteractionStrength:
        """Return the strength of interactions.

        Parameters
        ----------
        name : str, optional
            Only the pairs of this hyperparameter with all others; by default all pairs.

        Returns
        -------
        InteractionStrength
            H of pairs and, of every hyperparameter, with any others.

        Raises
        ------
        ValueError
            If there is no hyperparameter of that name.
        """
        space = self.space
        focus = [*range(len(space))] if name is None else [space.index(name)]
        draws = self.explained.draws(self.seed)
        if draws.joint:
            return self._of_functions(draws, focus, name)
        matters = relevant(self.explained.game)
        F = self.explained(self._configs)
        looked_at = self._screened(matters, focus, F)
        whole = self._centred(np.tile(F, (1 + _GROUPS, 1)))
        scale = float(np.abs(F).max())
        alone: dict[int, Array] = {}
        total = np.where(looked_at, 0.0, np.nan)
        total_std = total.copy()
        for j in steps(np.flatnonzero(matters & looked_at).tolist(), "hyperparameters"):
            values = self._combined([j])
            alone[j] = self._centred(self._averaged(values))
            without = self._centred(self._averaged(values.T))
            _, total[j], total_std[j] = self._strength(whole - alone[j] - without, whole, scale)
        pairs = self._pairs(np.flatnonzero(looked_at), focus)
        of_pairs = np.zeros((len(pairs), 3))
        for i, (j, k) in enumerate(steps(pairs, "pairs")):
            if matters[j] and matters[k]:
                together = self._centred(self._averaged(self._combined([j, k])))
                of_pairs[i] = self._strength(together - alone[j] - alone[k], together, scale)
        absolute, H, std = of_pairs.T
        spread = max(float(F.std()), np.finfo(float).tiny)
        return InteractionStrength(
            **self._about_pairs(pairs, name),
            values=H,
            draws=H[None],
            draws_beside=H[None],
            shares=(absolute / spread)[None] ** 2,
            half_width=NORMAL_95 * std,
            absolute=absolute,
            total=total,
            total_std=total_std,
            sample_size=len(self._rows),
            notes=self._notes(*self._estimated(looked_at)),
        )

    def _pairs(self, columns: Ints, focus: list[int]) -> list[tuple[int, ...]]:
        """Return the pairs of some hyperparameters in which one of the focus is."""
        return [pair for pair in combinations(columns.tolist(), 2) if {*focus}.intersection(pair)]

    def _about_pairs(self, pairs: list[tuple[int, ...]], name: str | None) -> dict[str, Any]:
        return {
            "subject": self.about,
            "players": tuple((name,) for name in self.space.names),
            "sets": tuple(pairs),
            "focus": name,
            "seed": self.seed,
        }

    def _of_functions(
        self, draws: Draws, focus: list[int], name: str | None
    ) -> InteractionStrength:
        """Return the strength of interactions in each function."""
        anova = draws.anova
        with_any = np.zeros_like(anova.mains)
        for pair, share in zip(anova.pairs, anova.of_pairs.T, strict=True):
            with_any[:, pair] += share[:, None]
        pairs = self._pairs(np.arange(len(self.space)), focus)
        own = anova.of_pairs[:, [anova.pairs.index(pair) for pair in pairs]]
        first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
        joint = anova.mains[:, first] + anova.mains[:, second] + own
        H = _share_of_joint(own, joint)
        # of what functions leave out nobody knows whose interaction it is
        left_out = anova.left_out[:, None]
        beside = _share_of_joint(
            (1.0 - left_out) * own + left_out, (1.0 - left_out) * joint + left_out
        )
        size = np.sqrt(own * anova.variance[:, None])
        total = np.sqrt(np.minimum(with_any, 1.0))
        return InteractionStrength(
            **self._about_pairs(pairs, name),
            values=H.mean(axis=0),
            draws=H,
            draws_beside=beside,
            half_width=NORMAL_95 * H.std(axis=0),
            absolute=size.mean(axis=0),
            total=total.mean(axis=0),
            total_std=total.std(axis=0),
            shares=own * anova.of_evaluations[:, None],
            notes=self._notes(
                fact(
                    f"H is that of {len(H)} functions that the trials allow; noise is no part of it"
                )
            ),
        )

    def _screened(self, matters: Bools, focus: list[int], F: Array) -> Bools:
        """Return which hyperparameters are looked at: all, or of many those that matter most.

        By their total effects: half the mean square of what the function changes by where one of
        them alone is drawn anew [1]_.

        References
        ----------
        .. [1] Jansen, M. J. W. (1999). Analysis of variance designs for model output. Computer
           Physics Communications 117, 35-43.
        """
        if matters.sum() <= _ALL:
            return np.ones(len(matters), dtype=bool)
        effects = np.full(len(matters), -1.0)
        for j in steps(np.flatnonzero(matters).tolist(), "hyperparameters"):
            rows = self._rows.copy()
            rows[:, j] = np.roll(rows[:, j], 1)
            effects[j] = np.mean((self.explained(self.space.project(rows)) - F) ** 2) / 2.0
        most = _OF_ALL
        if len(focus) == 1:
            effects[focus], most = np.inf, _OF_ONE
        return np.isin(np.arange(len(effects)), ranked(-effects)[:most])

    def _combined(self, members: list[int]) -> Array:
        """Return F at every row with the members' values of every other one, (rows, values)."""
        explained, space, n = self.explained, self.space, len(self._rows)
        values = self._rows[:, members]
        combined = np.empty((n, n))
        step = max(1, COMPOSED_ROWS // n)
        for start in steps(range(0, n, step), "batches"):
            part = slice(start, min(start + step, n))
            rows = np.repeat(self._rows[part], n, axis=0)
            rows[:, members] = np.tile(values, (len(self._rows[part]), 1))
            combined[part] = explained(space.project(rows)).reshape(-1, n)
        return combined

    def _averaged(self, combined: Array) -> Array:
        """Return the mean over rows, all of them and without each group: (1 + groups, values)."""
        weights = self._with_rows / self._with_rows.sum(axis=1, keepdims=True)
        # counted from the first row, equal rows have no spread, not even from rounding
        return combined[0] + weights @ (combined - combined[0])

    def _centred(self, F: Array) -> Array:
        """Return partial dependences with mean 0 over the rows that are kept, 0 elsewhere."""
        mean = np.sum(F * self._with_rows, axis=1) / self._with_rows.sum(axis=1)
        return (F - mean[:, None]) * self._with_rows

    def _strength(
        self, interaction: Array, effect: Array, scale: float
    ) -> tuple[float, float, float]:
        """Return the root mean square of an interaction, its H, and the standard error of H."""
        if scale == 0.0:
            return 0.0, 0.0, 0.0
        size = self._with_rows.sum(axis=1)
        part = np.sqrt(np.sum((interaction / scale) ** 2, axis=1) / size)
        joint = np.sqrt(np.sum((effect / scale) ** 2, axis=1) / size)
        part = np.where(part <= ROUNDING_OF_SUMS, 0.0, part)
        H = np.divide(part, joint, out=np.zeros_like(part), where=(part > 0.0) & (joint > 0.0))
        left_out = H[1:]
        variance = (_GROUPS - 1) / _GROUPS * np.sum((left_out - left_out.mean()) ** 2)
        return scale * float(part[0]), float(H[0]), float(np.sqrt(variance))

    def _estimated(self, looked_at: Bools) -> list[Fact]:
        """Return how it was estimated, and of how many hyperparameters where there are many."""
        points = f"estimated from {counted(len(self._rows), 'point')} (seed {self.seed})"
        notes = [fact(f"{points}; ± is the error of this estimate, not the model's uncertainty")]
        if not looked_at.all():
            notes.append(
                fact(
                    f"{looked_at.sum()} of {len(looked_at)} hyperparameters are looked at: those "
                    "with the largest total effects (how much the prediction changes where one "
                    "alone is drawn anew)"
                )
            )
        return notes

    def _notes(self, *how: Fact) -> tuple[Fact, ...]:
        condition: tuple[Fact, ...] = ()
        if any(self.space.conditions):
            decides = "what decides whether it is active"
            condition = (fact(f"a conditional hyperparameter interacts with {decides}"),)
        return (*how, *condition, *self.about.notes)


def _share_of_joint(own: Array, joint: Array) -> Array:
    """Return H of pairs: the root of the interaction's share of the joint effect."""
    return np.sqrt(own / np.maximum(joint, np.finfo(float).tiny))
