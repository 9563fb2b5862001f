"""What matters: the functional ANOVA of functions that the trials allow, or of a forest.

A forest's boxes stay in the result as plain arrays, so that the marginal of any pair is an exact
integral whenever it is asked for; those of all pairs would take d²/2 tables of 1,600 numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import (
    SHARE_NOT_SETTLED,
    Claim,
    Direction,
    InputError,
    Option,
    PosteriorDraws,
    Result,
    Table,
    check_name,
    declared_fact,
    percent,
    percent_range,
    percent_sd,
    worth_naming,
)
from hpo_explain.belief import (
    INTERACTS,
    MATTERS,
    STRETCH,
    Anova,
    Decision,
    decide,
    interval,
    interval_beside,
)
from hpo_explain.methods._engines.effect_result import Effect, marginal_on
from hpo_explain.methods.importance.most import (
    ALL,
    ALONE,
    APART,
    PROBABLE,
    TOGETHER,
    TOLD,
    WITH,
    foremost,
    how_sure,
    parts_of,
)
from hpo_explain.models import TreeBoxes
from hpo_explain.models._tree_boxes import excluded_pair
from hpo_explain.models.box_sums import (
    marginal_at,
    marginal_prediction,
    total_cost,
    total_shares,
)
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

    from hpo_explain.belief import Best

SEPARATOR = " × "
_MOST_NAMED = 3
_MOST_VALUES = 12  # whose sets are 4096
_UNSTABLE = 0.25  # share of the trees or draws that may see two neighbours the other way round

_ALL_EQUAL = declared_fact(
    "trials_all_equal",
    "all trials reached the same, which says little of what was not tried",
)
_OVER_TREES = declared_fact(
    "no_interval_of_shares",
    "the shares of a forest vary over its trees, which is no interval, and hold what it learned "
    "of the noise",
)

_IN_A_PAIR = declared_fact(
    "matters_in_a_pair", "{names} matter mostly together", role="said"
)

Rows = Literal["trees", "draws"]
"""What the shares are of: the trees of a forest, or functions that the trials allow."""


@dataclass(frozen=True, eq=False)
class Axis:
    """A hyperparameter's grid and activity.

    Attributes
    ----------
    grid : tuple
        Values in the user's units.
    latent : ndarray of shape (G,)
        Their latent values.
    activity : float
        Share of the space in which it is active.
    """

    grid: tuple[Any, ...]
    latent: Array
    activity: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FanovaImportance(Result):
    """Shares of the variance of the objective, for sets of hyperparameters.

    The share of a set is what it explains, over the search space's own measure, beyond its
    subsets: of a hyperparameter, alone. With its interactions it explains what is lost where it is
    not tuned: by that sets are in order, and what matters most is named. Standard deviations are
    over functions that the trials allow, or over the trees of a forest; only `lower` and `upper`,
    which are over functions, are an interval.

    Attributes
    ----------
    order : int
        Size of the largest sets.
    members : tuple of tuple of int
        The sets, as positions in `names`: first all of one, then all of two, and so on.
    rows : {"trees", "draws"}
        What the shares are of.
    shares : ndarray of shape (number of trees or draws, number of sets)
        Share of each set in the variance of each tree that is not constant (0 if all trees are),
        or of each function drawn.
    variances : ndarray of shape (number of trees or draws,)
        Their variance, in squared units of the objective.
    axes : tuple of Axis
        The hyperparameters' grids and activity.
    boxes : tuple of TreeBoxes
        The trees, as boxes over the latent values; empty for draws.
    anova : Anova, Best or None
        The decomposition of the functions, or of being among the best; None for trees.
    top, within : float or None
        In place of the objective, whether a configuration is among this best share of the space
        (of the configurations in a better share of it) is what the shares are of.
    cap : float or None
        The objective at which predictions were clipped on the worse side.
    given : mapping of str to list
        The sub-space to which the analysis is restricted; empty for the whole space.
    fidelity : float or None
        R² of the forest with the model it was distilled from; None for a forest itself.
    most_pairs : float
        Number of pairs of leaves up to which `totals` are computed.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Eq. 4 to 7, Algorithm 2.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.importance(table, objective="loss")
    >>> result.names, result.order, round(result.share("x"), 2)
    (('x',), 1, 1.0)
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameters", "labels"),
        columns={
            "members": "sets",
            "order": lambda result: [len(u) for u in result.members],
            "importance": "estimate",
            "normalized": "normalized",
            "lower": lambda result: result.ends[:, 0],
            "upper": lambda result: result.ends[:, 1],
            "with_interactions": "with_interactions",
            "with_lower": lambda result: result.ends_with[:, 0],
            "with_upper": lambda result: result.ends_with[:, 1],
            "std": lambda result: result.shares.std(axis=0),
        },
        order="by_size",
    )
    says: ClassVar[Mapping[str, str]] = {
        "constant": "The {found.what} is constant: no hyperparameter matters.",
        "certainly": "{name} matters most for {found.matter}{pair}.",
        "probably": "Probably {name} matters most for {found.matter} ({p:%}){pair}.",
        "perhaps": "Perhaps {name} matters most for {found.matter} ({p:%}){pair}.",
        "nothing": "Nothing is known to matter for {found.matter} yet.",
        "shares": "Shares of the variance: {each}. | {label} ({share})",
        "by trees": "What the {found.objective_name} depends on most{where}{by}: {each} of its "
        "variance. | {label} ({share})",
        "mains": "Without interactions all hyperparameters explain {share}.",
    }

    order: int
    members: tuple[tuple[int, ...], ...]
    shares: Array
    variances: Array
    axes: tuple[Axis, ...]
    boxes: tuple[TreeBoxes, ...] = ()
    rows: Rows = "trees"
    anova: Anova | Best | None = None
    top: float | None = None
    within: float | None = None
    cap: float | None = None
    given: Mapping[str, list[Any]] = field(default_factory=dict)
    fidelity: float | None = None
    most_pairs: float = 1e8

    # ------------------------------------------------------------------ numbers

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def estimate(self) -> Array:
        """The share of each set: the mean over the functions or trees."""
        return np.asarray(self.shares.mean(axis=0))

    @property
    def normalized(self) -> Array:
        """The share of each set over that of all single hyperparameters together; 0 where none."""
        alone = self.estimate[: len(self.names)].sum()
        return np.asarray(
            self.estimate / alone
            if alone > 0.0
            else np.zeros_like(self.estimate)
        )

    @property
    def posterior(self) -> PosteriorDraws:
        """The shares in functions that the trials allow, by the label of the set."""
        if self.rows != "draws":
            return super().posterior
        return PosteriorDraws(tuple(self.labels), self.shares)

    def bounds(self, i: int) -> tuple[float, float] | None:
        """Return the 95 % interval of the share of a set; None for trees."""
        if self.rows == "trees":
            return None
        return self._interval(self.shares[:, i], len(self.members[i]))

    def _interval(self, share: Array, order: int) -> tuple[float, float]:
        """Return the 95 % interval of a share of one, or of a pair, by that in each draw."""
        stretch = self._stretch(order)
        if order == 2 and isinstance(self.anova, Anova):
            left_out = self.anova.left_out
            low, high = interval_beside(share, left_out, stretch=stretch)
        else:
            low, high = interval(share, stretch=stretch)
        return max(low, 0.0), min(high, 1.0)

    def _stretch(self, order: int) -> float:
        alone = "pair" if order == 2 else "share"
        return STRETCH[
            alone if self.top is None else "within" if self.within else "top"
        ]

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """The sets, by the names of their members."""
        return [self._named(u) for u in self.members]

    @property
    def labels(self) -> list[str]:
        """What the sets are called."""
        return [*map(SEPARATOR.join, self.sets)]

    @property
    def ends(self) -> Array:
        """The ends of each set's interval, (number of sets, 2); NaN for trees."""
        return np.array(
            [
                self.bounds(i) or (np.nan, np.nan)
                for i in range(len(self.members))
            ]
        )

    @property
    def with_interactions(self) -> Array:
        """What each hyperparameter takes part in, (number of sets,); NaN of sets of several.

        NaN of trees, too, unless `totals` were asked for before.
        """
        shares = np.full(len(self.members), np.nan)
        if self.known_totals is not None:
            in_all = self.known_totals.mean(axis=0)
            shares[: len(self.names)] = np.clip(in_all, 0.0, 1.0)
        return shares

    @property
    def ends_with(self) -> Array:
        """The ends of the intervals of these, (number of sets, 2)."""
        shares = np.full((len(self.members), 2), np.nan)
        if self.anova is not None:
            stretch = self._stretch(1)
            for j, total in enumerate(self.anova.totals.T):
                shares[j] = np.clip(interval(total, stretch=stretch), 0.0, 1.0)
        return shares

    @property
    def sizes(self) -> Array:
        """By what sets are in order, (number of sets,): with interactions where that is known."""
        whole = self.with_interactions
        return np.where(np.isnan(whole), self.estimate, whole)

    def by_size(self) -> Ints:
        """Return the sets in the order of what they explain, the largest first."""
        return np.argsort(-self.sizes, kind="stable")

    @property
    def importance(self) -> pd.DataFrame:
        """All sets by their label, as they stand in `members`: members, order, importance, ...

        The interval (`lower`, `upper`) of the importance is over functions that the trials allow,
        and NaN for trees; `std` is the standard deviation over the functions or trees. Importance
        is what a hyperparameter explains alone; `with_interactions`, with its interval
        `with_lower`, `with_upper`, all that it takes part in. Normalized are shares of what single
        hyperparameters explain together.
        """
        return self.to_frame().iloc[np.argsort(self.by_size())]

    def share(self, *names: str) -> float:
        """Return the share of a set of hyperparameters, beyond its subsets.

        Raises
        ------
        ValueError
            If a name is unknown, or the set is larger than `order`.
        """
        wanted = tuple(sorted({self._index(name) for name in names}))
        if wanted not in self.members or len(wanted) < len(names):
            raise InputError(
                "names",
                f"must be 1 to {self.order} different hyperparameters, but were "
                f"{', '.join(map(repr, names)) or 'none'}",
                names,
                ("For larger sets pass a larger ", Option("order"), "."),
            )
        return float(self.estimate[self.members.index(wanted)])

    @cached_property
    def totals(self) -> Array | None:
        """Share of everything in which a hyperparameter takes part, (number of trees or draws, d).

        Of trees it is computed when it is first asked for, from every pair of leaves, some 20 ns
        each; None where there are more than `most_pairs`. The plot marks totals that are known.
        """
        if self.anova is not None:
            return self.anova.totals
        if total_cost(self.boxes) > self.most_pairs:
            return None
        varying = [
            b
            for b, v in zip(self.boxes, self.variances, strict=True)
            if v > 0.0
        ]
        return total_shares(varying or self.boxes)

    @property
    def known_totals(self) -> Array | None:
        """`totals`, if they were asked for before; drawing does not compute them."""
        return (
            self.totals if self.anova is not None else vars(self).get("totals")
        )

    def total_effect(self, name: str) -> float:
        """Return the share of everything in which a hyperparameter takes part.

        Raises
        ------
        ValueError
            If the name is unknown, or there are more than `most_pairs` pairs of leaves.
        """
        j = self._index(name)
        if self.totals is None:
            pairs = f"{total_cost(self.boxes):.1e} pairs of leaves, more than {self.most_pairs:.1e}"
            raise InputError(
                "name",
                f"was {name!r}, but total effects need {pairs}",
                name,
                (
                    "Pass a larger ",
                    Option("most_pairs"),
                    " to the explainer, or take fewer trees.",
                ),
            )
        return float(self.totals[:, j].mean())

    @property
    def total_variance(self) -> float:
        """The mean variance of the trees or draws, in squared units of the objective."""
        return float(self.variances.mean())

    def components(self, values: Mapping[str, Any]) -> pd.DataFrame:
        """Return what values do alone and together, in the trees of a forest.

        Parameters
        ----------
        values : mapping of str to value
            A part θ_U of a configuration, in the user's units.

        Returns
        -------
        DataFrame
            A row for each set of them, the empty one first. `marginal` is the prediction at these
            values averaged over all others, `component` what of it is not that of smaller sets,
            `std` the standard deviation of the component over the trees. The components of all
            hyperparameters add up to the prediction.

        Raises
        ------
        ValueError
            If a name or value is unknown, more than 12 are named, or this is no decomposition of a
            forest's whole space.

        References
        ----------
        .. [1] Hutter, Hoos and Leyton-Brown (2014), Definitions 2 to 4.

        Examples
        --------
        >>> import hpo_explain as hx
        >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
        >>> X = space.sample(200, seed=1)
        >>> run = hx.Run(space, X, X[:, 0] + X[:, 1], "minimize")
        >>> found = hx.importance(run, kind="forest").components({"x": 0.9, "y": 0.1})
        >>> [*found.index], bool(found.component["x"] > 0.3 > found.component["x × y"])
        (['', 'x', 'y', 'x × y'], True)
        """
        import pandas as pd

        if not self.boxes or self.given:
            held = (
                f"those given {self.where_given}"
                if self.boxes
                else "functions, not trees"
            )
            problem = f"needs the trees of a forest over the whole space, but this has {held}"
            remedy = (
                "Take ",
                Option("kind", "forest"),
                ", and leave out ",
                Option("given"),
                ".",
            )
            raise InputError("values", problem, values, remedy)
        if len(values) > _MOST_VALUES:
            problem = f"must name at most {_MOST_VALUES} hyperparameters, but has {len(values)}"
            raise InputError("values", problem, values)
        members = sorted(
            self.names.index(
                check_name("values", name, self.names, "hyperparameter")
            )
            for name in values
        )
        point = {j: self._latent(j, values[self.names[j]]) for j in members}
        components = dict[tuple[int, ...], tuple[Array, Array]]()
        for size in range(len(members) + 1):
            for u in itertools.combinations(members, size):
                at = np.array([point[j] for j in u])
                whole = np.array([marginal_at(b, u, at) for b in self.boxes])
                smaller = [
                    components[w][1]
                    for k in range(size)
                    for w in itertools.combinations(u, k)
                ]
                components[u] = whole, whole - np.sum(smaller, axis=0)
        return pd.DataFrame(
            [
                (whole.mean(), own.mean(), own.std())
                for whole, own in components.values()
            ],
            index=[SEPARATOR.join(self._named(u)) for u in components],
            columns=["marginal", "component", "std"],
        )

    def _latent(self, j: int, value: Any) -> float:
        """Return where a value of a hyperparameter lies among its latent values."""
        parameter, axis = self.subject.space.parameters[j], self.axes[j]
        position = float(parameter.encode([value])[0])
        if parameter.size is not None and value in axis.grid:
            return float(axis.latent[axis.grid.index(value)])
        place = np.mean(parameter.latent_interval(position, position)) * (
            parameter.optional or 1.0
        )
        return min(float(place), 1.0 - 1e-12)

    def marginal(self, *names: str) -> Effect:
        """Return the marginal prediction of one or two hyperparameters.

        Raises
        ------
        ValueError
            If a name is unknown, there are not one or two different ones, or two are never active
            together.
        """
        members = [self._index(name) for name in names]
        if len(set(members)) != len(names) or len(names) not in (1, 2):
            problem = f"must be one or two different hyperparameters, but were {list(names)!r}"
            raise InputError("names", problem, names)
        never = (
            excluded_pair(self.subject.space, *members)
            if len(members) == 2
            else None
        )
        if never is not None:
            problem = f"must be active together somewhere, but {never}"
            raise InputError(
                "names", problem, names, "Ask for the marginal of one of them."
            )
        axes = [self.axes[j] for j in members]
        grid, draws = tuple(axis.grid for axis in axes), None
        subject = self.subject
        if self.top is not None:
            best = f"share among the best {percent(self.top)}"
            subject = replace(
                subject, objective_name=best, direction="maximize"
            )
        if self.anova is not None:
            draws = self._drawn_marginal(self.anova, members, grid)
            mean, std = draws.mean(axis=-1), draws.std(axis=-1)
        else:
            places = [axis.latent for axis in axes]
            values = np.stack(
                [marginal_prediction(b, members, places) for b in self.boxes]
            )
            mean, std = values.mean(axis=0), values.std(axis=0)
        return marginal_on(
            subject,
            names,
            grid,
            mean=mean,
            std=std,
            activity=tuple(axis.activity for axis in axes),
            rows=self.rows,
            given=self.given,
            draws=draws,
            notes=self.subject.notes,
        )

    def _drawn_marginal(
        self,
        anova: Anova | Best,
        members: Sequence[int],
        grid: tuple[tuple[Any, ...], ...],
    ) -> Array:
        """Return the marginal of each function in the user's units, the functions last."""
        parameters = self.subject.space.parameters
        at = [
            parameters[j].encode(values)
            for j, values in zip(members, grid, strict=True)
        ]
        if len(members) == 1:
            costs = anova.curve(members[0], at[0])
        else:
            costs = anova.surface(members[0], members[1], at[0], at[1])
        sign = (
            1.0
            if self.direction == "minimize" or self.top is not None
            else -1.0
        )
        return np.asarray(sign * np.moveaxis(costs, 0, -1))

    def unstable_neighbours(self) -> list[tuple[str, str]]:
        """Return neighbours in the ranking of single hyperparameters whose order is not stable.

        Not stable: more than a quarter of the trees or draws see it the other way round.
        """
        d = len(self.names)
        totals = self.known_totals
        each = self.shares[:, :d] if totals is None else totals
        ranking = np.argsort(-self.sizes[:d], kind="stable")
        return [
            (self.names[a], self.names[b])
            for a, b in itertools.pairwise(ranking)
            if (each[:, b] > each[:, a]).mean() > _UNSTABLE
        ]

    def _index(self, name: str) -> int:
        return self.names.index(
            check_name("name", name, self.names, "hyperparameter")
        )

    def _named(self, members: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.names[j] for j in members)

    # ------------------------------------------------------------------ what it says

    @property
    def where_given(self) -> str:
        """The sub-space in words; empty for the whole space."""
        return self.subject.sub_space(self.given)

    @property
    def matter(self) -> str:
        """What hyperparameters matter for, in words."""
        if self.top is None:
            return f"the {self.objective_name}"
        among = (
            ""
            if self.within is None
            else f" of the better {percent(self.within)}"
        )
        return f"being among the best {percent(self.top)}{among}"

    @property
    def _alone(self) -> Array:
        return np.asarray(self.shares[:, : len(self.names)].sum(axis=1))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What matters, the largest share first, which more, and what single ones explain.

        Their term says of what a share is: alone, with interactions, or an interaction.

        A hyperparameter matters if what it takes part in explains more than 2 % of what
        evaluations vary by, a pair interacts from 0.5 % on.
        """
        if self.total_variance == 0.0:
            claim = self.claim(
                "share",
                self.names,
                0.0,
                says="constant",
                certain=False,
                because=(_ALL_EQUAL(),),
            )
            return (replace(claim, side="below"),)
        ranking = self.by_size().tolist()
        named = worth_naming(ranking, self.sizes, _MOST_NAMED)
        if self.anova is None:
            return self._of_trees(named)
        return self._of_draws(self.anova, ranking, named)

    def _of_trees(self, named: Sequence[int]) -> tuple[Claim, ...]:
        """Return the largest shares of trees with their spread, of which none is certain."""
        where = f" given {self.where_given}" if self.given else ""
        by = f" (by {self.subject.model})" if self.subject.model else ""
        statements = [
            (
                self._named(self.members[i]),
                self.shares[:, i],
                "by trees",
                _term_of(self.members[i]),
            )
            for i in named
        ]
        if len(self.names) > 1:
            statements.append((self.names, self._alone, "mains", ALL))
        return tuple(
            self.claim(
                "share",
                names,
                float(share.mean()),
                says=says,
                certain=False,
                term=term,
                because=(_OVER_TREES(),),
                label=SEPARATOR.join(names),
                where=where,
                by=by,
                share=_told(
                    percent_sd(float(share.mean()), float(share.std())), term
                ),
            )
            for names, share, says, term in statements
        )

    def _of_draws(
        self, anova: Anova | Best, ranking: Sequence[int], named: Sequence[int]
    ) -> tuple[Claim, ...]:
        """Return what matters most, every share, and which of two neighbours matters more."""
        # of a part of the space draws are too certain
        shares = parts_of(
            anova, 1.0 if self.within is None else self._stretch(1)
        )
        matters = [decide(part, MATTERS, side="above") for part in shares.T]
        first, most = foremost(shares)
        is_clear = most.probability >= PROBABLE or any(
            one.certain for one in matters
        )
        claims = [self._most(anova, first, most, is_clear=is_clear)]
        for i in [*named, *(i for i in ranking if i not in named)]:
            members, share = self.members[i], self.shares[:, i]
            decision = matters[members[0]]
            if len(members) > 1:
                decision = decide(
                    share * anova.of_evaluations,
                    self._interacts,
                    side="above",
                )
            is_told = is_clear and i in named and decision.probability >= TOLD
            claims.append(
                self._share(
                    self._named(members),
                    share,
                    decision,
                    "shares" if is_told else "",
                    _term_of(members),
                )
            )
        claims += self._orders()
        if len(self.names) > 1:
            # where nothing matters for sure, shares are those of nothing
            decision = matters[int(shares.mean(axis=0).argmax())]
            claims.append(
                self._share(
                    self.names,
                    self._alone,
                    decision,
                    "mains" if is_clear else "",
                    ALL,
                )
            )
        return tuple(claims)

    @property
    def _interacts(self) -> float:
        """The share beyond which two interact.

        What the belief does not explain may lie in any pair, and does in some where there are as
        many pairs as trials: with 100 random trials in 12 dimensions, 4 of 66 pairs that do not
        interact were told with 2 % each while 6 % of the variance was not explained.
        """
        trust = self.subject.trust
        if trust is None or self.top is not None:
            return INTERACTS
        pairs = math.comb(len(self.names), 2)
        crowded = pairs / (pairs + trust.n_trials / 2.0)
        unexplained = min(1.0 - trust.r2, 1.0)
        return INTERACTS + unexplained * crowded

    def _most(
        self,
        anova: Anova | Best,
        j: int,
        decision: Decision,
        *,
        is_clear: bool,
    ) -> Claim:
        """Return which hyperparameter matters most, or that nothing is known to matter.

        By all that it takes part in: where a pair explains more than it does alone, that is named.
        """
        name, totals = self.names[j], anova.totals[:, j]
        claim = self._share((name,), totals, decision, "", WITH)
        pair = self._larger_pair(anova, j)
        because = (_IN_A_PAIR(names=[name, pair]),) if pair else ()
        claim = replace(
            claim, side="above" if is_clear else "below", because=because
        )
        frame, text = self.words(
            how_sure(claim),
            name=name,
            p=decision.probability,
            pair=f", mostly with {pair}" if pair else "",
        )
        return replace(claim, frame=frame, text=text)

    def _larger_pair(self, anova: Anova | Best, j: int) -> str:
        """Return with which other one it explains more than alone; empty where with none."""
        shares = anova.of_pairs.mean(axis=0).tolist()
        with_it = {
            share: pair
            for pair, share in zip(anova.pairs, shares, strict=True)
            if j in pair
        }
        largest = max(with_it, default=0.0)
        if largest <= float(anova.mains[:, j].mean()):
            return ""
        a, b = with_it[largest]
        return self.names[b if a == j else a]

    def _orders(self) -> Iterator[Claim]:
        """Return, for neighbours in the ranking of single hyperparameters, which matters more."""
        d = len(self.names)
        ranking = np.argsort(-self.estimate[:d], kind="stable")
        if (
            self.anova is None or self.within is not None
        ):  # of a part of the space: not right
            return
        for a, b in itertools.pairwise(ranking.tolist()):
            more = decide(self.shares[:, a] - self.shares[:, b], side="above")
            yield self.decided("order", self._named((a, b)), more, says="")

    @property
    def shares_of_sets(self) -> tuple[Claim, ...]:
        """The claims about the share of one set each."""
        return tuple(
            claim
            for claim in self.claims
            if claim.kind == "share" and claim.term in (ALONE, TOGETHER)
        )

    @property
    def interactions(self) -> tuple[Claim, ...]:
        """The claims about sets of several hyperparameters."""
        return tuple(
            claim
            for claim in self.shares_of_sets
            if len(claim.hyperparameters) > 1
        )

    def _share(
        self,
        names: tuple[str, ...],
        share: Array,
        decision: Decision,
        says: str,
        term: str = "",
    ) -> Claim:
        """Return a share in functions drawn, with what was decided about it."""
        if term == ALL:
            ends = interval(share, stretch=STRETCH["average"])
            low, high = np.clip(ends, 0.0, 1.0).tolist()
        else:
            low, high = self._interval(share, len(names))
        # shares of draws are estimates, whose sum may exceed the whole
        estimate = float(np.clip(share.mean(), 0.0, 1.0))
        shown = replace(
            decision,
            estimate=estimate,
            interval=(min(low, estimate), max(high, estimate)),
        )
        label = SEPARATOR.join(names)
        words = _told(percent_range(low, high), term)
        if term == ALONE:
            words += self._and_with_interactions(names[0], estimate)
        # of single hyperparameters together something else was decided
        unsettled = None
        if term != ALL:
            one = len(names) == 1  # matters by all that it takes part in
            unsettled = SHARE_NOT_SETTLED(
                label=f"{label} with its interactions" if one else label,
                threshold=decision.threshold,
                probability=decision.probability,
            )
        return self.decided(
            "share",
            names,
            shown,
            says=says,
            unsettled=unsettled,
            term=term,
            label=label,
            share=words,
        )

    def _and_with_interactions(self, name: str, alone: float) -> str:
        """Return the other share of a hyperparameter, where that is another one by a third."""
        j = self._index(name)
        whole = float(self.with_interactions[j])
        if not whole - alone > APART * whole or percent(whole) == percent(
            alone
        ):
            return ""
        low, high = self.ends_with[j].tolist()
        return f", {percent_range(low, high)} with its interactions"

    def _numbers(self) -> dict[str, Any]:
        totals = self.totals  # known from here on, also of trees
        whole, ends = self.with_interactions, self.ends_with
        return {
            "order": self.order,
            "importance": [
                {
                    "members": list(self._named(u)),
                    "importance": float(share),
                    "normalized": float(self.normalized[i]),
                    "interval": self.bounds(i),
                    **(
                        {}
                        if len(u) > 1 or np.isnan(whole[i])
                        else {
                            "with_interactions": float(whole[i]),
                            "interval_with_interactions": None
                            if self.rows == "trees"
                            else ends[i].tolist(),
                        }
                    ),
                    f"std_over_{self.rows}": float(self.shares[:, i].std()),
                }
                for i, (u, share) in enumerate(
                    zip(self.members, self.estimate, strict=True)
                )
            ],
            "total_effects": None
            if totals is None
            else dict(
                zip(self.names, totals.mean(axis=0).tolist(), strict=True)
            ),
            "activity": {
                name: axis.activity
                for name, axis in zip(self.names, self.axes, strict=True)
            },
            "total_variance": self.total_variance,
            "top": self.top,
            "within": self.within,
            "cap": self.cap,
            "given": self.given,
            "fidelity": self.fidelity,
        }


def _term_of(members: Sequence[int]) -> str:
    return ALONE if len(members) == 1 else TOGETHER


_SAID = {ALONE: " alone", TOGETHER: " by their interaction"}


def _told(share: str, term: str) -> str:
    """Return a share in words, with what it is of."""
    return f"{share}{_SAID.get(term, '')}"


def capped(cap: float, direction: Direction) -> str:
    """Return what is capped, in words."""
    side = "above" if direction == "minimize" else "below"
    return f"predictions {side} {cap:.6g} count as {cap:.6g}"
