"""Shapley values of an acquisition function at a configuration (ShapleyMBO).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained configuration, encoded (thesis: θ)
b          a background row, latent
S          a coalition: the hyperparameters that keep the value of x
z_S        x on S, b elsewhere, projected onto the space
u_t(z)     term t of the acquisition at z
v_t(S)     value of the coalition: the mean of u_t(z_S) over the background
φ_t        Shapley values of v_t; because they are linear, Σ_t φ_t explains Σ_t u_t
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import (
    check_count,
    check_fraction,
    check_option,
    check_seed,
)
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import ESTIMATORS, Estimator
from hpo_explain.base.phrases import counted
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.drawn import Draws
from hpo_explain.methods._engines.background import (
    complete,
    hybrid_background,
    hypercubes,
    independent_batches,
    local_background,
)
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.orders import evaluate, sampled_shapley
from hpo_explain.methods._engines.uncertainty import drawn_contributions
from hpo_explain.methods.proposals.contributions_result import (
    ProposalExplanation,
)
from hpo_explain.models.acquisition.protocols import Acquisition, OfPredictions
from hpo_explain.models.densities.ratio import DensityRatio
from hpo_explain.question.explained import Explained, accepted_acquisition
from hpo_explain.space import Array, Config, SearchSpace, encode_one

BACKGROUNDS = ("auto", "global", "local", "hybrid", "candidates", "thesis")
THESIS_ROWS = 1000  # per hyperparameter (thesis, Section 5.2)
FIRST_ROWS = 200  # of a background that grows
MOST_ROWS = 2000
MOST_ROWS_SAMPLED = 400  # a row costs more where coalitions are sampled
MOST_STEPS_WALKED = 200_000  # rows times hyperparameters: a row costs less where orders are walked
MOST_PREDICTED = 50_000  # composed rows: each is predicted
_PLACES = {
    "global": " from the whole space",
    "local": " close to it",
    "hybrid": ", half of them close to it",
    "candidates": ", drawn as the optimizer draws its candidates",
}
_GROWN = declared_fact(
    "background_grown",
    "it is compared with {configurations}; averaging over them leaves an error "
    "of up to {error} of the largest contribution (95 % intervals)",
    error=lambda fact: f"{fact['width']:.1%}",
    configurations=lambda fact: (
        f"{counted(fact['rows'], 'configuration')}{_PLACES[fact['place']]}"
        f"{'' if fact['enough'] else ', the most that are drawn'}"
    ),
)
_SAMPLED = declared_fact(
    "orders_sampled",
    "sampling, {orders} draws of a background row and an order",
)


class ShapleyExplainer:
    """Explains why an acquisition function finds a configuration desirable.

    Parameters
    ----------
    acquisition : Acquisition
        The utility to explain, as named additive terms.
    background : int, str, dict or ndarray of shape (n, d), default 1000
        The reference set: what the configuration is compared with. A number of rows (drawn from
        the space's measure as ten independent Latin hypercubes, which gives intervals), encoded
        rows (no intervals), a single configuration (baseline Shapley), or a word. "global", the
        same as "auto", grows from 200 rows until the widest 95 % interval is within 5 % of the
        largest contribution, to 2000 rows at most (400 where coalitions are sampled), and notes
        what was reached; "local" does so around the explained configuration, "hybrid" with half
        of the rows there; "candidates" does so with draws from those among which the optimizer
        chooses, where its acquisition can draw them (TPE's, a `DensityRatio`); "thesis" is
        1000 rows per hyperparameter, as ShapleyMBO takes.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        "exact" values every coalition through the surrogate's own structure, without composed
        rows (a `SupportsCoalitions` surrogate, up to 11 active hyperparameters). "kernel" is
        `shap.KernelExplainer`: every coalition up to 11, its sampling above; any acquisition.
        "auto" is "exact" where it is possible; the two agree. Above 11 it walks orders of the
        hyperparameters where the acquisition can (TPE's, a `DensityRatio`); where the background
        grows, from 8 on by composed rows, which are then the smaller part of the error. "sampling"
        draws background rows and orders (Algorithm 2 of [1]_), whatever their number;
        its intervals are those of the orders, and its "auto" background is "thesis".
    orders : int, default 1000
        Number of orders K that the sampling estimator draws, each with a background row; at least
        2.
    precision : float, default 0.05
        How wide half a 95 % interval may be, relative to the largest contribution, where the
        background grows; between 0 and 1.
    subject : Subject, optional
        What is explained, with names for plots and sentences, such as ``Subject.of(run)``; by
        default it is made from the acquisition.
    belief : Draws, optional
        What the objective may be, such as ``run.belief()``: what the values do to it is then told.
    seed : int, default 0
        Seed of the background, of sampled coalitions and of draws.

    Raises
    ------
    ValueError
        If `background` is neither a positive number nor rows or a configuration of the space,
        `estimator` is unknown, "exact" is asked for where it is not possible, `orders` is below 2,
        or `precision` is not between 0 and 1.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Definitions 7 and 8, Algorithms 2 and 3, Section 8.
    .. [2] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS. https://arxiv.org/abs/1705.07874
    .. [3] Sundararajan, M. and Najmi, A. (2020). The many Shapley values for model explanation.
       ICML. (baseline Shapley) https://arxiv.org/abs/1908.08474

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, (X[:, 0] - 0.2) ** 2)
    >>> acquisition = hx.models.LowerConfidenceBound(surrogate)
    >>> explainer = hx.methods.ShapleyExplainer(acquisition, background=100)
    >>> explanation = explainer.explain({"x": 0.2, "y": 0.5})
    >>> explanation.to_frame().index[0]
    'x'
    """

    def __init__(
        self,
        acquisition: Acquisition,
        *,
        background: int | str | Config | npt.ArrayLike = 1000,
        estimator: Estimator = "auto",
        orders: int = 1000,
        precision: float = 0.05,
        subject: Subject | None = None,
        belief: Draws | None = None,
        seed: int = 0,
    ) -> None:
        self._belief = belief
        self._acquisition = accepted_acquisition(acquisition)
        self._explained = Explained.of(acquisition)
        self._subject = self._explained.completed(subject)
        self._estimator = check_option("estimator", estimator, ESTIMATORS)
        self._orders = check_count("orders", orders, minimum=2)
        self._precision = check_fraction("precision", precision)
        self._seed = check_seed(seed)
        self._given: Array | None = None
        self._rows = 0  # until the intervals are narrow enough
        self._place = "global"
        space = acquisition.space
        if isinstance(background, str):
            check_option("background", background, BACKGROUNDS)
            if background == "candidates" and not isinstance(
                acquisition, DensityRatio
            ):
                raise InputError(
                    "background",
                    "is 'candidates', which needs an acquisition that draws candidates, such as "
                    f"TPE's, but was asked of {acquisition.label}",
                    background,
                    ("Use ", Option("background", "global"), "."),
                )
            if background in ("local", "hybrid", "candidates"):
                self._place = background
            if background == "thesis" or estimator == "sampling":
                self._rows = THESIS_ROWS * len(space)
        elif isinstance(background, Mapping):
            self._given = complete(
                space,
                encode_one(space, background, "background")[None, :],
                seed=seed,
            )
        elif np.ndim(background) == 0:
            self._rows = check_count("background", background)
        else:
            self._given = complete(space, background, seed=seed)

    @shows_progress
    def explain(
        self, config: Config, *, not_chosen: Sequence[str] = ()
    ) -> ProposalExplanation:
        """Return the Shapley values of every term of the acquisition at a configuration.

        Parameters
        ----------
        config : dict
            The configuration, in the user's units, without inactive hyperparameters.
        not_chosen : sequence of str, optional
            Hyperparameters that have no value yet, although they may be active. What is explained
            is then the mean over the configurations that complete it, as in the background.

        Returns
        -------
        ProposalExplanation
            Contributions by hyperparameter and term, with intervals.

        Raises
        ------
        ValueError
            If the configuration is not one of the space, or not complete where the background
            lies around it.
        """
        acquisition, space = self._acquisition, self._acquisition.space
        if not_chosen and self._place in ("local", "hybrid"):
            problem = f"is {self._place!r}, but {', '.join(not_chosen)} have no value yet"
            remedy = ("Use ", Option("background", "global"), ".")
            raise InputError("background", problem, self._place, remedy)
        x = (
            _partly_encoded(space, config)
            if not_chosen
            else encode_one(space, config, "config")
        )
        game = CoalitionGame.of(
            acquisition,
            x,
            estimator=self._estimator,
            seed=self._seed,
            absent=tuple(space.index(name) for name in not_chosen),
            grows=self._given is None and not self._rows,
        )
        estimate = (
            self._sampled(game, config)
            if self._estimator == "sampling"
            else None
        )
        estimate = (
            self._integrated(game, config) if estimate is None else estimate
        )
        terms = acquisition.term_names
        phi = np.zeros((len(space), len(terms)))
        phi[game.players] = estimate.phi
        standard_error, difference_error = None, None
        if estimate.repetitions is not None:
            repetitions = _with_total(estimate.repetitions)
            standard_error = np.zeros((len(space), len(terms) + 1))
            standard_error[game.players] = _standard_error(repetitions)
            difference_error = np.zeros(
                (len(terms) + 1, len(space), len(space))
            )
            for i, player in enumerate(game.players):
                apart = repetitions[:, [i]] - repetitions
                difference_error[:, player, game.players] = _standard_error(
                    apart
                ).T
        background = estimate.background
        explained = game.explained(background)
        at_x, predicted_at_x = self._means_over(explained)
        baseline, predicted_baseline = self._means_over(background)
        payout = at_x - baseline
        return ProposalExplanation(
            subject=self._subject,
            config=space.decode(x[None, :])[0],
            not_chosen=tuple(not_chosen),
            terms=terms,
            phi=phi,
            standard_error=standard_error,
            difference_error=difference_error,
            degrees_of_freedom=0
            if estimate.repetitions is None
            else len(estimate.repetitions) - 1,
            prediction=_by_term(terms, at_x),
            baseline=_by_term(terms, baseline),
            payout=_by_term(terms, payout),
            efficiency_gap=_by_term(terms, payout - phi.sum(axis=0)),
            objective_prediction=predicted_at_x,
            objective_baseline=predicted_baseline,
            background_size=len(background),
            estimator=estimate.how,
            orders=self._orders if self._estimator == "sampling" else None,
            drawn=self._drawn(game, phi, standard_error, background),
            kappa=getattr(acquisition, "kappa", None),
            notes=(*estimate.notes, *self._subject.notes),
        )

    def _means_over(
        self, latent: Array
    ) -> tuple[Array, dict[str, float] | None]:
        """Return the mean of each term over rows, and what the model predicts on average."""
        acquisition, surrogate = self._acquisition, self._explained.surrogate
        if surrogate is None:
            return evaluate(acquisition, latent).mean(axis=0), None
        X = acquisition.space.project(latent)
        mean, std = surrogate.predict(X)
        if (
            isinstance(acquisition, OfPredictions)
            and acquisition.surrogate is surrogate
        ):
            terms = acquisition.terms_of(mean, std)
        else:
            terms = acquisition.terms(X)
        of_terms = np.array(
            [np.mean(terms[name]) for name in acquisition.term_names]
        )
        return of_terms, {
            "mean": float(np.mean(mean)),
            "std": float(np.mean(std)),
        }

    def _drawn(
        self,
        game: CoalitionGame,
        phi: Array,
        standard_error: Array | None,
        background: Array,
    ) -> Array | None:
        """Return contributions to each draw of the objective; None without a belief."""
        belief = self._belief
        if belief is None:
            return None
        known = None
        if self._explained.of_objective:
            error = (
                np.zeros_like(phi)
                if standard_error is None
                else standard_error
            )
            known = phi[:, 0], error[:, 0]
        return drawn_contributions(
            game,
            belief,
            background,
            known=known,
            given=self._given is not None,
            seed=self._seed,
        )

    def _integrated(self, game: CoalitionGame, config: Config) -> _Estimate:
        """Return Shapley values by hypercubes of the background, of as many rows as needed."""
        if self._given is not None:
            return _over_cubes([self._given], *game.shapley([self._given]))
        if self._rows:
            cubes = self._cubes(self._rows, config)
            return _over_cubes(cubes, *game.shapley(cubes))
        bound, enough = _most_rows(game), self._precision
        rows = FIRST_ROWS
        while True:
            cubes = self._cubes(rows, config)
            by_cube, how = game.shapley(cubes)
            width = _relative_half_width(by_cube)
            if width <= enough or rows >= bound:
                break
            # the error falls with the root of the rows, or with them where effects are additive
            rows = int(
                min(bound, max(2 * rows, 1.2 * rows * (width / enough) ** 1.5))
            )
        grown = _GROWN(
            rows=rows, place=self._place, width=width, enough=width <= enough
        )
        return _over_cubes(cubes, by_cube, how, (grown,))

    def _cubes(self, rows: int, config: Config) -> list[Array]:
        """Return independent parts of a background."""
        space, seed = self._acquisition.space, self._seed
        if self._place == "global":
            return hypercubes(space, rows, seed=seed)
        acquisition = self._acquisition
        if self._place == "candidates" and isinstance(
            acquisition, DensityRatio
        ):
            return independent_batches(
                lambda n, batch_seed: acquisition.candidates(
                    n, seed=batch_seed
                ),
                rows,
                seed=seed,
            )
        draw = (
            local_background if self._place == "local" else hybrid_background
        )
        return independent_batches(
            lambda n, batch_seed: draw(space, config, n, seed=batch_seed),
            rows,
            seed=seed,
        )

    def _sampled(self, game: CoalitionGame, config: Config) -> _Estimate:
        """Return Shapley values by draws of background rows and orders."""
        if self._given is None:
            background = np.vstack(self._cubes(self._rows, config))
        else:
            background = self._given
        by_draw = sampled_shapley(
            game.acquisition,
            game.x,
            game.players,
            background,
            orders=self._orders,
            seed=self._seed,
        )
        return _Estimate(
            by_draw.mean(axis=0),
            by_draw,
            background,
            _SAMPLED(orders=self._orders),
        )


@dataclass(frozen=True, eq=False)
class _Estimate:
    """Shapley values (player, term), their independent repetitions, and how they came about."""

    phi: Array
    repetitions: Array | None
    background: Array
    how: Fact
    notes: tuple[Fact, ...] = ()


def _most_rows(game: CoalitionGame) -> int:
    """Return how many rows a background may grow to."""
    if game.predicted_rows:
        return min(
            MOST_ROWS, max(FIRST_ROWS, MOST_PREDICTED // game.predicted_rows)
        )
    if game.walks_orders:
        return MOST_STEPS_WALKED // len(game.players)
    return MOST_ROWS_SAMPLED if game.samples_coalitions else MOST_ROWS


def _over_cubes(
    cubes: list[Array], by_cube: Array, how: Fact, notes: tuple[Fact, ...] = ()
) -> _Estimate:
    weights = np.array([len(b) for b in cubes], dtype=float)
    return _Estimate(
        np.tensordot(weights / weights.sum(), by_cube, axes=1),
        by_cube if len(cubes) > 1 else None,
        np.vstack(cubes),
        how,
        notes,
    )


def _with_total(repetitions: Array) -> Array:
    """Return contributions with their sum over the terms in a last column."""
    return np.concatenate(
        [repetitions, repetitions.sum(axis=2, keepdims=True)], axis=2
    )


def _standard_error(repetitions: Array) -> Array:
    """Return the standard error of means over independent repetitions, the first axis."""
    return np.asarray(
        repetitions.std(axis=0, ddof=1) / np.sqrt(len(repetitions))
    )


def _relative_half_width(by_cube: Array) -> float:
    """Return the widest half 95 % interval of a total, relative to the largest total."""
    from scipy.stats import t

    largest = np.abs(by_cube.sum(axis=2).mean(axis=0)).max(initial=0.0)
    if largest == 0.0:
        return 0.0
    half = (
        t.ppf(0.975, len(by_cube) - 1)
        * _standard_error(_with_total(by_cube))[:, -1]
    )
    return float(half.max() / largest)


def _partly_encoded(space: SearchSpace, config: Config) -> Array:
    """Return the encoded row of a configuration that need not be complete."""
    x = np.full(len(space), np.nan)
    for name, value in config.items():
        x[space.index(name)] = space[name].encode([value])[0]
    return x


def _by_term(terms: tuple[str, ...], values: Array) -> dict[str, float]:
    return {
        **{t: float(v) for t, v in zip(terms, values, strict=True)},
        "total": float(values.sum()),
    }
