"""Ablation: which changes between two configurations make the difference (Biedenkapp et al. 2017).

Every round makes the change that gains most: ``ĝ(θ) - ĝ(θ[j])``, where ĝ is what is explained as a
cost, and θ[j] is θ with hyperparameter j as in the target. What is conditional follows: a change of
a parent takes along the children that become inactive, and those that become active, which have no
other value than that of the target. A change that would switch on a hyperparameter that has a value
in neither configuration waits for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from hpo_explain.base import (
    Fact,
    Measured,
    NothingToExplain,
    fact,
    format_value,
    join_names,
    shows_progress,
)
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.methods._engines.explainer import Explainer
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods.around.ablation_result import Ablation
from hpo_explain.methods.around.mixtures import Mixtures, differing
from hpo_explain.question import Explained, Question, explains
from hpo_explain.space import Array, Config

_MOST_SETS = 1000  # of changes that wait for each other, among which the smallest is looked for
_A_ROUND = 25  # of so many changes that are left, a round makes one
_MOST_CHANGES = 8  # whose orders are all looked at: 256 configurations


@explains
def ablation(
    question: Question,
    source: Config | int | None = None,
    target: Config | int | Measured | None = None,
) -> Ablation:
    """Say which changes lead from one configuration to a better one, and what each is worth.

    Parameters
    ----------
    source : dict or int, optional
        Where the path starts, such as a default: a configuration, or the number of a trial. By
        default the first trial; where that is the target, the trial in the middle of the ranking.
    target : dict, int, "duration", "failed" or "infeasible", optional
        Where it leads; by default to the trial to keep. The words are what every other function
        calls `target`: the path is one of how long trials take, or of how probably they fail.

    Returns
    -------
    Ablation
        Gains along the path, positive where it improves, and Shapley values of the same steps.

    Raises
    ------
    NothingToExplain
        If source and target are the same configuration.
    ValueError
        If fewer than two trials are finished, or a configuration is not one of the space.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2017). Efficient parameter importance analysis via ablation with
       surrogates. AAAI.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.methods.ablation(table, source=1, objective="loss")
    >>> result.source, result.target
    ({'x': 0.9}, {'x': 0.1})
    """
    model = question.model
    end = question.config("target", target)
    start, notes = source, list[Fact]()
    if start is None:
        start = question.default_source(end)
        notes.append(fact(f"source: trial {start}, as none was given", trials=[start]))
    first = question.config("source", start)
    return AblationExplainer(
        model, subject=question.subject(notes=notes), seed=question.seed
    ).explain(first, end, source_trial=question.trial(start), target_trial=question.trial(target))


@dataclass(frozen=True, eq=False)
class AblationExplainer(Explainer):
    """Says which changes between two configurations make the difference, one after the other.

    Beside the greedy path stands the division that does not depend on the order: Shapley values of
    the same changes, with the source as the only background (baseline Shapley).

    Parameters
    ----------
    surrogate, direction, subject
        As of `Explainer`.
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
    .. [2] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 3, Eq. 3; Section 8, baseline Shapley.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> explainer = hx.methods.AblationExplainer(surrogate)
    >>> ablation = explainer.explain({"x": 0.9, "y": 0.9}, {"x": 0, "y": 0})
    >>> ablation.steps
    (('x',), ('y',))
    """

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

        Raises
        ------
        NothingToExplain
            If the two configurations are the same.
        ValueError
            If a configuration is not one of the space.
        """
        explained, space = self.explained, self.space
        x = space.row(source, "source")
        y = space.row(target, "target")
        changes = Mixtures(space, x, y)
        (start, end), names_of = space.decode(np.stack([x, y])), space.names
        if not changes.columns:
            raise NothingToExplain(
                fact(
                    "source and target are the same configuration, so there is no difference to "
                    f"explain ({format_value(start, width=200)}). Choose another source."
                )
            )
        path, steps, alone, n_rounds = _path(explained, changes)
        values = explained(path)
        cost = explained.sign * values
        draws = explained.draws(self.seed)
        shapley, sampled = _shapley(explained, changes, steps, self.seed)
        notes = []
        for step in steps:
            if len(step) > 1:
                names = join_names([names_of[j] for j in step])
                notes.append(
                    fact(
                        f"{names} change at once: each alone would activate a hyperparameter that "
                        "has a value in neither configuration",
                        names=[names_of[j] for j in step],
                    )
                )
        if n_rounds < len(steps):
            notes.append(
                fact(
                    f"{len(steps)} changes: a round makes the best of every {_A_ROUND} that are "
                    "left, and then predicts their gains anew"
                )
            )
        if sampled:
            notes.append(fact("Shapley values are estimated from sampled coalitions"))
        along = [differing(path[i], path[i + 1]) for i in range(len(path) - 1)]
        return Ablation(
            subject=self.about,
            source=start,
            target=end,
            steps=tuple(tuple(names_of[j] for j in step) for step in steps),
            along=tuple(
                tuple(names_of[j] for j in changed if j not in step)
                for step, changed in zip(steps, along, strict=True)
            ),
            values=values,
            gains=cost[:-1] - cost[1:],
            alone=alone,
            shapley=shapley,
            draws=draws.draws(path).T,
            shapley_drawn=_shapley_drawn(draws, changes, steps, shapley),
            noise_std=float(getattr(explained.surrogate, "noise_std", 0.0)),
            source_trial=source_trial,
            target_trial=target_trial,
            notes=(*notes, *self.about.notes),
        )


def _next_after(changes: Mixtures, done: Sequence[int]) -> tuple[list[tuple[int, ...]], Array]:
    """Return what can be changed next, and the rows: single ones, else the smallest sets."""
    left = [j for j in changes.columns if j not in done]
    for size in range(1, len(left)):
        if size > 1 and comb(len(left), size) > _MOST_SETS:
            break
        sets = list(combinations(left, size))
        rows = changes.rows(np.array([np.isin(changes.columns, [*done, *one]) for one in sets]))
        valid = changes.space.is_valid(rows)
        if valid.any():
            return [one for one, there in zip(sets, valid, strict=True) if there], rows[valid]
    return [tuple(left)], changes.row([*done, *left])[None, :]


def _path(
    explained: Explained, changes: Mixtures
) -> tuple[Array, list[tuple[int, ...]], Array, int]:
    """Return the path's rows, each step's columns and gain alone, and how many rounds there were.

    A round makes one change; where many are left, several, while all can be made one by one.
    """
    rows, steps, n_rounds = [changes.x], list[tuple[int, ...]](), 0
    alone = dict[tuple[int, ...], float]()
    done: list[int] = []
    while len(done) < len(changes.columns):
        candidates, after = _next_after(changes, done)
        cost = explained.sign * explained(np.vstack([rows[-1], after]))
        gains = cost[0] - cost[1:]
        alone = alone or dict(zip(candidates, gains.tolist(), strict=True))
        n_rounds += 1
        many = len(candidates) // _A_ROUND if len(candidates[0]) == 1 else 1
        for i in np.argsort(-gains, kind="stable")[: max(1, many)].tolist():
            row = changes.row([*done, *candidates[i]])
            if not changes.space.is_valid(row[None]).all():
                break
            steps.append(candidates[i])
            rows.append(row)
            done += candidates[i]
    return np.array(rows), steps, np.array([alone.get(step, np.nan) for step in steps]), n_rounds


def _shapley(
    explained: Explained, changes: Mixtures, steps: list[tuple[int, ...]], seed: int
) -> tuple[Array, bool]:
    """Return the baseline Shapley values of the steps, and whether coalitions were sampled."""
    space, x, y, columns = changes.space, changes.x, changes.y, changes.columns
    # with the target's values of what only the target has, those follow their parents here too
    base = np.where(np.isnan(x), y, x)
    sample = space.sample(1, seed=seed, latent=True)[0]
    for j, parameter in enumerate(space.parameters):
        if np.isnan(base[j]) and parameter.optional == 1.0:
            base[j] = sample[j]
        elif j in columns:
            base[j] = x[j]
    game = CoalitionGame(explained.game, y, np.array(columns), "auto", seed)
    by_cube, how = game.shapley([base[None, :]])
    gain = -explained.sign * by_cube[0].sum(axis=1)
    of_steps = np.array([gain[[columns.index(j) for j in step]].sum() for step in steps])
    return of_steps, bool(dict(how.values).get("sampled"))


def _shapley_drawn(
    draws: Draws, changes: Mixtures, steps: list[tuple[int, ...]], shapley: Array
) -> Array:
    """Return the Shapley values in each draw, (k, draws): linear in all 2^n configurations.

    Where these are too many, or not all there, only those of the prediction.
    """
    n = len(changes.columns)
    if n > _MOST_CHANGES:
        return shapley[:, None]
    rows = changes.rows(all_coalitions(n))
    if not changes.space.is_valid(rows).all():
        return shapley[:, None]
    bits = [[changes.columns.index(j) for j in step] for step in steps]
    weights = np.array([shapley_weights(n)[step].sum(axis=0) for step in bits])
    return -weights @ (draws.sign * draws.draws(rows)).T
