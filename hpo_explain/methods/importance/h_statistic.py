"""The H-statistic: how strongly hyperparameters interact (Friedman and Popescu 2008).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
V_j, V_jk  variance of one function that a hyperparameter explains alone, and a pair beyond
           both, by its functional ANOVA over the space
V          the whole variance
H_jk²      ``V_jk / (V_j + V_k + V_jk)``: the share of the pair's joint effect that is interaction
           (Eq. 44, over the whole space in place of a sample)
H_j²       ``Σ_k V_jk / V``: the share of everything that is interaction of j with any others
           (Eq. 45, without interactions of more than two)
=========  ============================================================================

Of each of the functions that the trials allow. What these leave out of the objective may be any
pair's: intervals reach up to H with it in V_jk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.base import NORMAL_95, Fact, NothingToExplain, fact, shows_progress
from hpo_explain.belief import std_of_draws
from hpo_explain.methods._engines.explainer import Explainer
from hpo_explain.methods.importance.h_statistic_result import InteractionStrength
from hpo_explain.question import Question, explains
from hpo_explain.space import Array


@explains
def h_statistic(question: Question, name: str | None = None) -> InteractionStrength:
    """Measure how strongly hyperparameters interact, by the H-statistic.

    Parameters
    ----------
    name : str, optional
        Only the pairs of this hyperparameter; by default all pairs.

    Returns
    -------
    InteractionStrength
        H of each pair, and of each hyperparameter with all others together, in functions drawn
        from the posterior. A forest, a model without a joint posterior and an acquisition function
        give one value without an interval.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or the name is unknown.

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
    >>> hx.methods.h_statistic(table, objective="loss").labels
    ('x × y',)
    """
    explainer = InteractionExplainer(question.model, subject=question.subject(), seed=question.seed)
    return explainer.explain(name)


@dataclass(frozen=True, eq=False, kw_only=True)
class InteractionExplainer(Explainer):
    """Measures how strongly hyperparameters interact, by the H-statistic.

    Parameters
    ----------
    surrogate, direction, subject, seed
        As in `Explainer`.

    Raises
    ------
    ValueError
        If `surrogate` is not a model or an acquisition function.

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

    @shows_progress
    def explain(self, name: str | None = None) -> InteractionStrength:
        """Return the strength of interactions.

        Parameters
        ----------
        name : str, optional
            Only the pairs with this hyperparameter; by default all pairs.

        Returns
        -------
        InteractionStrength
            H of each pair, and of each hyperparameter with all others together.

        Raises
        ------
        NothingToExplain
            If there are so many hyperparameters that the pairs of this one are skipped.
        ValueError
            If the hyperparameter does not exist.
        """
        space, anova = self.space, self.explained.draws(self.seed).anova
        focus = None if name is None else space.index(name)
        places = [i for i, pair in enumerate(anova.pairs) if focus is None or focus in pair]
        pairs = [anova.pairs[i] for i in places]
        if name is not None and not pairs and len(space) > 1:
            some = f"only pairs of the most important hyperparameters are considered, and {name}"
            raise NothingToExplain(fact(f"{some} is not one of them", names=[name]))
        together = anova.of_pairs[:, places]
        first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
        joint = anova.mains[:, first] + anova.mains[:, second] + together
        H = _share_of_joint(together, joint)
        # of what functions leave out nobody knows whose interaction it is
        left_out = anova.left_out[:, None]
        beside = _share_of_joint(
            (1.0 - left_out) * together + left_out, (1.0 - left_out) * joint + left_out
        )
        with_any = np.full_like(anova.mains, np.nan)
        with_any[:, np.unique(anova.pairs)] = 0.0
        for pair, share in zip(anova.pairs, anova.of_pairs.T, strict=True):
            with_any[:, pair] += share[:, None]
        return InteractionStrength(
            subject=self.about,
            players=tuple((name,) for name in space.names),
            sets=tuple(pairs),
            focus=name,
            values=H.mean(axis=0),
            draws=H,
            draws_beside=beside,
            half_width=NORMAL_95 * std_of_draws(H),
            absolute=np.sqrt(together * anova.variance[:, None]).mean(axis=0),
            total=np.sqrt(np.minimum(with_any, 1.0)).mean(axis=0),
            shares=together * anova.of_evaluations[:, None],
            notes=self._notes(len(H), with_any),
        )

    def _notes(self, count: int, with_any: Array) -> tuple[Fact, ...]:
        many = f"{count} functions drawn from the posterior, without noise"
        notes = [fact(f"H is that of {many if count > 1 else 'one function'}")]
        considered = int((~np.isnan(with_any[0])).sum())
        if 0 < considered < len(self.space):
            which = f"{considered} of {len(self.space)} hyperparameters are considered"
            notes.append(fact(f"{which}: the most important ones"))
        if any(self.space.conditions):
            notes.append(fact("a conditional hyperparameter interacts with its parents"))
        return (*notes, *self.about.notes)


def _share_of_joint(own: Array, joint: Array) -> Array:
    """Return H of pairs: the root of the interaction's share of the joint effect."""
    return np.sqrt(own / np.maximum(joint, np.finfo(float).tiny))
