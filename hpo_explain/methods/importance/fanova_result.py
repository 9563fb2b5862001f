"""What matters: the functional ANOVA of functions that the trials allow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import (
    Claim,
    Direction,
    InputError,
    Option,
    PosteriorDraws,
    Result,
    Table,
    check_name,
    fact,
    percent,
    worth_naming,
)
from hpo_explain.belief import STRETCH, interval
from hpo_explain.methods._engines.effect_kinds import MarginalEffect, on_axes
from hpo_explain.methods.importance.estimates import SEPARATOR
from hpo_explain.methods.importance.most import ALONE, TOGETHER
from hpo_explain.models._tree_boxes import excluded_pair
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd


_ALL_EQUAL = fact("all trials reached the same, which says little of what was not tried")
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
    shares : ndarray of shape (number of trees or draws, number of sets)
        Share of each set in the variance of each tree that is not constant (0 if all trees are),
        or of each function drawn.
    variances : ndarray of shape (number of trees or draws,)
        Their variance, in squared units of the objective.
    axes : tuple of Axis
        The hyperparameters' grids and activity.
    top, within : float or None
        In place of the objective, whether a configuration is among this best share of the space
        (of the configurations in a better share of it) is what the shares are of.
    cap : float or None
        The objective at which predictions were clipped on the worse side.
    given : mapping of str to list
        The sub-space to which the analysis is restricted; empty for the whole space.
    fidelity : float or None
        R² of the forest with the model it was distilled from; None for a forest itself.
    subject, notes
        As in every result.

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

    order: int
    members: tuple[tuple[int, ...], ...]
    shares: Array
    variances: Array
    axes: tuple[Axis, ...]
    top: float | None = None
    within: float | None = None
    cap: float | None = None
    given: Mapping[str, list[Any]] = field(default_factory=dict)
    fidelity: float | None = None

    rows: ClassVar[Rows]
    """What the shares are of."""

    # ------------------------------------------------------------------ of each kind

    @property
    @abstractmethod
    def functions(self) -> Array:
        """The shares in each function that the trials allow, (k, number of sets).

        Trees are not that: of a forest the mean over them is the only one.
        """

    @property
    @abstractmethod
    def mattering(self) -> Array:
        """What each takes part in, of what evaluations vary by, in each function, (k, d)."""

    @property
    @abstractmethod
    def known_totals(self) -> Array:
        """`totals`, as far as they are known without computing them; else NaN."""

    @property
    @abstractmethod
    def totals(self) -> Array:
        """Share of everything in which a hyperparameter takes part, (trees or draws, d)."""

    @abstractmethod
    def averaged(self, members: Sequence[int], grid: Sequence[tuple[Any, ...]]) -> Array:
        """Return the prediction in each tree or draw, averaged over all others, (..., k)."""

    @abstractmethod
    def _claims(self, ranking: list[int], named: list[int]) -> Iterator[Claim]:
        """Yield what matters: of all sets, the largest first, and of those that are told."""

    # ------------------------------------------------------------------ numbers

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def estimate(self) -> Array:
        """The share of each set: the mean over the functions or trees."""
        return self.shares.mean(axis=0)

    @property
    def normalized(self) -> Array:
        """The share of each set over that of all sets together; 0 where none."""
        together = self.estimate.sum()
        return self.estimate / together if together > 0.0 else np.zeros_like(self.estimate)

    @property
    def posterior(self) -> PosteriorDraws:
        """The shares in functions that the trials allow, by the label of the set."""
        return self.drawn(tuple(self.labels), self.functions)

    def bounds(self, i: int) -> tuple[float, float]:
        """Return the 95 % interval of the share of a set; NaN for trees."""
        return self.interval_of(self.functions[:, i], len(self.members[i]))

    def interval_of(self, share: Array, order: int) -> tuple[float, float]:
        """Return the 95 % interval of the share of so many hyperparameters in each function."""
        low, high = interval(share, stretch=self.stretch_of(order))
        return max(low, 0.0), min(high, 1.0)

    def stretch_of(self, order: int) -> float:
        """Return how far intervals of shares of so many are stretched."""
        alone = "pair" if order == 2 else "share"
        return STRETCH[alone if self.top is None else "within" if self.within else "top"]

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
        return np.array([self.bounds(i) for i in range(len(self.members))])

    @property
    def with_interactions(self) -> Array:
        """What each hyperparameter takes part in, (number of sets,); NaN of sets of several.

        NaN of trees, too, unless `totals` were asked for before.
        """
        shares = np.full(len(self.members), np.nan)
        in_all = self.known_totals.mean(axis=0)
        shares[: len(self.names)] = np.clip(in_all, 0.0, 1.0)
        return shares

    @property
    def ends_with(self) -> Array:
        """The ends of the intervals of these, (number of sets, 2); NaN for trees."""
        return np.full((len(self.members), 2), np.nan)

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
        `with_lower`, `with_upper`, all that it takes part in. Normalized are shares of what all
        that is listed explains together.
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

    def total_effect(self, name: str) -> float:
        """Return the share of everything in which a hyperparameter takes part.

        Raises
        ------
        ValueError
            If the name is unknown, or there are more than 1e8 pairs of leaves.
        """
        return float(self.totals[:, self._index(name)].mean())

    @property
    def total_variance(self) -> float:
        """The mean variance of the trees or draws, in squared units of the objective."""
        return float(self.variances.mean())

    def marginal(self, *names: str) -> MarginalEffect:
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
        never = excluded_pair(self.subject.space, *members) if len(members) == 2 else None
        if never is not None:
            problem = f"must be active together somewhere, but {never}"
            raise InputError("names", problem, names, "Ask for the marginal of one of them.")
        axes = [self.axes[j] for j in members]
        grid = tuple(axis.grid for axis in axes)
        subject = self.subject
        if self.top is not None:
            best = f"share among the best {percent(self.top)}"
            subject = replace(subject, objective_name=best, direction="maximize")
        draws = self.averaged(members, grid)
        mean = draws.mean(axis=-1)
        parameters = [subject.space.parameters[j] for j in members]
        positions = [p.encode(values) for p, values in zip(parameters, grid, strict=True)]
        return MarginalEffect(
            **on_axes(subject, members, positions, grid),
            mean=mean,
            std=draws.std(axis=-1),
            activity=tuple(axis.activity for axis in axes),
            rows=self.rows,
            given=self.given,
            draws=draws if len(self.functions) > 1 else mean[..., None],
            notes=self.subject.notes,
        )

    def _index(self, name: str) -> int:
        return self.names.index(check_name("name", name, self.names, "hyperparameter"))

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
        among = "" if self.within is None else f" of the better {percent(self.within)}"
        return f"being among the best {percent(self.top)}{among}"

    @property
    def alone(self) -> Array:
        """What all explain without any interaction, in each function or tree."""
        return self.shares[:, : len(self.names)].sum(axis=1)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What matters, the largest share first, which more, and what single ones explain.

        Their term says of what a share is: alone, with interactions, or an interaction.

        A hyperparameter matters if what it takes part in explains more than 2 % of what
        evaluations vary by, a pair interacts from 0.5 % on.
        """
        is_constant = self.total_variance == 0.0
        if is_constant or self.subject.too_few:
            text = self.subject.too_few
            if is_constant:
                text = f"The {self.what} is constant: no hyperparameter matters."
            because = (_ALL_EQUAL,) if is_constant else ()
            nothing = Claim("share", self.names, 0.0, text=text, certain=False, side="below")
            return (replace(nothing, because=because),)
        ranking = self.by_size().tolist()
        named = worth_naming(ranking, self.sizes)
        return tuple(self._claims(ranking, named))

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
        return tuple(claim for claim in self.shares_of_sets if len(claim.hyperparameters) > 1)

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
                    "interval": None if np.isnan(self.bounds(i)[0]) else self.bounds(i),
                    **(
                        {}
                        if len(u) > 1 or np.isnan(whole[i])
                        else {
                            "with_interactions": float(whole[i]),
                            "interval_with_interactions": None
                            if np.isnan(ends[i, 0])
                            else ends[i].tolist(),
                        }
                    ),
                    f"std_over_{self.rows}": float(self.shares[:, i].std()),
                }
                for i, (u, share) in enumerate(zip(self.members, self.estimate, strict=True))
            ],
            "total_effects": None
            if np.isnan(totals).any()
            else dict(zip(self.names, totals.mean(axis=0).tolist(), strict=True)),
            "activity": {
                name: axis.activity for name, axis in zip(self.names, self.axes, strict=True)
            },
            "total_variance": self.total_variance,
            "top": self.top,
            "within": self.within,
            "cap": self.cap,
            "given": self.given,
            "fidelity": self.fidelity,
        }


def term_of(members: Sequence[int]) -> str:
    """Return of what the share of a set is: alone, or together."""
    return ALONE if len(members) == 1 else TOGETHER


_SAID = {ALONE: " alone", TOGETHER: " by their interaction"}


def told(share: str, term: str) -> str:
    """Return a share in words, with what it is of."""
    return f"{share}{_SAID.get(term, '')}"


def capped(cap: float, direction: Direction) -> str:
    """Return what is capped, in words."""
    side = "above" if direction == "minimize" else "below"
    return f"predictions {side} {cap:.6g} count as {cap:.6g}"
