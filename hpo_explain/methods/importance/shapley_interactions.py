"""Shapley interactions of a prediction or an acquisition at a configuration.

The game is that of `shapley`: v(S) is the mean of what is explained over the background, where the
hyperparameters S have the explained configuration's values. All coalitions are valued by the
surrogate's own structure, without composed rows where that is possible, and `interaction_indices`
makes interactions of their values.

The game of the variance is that of the Shapley effects: v(S) is the variance of the mean prediction
given S, ``Cov(f(X), f(X_S, X'))`` where X' is independent of X. Its dividends are the components of
the functional ANOVA. Of a model that draws functions the value is the mean over the draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_count, check_option, check_seed
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import NORMAL_95
from hpo_explain.base.options import (
    INDICES,
    Criterion,
    Direction,
    InteractionIndex,
)
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.belief.drawn import as_draws
from hpo_explain.methods._engines.background import complete, hypercubes
from hpo_explain.methods._engines.coalitions import (
    EXACT_PLAYERS,
    all_coalitions,
)
from hpo_explain.methods._engines.game import CoalitionGame, relevant
from hpo_explain.methods._engines.uncertainty import widened
from hpo_explain.methods.importance._variance_game import (
    configurations_of,
    variances,
    variances_of_draws,
)
from hpo_explain.methods.importance.interaction_indices import (
    Sets,
    interaction_weights,
    sets_up_to,
)
from hpo_explain.methods.importance.set_values import SetValues
from hpo_explain.methods.importance.sets_result import (
    PLAY_AS_ONE,
    ShapleyInteractions,
)
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.protocols import Surrogate
from hpo_explain.question.explained import Explained, accepted_criterion
from hpo_explain.question.explains import Question, explains
from hpo_explain.space import Array, Config, encode_one

_DRAWN = 8192  # composed rows at which functions are drawn
_LEAST = 4  # background rows of these
_MOST_OF_VARIANCE = 8  # players: of more, integrals would be too coarse
_RANKED_BY = 50  # background rows from which those that play as one are chosen


@explains(without=("acquisition",))
def shapley_interactions(
    question: Question,
    config: Config | int | None = None,
    *,
    of: Literal["prediction", "acquisition", "variance"] = "prediction",
    index: InteractionIndex = "k-SII",
    order: int = 2,
    background: int | Config | npt.ArrayLike = 500,
    acquisition: Criterion | Acquisition = "auto",
) -> ShapleyInteractions:
    """Say what hyperparameters do to a prediction, acquisition or variance, alone and together.

    With a default as `background` and a good trial as `config` this is the ablation game of
    HyperSHAP; with several baselines, their mean.

    Parameters
    ----------
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    of : {"prediction", "acquisition", "variance"}, default "prediction"
        What is explained: the predicted objective, the acquisition function by which the optimizer
        chose the trial, with its terms, or the variance of the predicted objective over the space
        (Shapley effects), which is of no configuration and has no background; of more than 8
        hyperparameters, those that explain least of it alone play as one.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what hyperparameters do together is shared out: "k-SII" aggregates Shapley interaction
        values, "STII" is Shapley-Taylor's, "FSII" the faithful index. With hyperparameters that
        act together in sets of at most `order` they agree.
    order : int, default 2
        The size of the largest sets, at least 2.
    background : int, dict or ndarray of shape (n, d), default 500
        What the configuration is compared with, as in :class:`ShapleyInteractionExplainer`: a
        number of rows, one configuration such as a default, or encoded rows.
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, default "auto"
        Which acquisition, as in :func:`explain_proposal`.

    Returns
    -------
    ShapleyInteractions
        Values of sets of hyperparameters that add up to the difference from the background.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the configuration is not one of the space, or an
        option is not allowed.

    References
    ----------
    .. [1] Muschalik, M. et al. (2024). shapiq: Shapley interactions for machine learning. NeurIPS.
       https://arxiv.org/abs/2410.01649
    .. [2] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> baseline = {"x": 0.1, "y": 0.1}
    >>> found = hx.methods.shapley_interactions(table, 1, objective="loss", background=baseline)
    >>> round(abs(found.efficiency_gap), 9)
    0.0
    """
    check_option("of", of, ("prediction", "acquisition", "variance"))
    accepted_criterion(acquisition)
    if of == "variance" and config is not None:
        problem = (
            f"was {config!r}, but the variance is that over the whole space"
        )
        raise InputError(
            "config",
            problem,
            config,
            "Leave it out, or explain the prediction.",
        )
    at, trial = question.config("config", config), question.trial(config)
    if of == "acquisition":
        before = trial if question.before is None else question.before
        question = replace(question, acquisition=acquisition, before=before)
    model = question.model
    explainer = ShapleyInteractionExplainer(
        model,
        index=index,
        order=order,
        background=background,
        subject=question.subject(None if of == "variance" else trial),
        seed=question.seed,
    )
    return (
        explainer.explain_variance()
        if of == "variance"
        else explainer.explain(at)
    )


class ShapleyInteractionExplainer:
    """Says what hyperparameters do together to a prediction or an acquisition.

    Parameters
    ----------
    surrogate : Surrogate or Acquisition
        The model of the objective, or an acquisition to explain in its place.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what hyperparameters do together is shared out, as in `interaction_weights`.
    order : int, default 2
        The size of the largest sets, at least 2.
    background : int, dict or ndarray of shape (n, d), default 500
        What the configuration is compared with: a number of rows (drawn from the space's measure as
        ten independent Latin hypercubes, which gives intervals), one configuration such as a
        default, or encoded rows.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with names for plots and sentences, such as ``Subject.of(run)``; by
        default it is made from the model and `direction`.
    seed : int, default 0
        Seed of the background.

    Raises
    ------
    ValueError
        If `surrogate` is neither, or an option is not allowed.

    References
    ----------
    .. [1] Lundberg, S. M. et al. (2020). From local explanations to global understanding with
       explainable AI for trees. Nature Machine Intelligence 2, 56-67.
    .. [2] Muschalik, M. et al. (2024). shapiq: Shapley interactions for machine learning. NeurIPS.
       https://arxiv.org/abs/2410.01649

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x", "y", "z")])
    >>> X = space.sample(60, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] * X[:, 1] + X[:, 2])
    >>> explainer = hx.methods.ShapleyInteractionExplainer(surrogate, background=100)
    >>> found = explainer.explain({"x": 1.0, "y": 1.0, "z": 1.0})
    >>> found.value("x", "y") > 5 * abs(found.value("x", "z"))
    True
    """

    def __init__(
        self,
        surrogate: Surrogate | Acquisition,
        *,
        index: InteractionIndex = "k-SII",
        order: int = 2,
        background: int | Config | npt.ArrayLike = 500,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._explained = Explained.of(
            surrogate, subject.direction if subject else direction
        )
        self._subject = self._explained.completed(subject)
        explained, self._belief = self._explained, None
        if explained.of_objective and explained.surrogate is not None:
            self._belief = as_draws(
                explained.surrogate, explained.direction, seed=seed
            )
        self._index = cast(
            InteractionIndex, check_option("index", index, INDICES)
        )
        self._order = check_count("order", order, minimum=2)
        self._seed = check_seed(seed)
        space = self._explained.space
        if isinstance(background, Mapping):
            background = encode_one(space, background, "background")[None, :]
        if np.ndim(background) == 0:
            self._cubes = hypercubes(space, cast(int, background), seed=seed)
        else:
            self._cubes = [complete(space, background, seed=seed)]

    @shows_progress
    def explain(self, config: Config) -> ShapleyInteractions:
        """Return the Shapley interactions at a configuration.

        Parameters
        ----------
        config : dict
            The configuration, in the user's units, without inactive hyperparameters.

        Returns
        -------
        ShapleyInteractions
            The values of sets of up to `order` hyperparameters, which add up to the prediction.

        Raises
        ------
        ValueError
            If the configuration is not one of the space.
        """
        explained, space, cubes = (
            self._explained,
            self._explained.space,
            self._cubes,
        )
        x = encode_one(space, config, "config")
        game = CoalitionGame.of(
            explained.game, x, estimator="auto", seed=self._seed
        )
        found = self._interactions(game)
        background = np.vstack(cubes)
        at_x = float(explained(x[None, :])[0])
        elsewhere = explained(space.project(background))
        baseline = float(elsewhere.mean())
        by_term = found.over_cubes(cubes)
        total = by_term.sum(axis=1)
        players = [
            [space.names[j] for j in player] for player in found.players
        ]
        return ShapleyInteractions(
            subject=self._subject,
            of="prediction" if explained.of_objective else "acquisition",
            config=space.decode(x[None, :])[0],
            index=self._index,
            order=min(self._order, max(len(found.players), 2)),
            total=SetValues(
                tuple(map(tuple, players)),
                found.sets,
                total,
                half := _half_width(found.by_cube.sum(axis=2)),
                self._drawn(x, found, background, total, half),
            ),
            terms=explained.game.term_names,
            by_term=by_term,
            prediction=at_x,
            baseline=baseline,
            efficiency_gap=at_x - baseline - float(total.sum()),
            spread=float(elsewhere.std()),
            background_size=len(background),
            notes=(*found.notes, *self._subject.notes),
        )

    @shows_progress
    def explain_variance(self) -> ShapleyInteractions:
        """Return the Shapley interactions of the variance over the whole space.

        Of more than 8 hyperparameters those that explain least of it alone play as one.

        Returns
        -------
        ShapleyInteractions
            The values of sets of up to `order` hyperparameters, which add up to the variance.

        References
        ----------
        .. [1] Owen, A. B. (2014). Sobol' indices and Shapley value. SIAM/ASA Journal on Uncertainty
           Quantification 2(1), 245-251. https://doi.org/10.1137/130936233
        .. [2] Song, E., Nelson, B. L. and Staum, J. (2016). Shapley effects for global sensitivity
           analysis. SIAM/ASA Journal on Uncertainty Quantification 4(1), 1060-1083.
           https://doi.org/10.1137/15M1048070
        """
        explained, space = self._explained, self._explained.space
        columns = np.flatnonzero(relevant(explained.game)).tolist()
        players, notes = [[j] for j in columns], tuple[Fact, ...]()
        if len(columns) > _MOST_OF_VARIANCE:
            if self._belief is None:
                of_each = variances(
                    explained, players, singles=True, seed=self._seed
                )
            else:
                of_each = self._belief.anova.mains[:, columns]
            order = np.argsort(-of_each.mean(axis=0), kind="stable")
            first = sorted(columns[i] for i in order[: _MOST_OF_VARIANCE - 1])
            rest = [j for j in columns if j not in first]
            players = [*([j] for j in first), rest]
            notes = (PLAY_AS_ONE(names=[space.names[j] for j in rest]),)
        belief = self._belief if players else None
        if belief is None:
            by_set = variances(explained, players, seed=self._seed)
        else:
            by_set = variances_of_draws(belief, players)
        order_of_sets = min(self._order, len(players))
        weights = interaction_weights(len(players), order_of_sets, self._index)
        phi = by_set @ weights.T if players else np.zeros((len(by_set), 0))
        total = phi.mean(axis=0)
        variance = float(by_set[:, -1].mean())
        half = _half_width(phi) if belief is None else None
        return ShapleyInteractions(
            subject=self._subject,
            of="variance",
            config={},
            index=self._index,
            order=max(order_of_sets, 2),
            total=SetValues(
                tuple(
                    tuple(space.names[j] for j in player) for player in players
                ),
                sets_up_to(len(players), order_of_sets),
                total,
                half,
                None if belief is None else phi,
            ),
            terms=("variance",),
            by_term=total[:, None],
            prediction=variance,
            baseline=0.0,
            efficiency_gap=variance - float(total.sum()),
            spread=float(np.sqrt(max(variance, 0.0))),
            background_size=configurations_of(len(players))
            if half is not None
            else 0,
            noise=0.0 if belief is None else belief.noise_std,
            notes=(*notes, *self._subject.notes),
        )

    def _interactions(self, game: CoalitionGame) -> _Found:
        """Return the interactions over each hypercube; a sum of games is valued by its parts."""
        parts, n = game.parts(), len(game.players)
        if not n:
            shape = (len(self._cubes), 0, len(game.acquisition.term_names))
            return _Found([], (), np.zeros(shape))
        if (
            parts
            and n > EXACT_PLAYERS
            and max(len(p.players) for p in parts) <= EXACT_PLAYERS
        ):
            return self._of_parts(game, parts)
        players, notes = self._players(game)
        coalitions = all_coalitions(len(players))
        joined = np.zeros((len(coalitions), n), dtype=bool)
        place = {
            column: p
            for p, columns in enumerate(players)
            for column in columns
        }
        joined[:] = coalitions[:, [place[j] for j in game.players.tolist()]]
        values = game.values(joined, self._cubes)
        order = min(self._order, len(players))
        by_cube = (
            interaction_weights(len(players), order, self._index) @ values
        )
        return _Found(players, sets_up_to(len(players), order), by_cube, notes)

    def _of_parts(
        self, game: CoalitionGame, parts: list[CoalitionGame]
    ) -> _Found:
        """Return interactions as the sums of those of the parts, each of few hyperparameters."""
        columns = sorted(game.players.tolist())
        sets = sets_up_to(len(columns), self._order)
        place = {s: i for i, s in enumerate(sets)}
        names = game.acquisition.term_names
        by_cube = np.zeros((len(self._cubes), len(sets), len(names)))
        for part in parts:
            one = self._interactions(part)
            terms = [names.index(term) for term in part.acquisition.term_names]
            for i, members in enumerate(one.sets):
                whole = tuple(
                    columns.index(one.players[p][0]) for p in members
                )
                row = place[tuple(sorted(whole))]
                by_cube[:, row, terms] += one.by_cube[:, i]
        return _Found([[j] for j in columns], sets, by_cube)

    def _players(
        self, game: CoalitionGame
    ) -> tuple[list[list[int]], tuple[Fact, ...]]:
        """Return the columns of each player: where there are too many, the least play as one."""
        columns = sorted(game.players.tolist())
        if len(columns) <= EXACT_PLAYERS:
            return [[j] for j in columns], ()
        rows = np.vstack(self._cubes)[
            :: max(1, sum(map(len, self._cubes)) // _RANKED_BY)
        ]
        size = np.abs(game.shapley([rows])[0][0].sum(axis=1))
        first = game.players[
            np.argsort(-size, kind="stable")[: EXACT_PLAYERS - 1]
        ]
        alone = sorted(first.tolist())
        rest = [j for j in columns if j not in alone]
        names = [game.acquisition.space.names[j] for j in rest]
        return [*([j] for j in alone), rest], (PLAY_AS_ONE(names=names),)

    def _drawn(
        self,
        x: Array,
        found: _Found,
        background: Array,
        total: Array,
        half: Array | None,
    ) -> Array | None:
        """Return the values for each draw, (k, sets), the error of integrating in their spread."""
        belief, p = self._belief, len(found.players)
        if belief is None or not p or p > EXACT_PLAYERS:
            return None
        rng, coalitions = np.random.default_rng(self._seed), all_coalitions(p)
        weights = interaction_weights(p, min(self._order, p), self._index)
        joined = np.zeros((len(coalitions), len(x)), dtype=bool)
        for player, columns in enumerate(found.players):
            joined[:, columns] = coalitions[:, [player]]
        drawn: Array = np.zeros((1, len(weights)))
        some = background[
            rng.permutation(len(background))[
                : max(_LEAST, _DRAWN // len(joined))
            ]
        ]
        for rows in np.array_split(
            some, -(-len(some) * len(joined) // _DRAWN)
        ):
            z = np.where(joined, x, rows[:, None]).reshape(-1, len(x))
            values = belief.draws(belief.space.project(z)).reshape(
                -1, len(rows), len(joined)
            )
            drawn = drawn + values.sum(axis=1) @ weights.T / len(some)
        error = 0.0 if half is None else half / NORMAL_95
        return widened(total + drawn - drawn.mean(axis=0), error)


@dataclass(frozen=True, eq=False)
class _Found:
    """Interactions (hypercube, set, term), and the columns of each player."""

    players: list[list[int]]
    sets: Sets
    by_cube: Array
    notes: tuple[Fact, ...] = ()

    def over_cubes(self, cubes: list[Array]) -> Array:
        sizes = np.array([len(cube) for cube in cubes], dtype=float)
        return np.asarray(
            np.tensordot(sizes / sizes.sum(), self.by_cube, axes=1)
        )


def _half_width(by_cube: Array) -> Array | None:
    """Return half the 95 % t-intervals of means over independent hypercubes."""
    if len(by_cube) < 2:
        return None
    from scipy.stats import t

    error = by_cube.std(axis=0, ddof=1) / np.sqrt(len(by_cube))
    return np.asarray(t.ppf(0.975, len(by_cube) - 1) * error)
