"""What matters: the functional ANOVA of a forest, or of functions drawn from a posterior.

A forest's boxes stay in the result as plain arrays, so that the marginal of any pair is an exact
integral whenever it is asked for; those of all pairs would take d²/2 tables of 1,600 numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.claim import NOTHING, between, worth_naming
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import percent, percent_range
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import join_words
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.text import declared_fact, reservation
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.models._tree_boxes import excluded_pair
from hpo_explain.models.box_sums import marginal_prediction, total_cost, total_shares
from hpo_explain.models.protocols import TreeBoxes
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from hpo_explain.methods.effects.effect_result import Effect
    from hpo_explain.models.anova import KernelSums

SEPARATOR = " × "
_MOST_NAMED = 3
_MOST_DIFFERENT = 3
_UNSTABLE = 0.25  # share of the trees or draws that may see two neighbours the other way round

_OTHER_MODEL = declared_fact(
    "other_model", "{names} predicts held-out trials about as well", role="said"
)
_DIFFER = declared_fact("models_differ", "the two models disagree")
_NO_INTERVAL = declared_fact("no_interval_of_shares", "the shares have no interval", role="said")
_NOTHING = declared_fact(
    "share_may_be_nothing", "{which} may explain next to nothing", role="said",
    which=lambda told: SEPARATOR.join(told.names),
)  # fmt: skip

Rows = Literal["trees", "draws"]
"""What the shares are of: the trees of a forest, or functions drawn from a posterior."""


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


@dataclass(frozen=True, eq=False)
class ShareIntervals:
    """Shares without the noise, with 95 % intervals.

    Attributes
    ----------
    importance, lower, upper : ndarray of shape (number of sets,)
        The share of each set and its interval.
    mains : tuple of float
        Share of all single hyperparameters together, and its interval.
    """

    importance: Array
    lower: Array
    upper: Array
    mains: tuple[float, float, float]


@dataclass(frozen=True)
class ModelDifference:
    """A hyperparameter whose share another model sees beyond both intervals.

    Attributes
    ----------
    name : str
        The hyperparameter.
    model : str
        The other model's label, as in "a forest".
    importance, lower, upper : float
        Its share of the variance by the other model, and the interval.
    """

    name: str
    model: str
    importance: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FanovaImportance(Result):
    """Shares of the variance of the objective, for sets of hyperparameters.

    The share of a set is what it explains, over the search space's own measure, beyond its
    subsets. Standard deviations are over the forest's trees, or over functions drawn from the
    posterior; only `lower` and `upper` are an interval.

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
    intervals : ShareIntervals or None
        Shares corrected for noise, with their intervals over trials (of a forest) or draws; None
        for a forest as it is.
    functions : KernelSums or None
        The functions drawn; None for trees.
    drawn_totals : ndarray of shape (number of draws, d) or None
        Total effects of draws; None for trees.
    differences : tuple of ModelDifference
        Where a model of similar skill disagrees.
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
    >>> result.names, result.order, result.share("x")
    (('x',), 1, 1.0)
    """

    scope: ClassVar[Scope] = "everywhere"
    table: ClassVar[Table] = Table(columns={})
    says: ClassVar[Mapping[str, str]] = {
        "constant": "The {found.what} is constant: no hyperparameter matters.",
        "differ": "Two models disagree: {model} predicts held-out trials about as well, but sees "
        "other shares of {each}. | {name} ({there} there, {here} here)",
        "share": "What the {found.objective_name} depends on most{where}{by}: {each} of its "
        "variance. | {label} ({share})",
        "mains": "Single hyperparameters explain {share} together.",
    }

    order: int
    members: tuple[tuple[int, ...], ...]
    shares: Array
    variances: Array
    axes: tuple[Axis, ...]
    boxes: tuple[TreeBoxes, ...] = ()
    rows: Rows = "trees"
    intervals: ShareIntervals | None = None
    functions: KernelSums | None = None
    drawn_totals: Array | None = None
    differences: tuple[ModelDifference, ...] = ()
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
        """The share of each set, corrected for noise where `intervals` are known."""
        if self.intervals is None:
            return np.asarray(self.shares.mean(axis=0))
        return self.intervals.importance

    @property
    def posterior(self) -> PosteriorDraws:
        """The shares of functions drawn from the posterior, by the label of the set."""
        if self.rows != "draws":
            return super().posterior
        labels = [SEPARATOR.join(self.names[j] for j in u) for u in self.members]
        return PosteriorDraws(tuple(labels), self.shares)

    def bounds(self, i: int) -> tuple[float, float] | None:
        """Return the interval of the share of a set, if it is known."""
        if self.intervals is None:
            return None
        return float(self.intervals.lower[i]), float(self.intervals.upper[i])

    @property
    def importance(self) -> pd.DataFrame:
        """All sets by their label: members, order, importance, its interval, and std.

        The interval (`lower`, `upper`) is over trials or draws, NaN where it is not known; `std` is
        the standard deviation over the trees or draws.
        """
        import pandas as pd

        members = [self._named(u) for u in self.members]
        return pd.DataFrame(
            {
                "members": members,
                "order": [len(u) for u in self.members],
                "importance": self.estimate,
                "lower": np.nan if self.intervals is None else self.intervals.lower,
                "upper": np.nan if self.intervals is None else self.intervals.upper,
                "std": self.shares.std(axis=0),
            },
            index=pd.Index(map(SEPARATOR.join, members), name="hyperparameters"),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return `importance`, the largest first."""
        return self.importance.sort_values("importance", ascending=False, kind="stable")

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
        if self.drawn_totals is not None:
            return self.drawn_totals
        if total_cost(self.boxes) > self.most_pairs:
            return None
        varying = [b for b, v in zip(self.boxes, self.variances, strict=True) if v > 0.0]
        return total_shares(varying or self.boxes)

    @property
    def known_totals(self) -> Array | None:
        """`totals`, if they were asked for before; drawing does not compute them."""
        return self.drawn_totals if self.rows == "draws" else vars(self).get("totals")

    def estimated_totals(self, totals: Array) -> Array:
        """Return the means of `totals`, each at least what the hyperparameter explains alone. (d,).

        The totals of trees hold the noise that `estimate` is corrected for; what takes part in
        everything cannot explain less than by itself.
        """
        return np.asarray(np.maximum(totals.mean(axis=0), self.estimate[: len(self.names)]))

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
                ("Pass a larger ", Option("most_pairs"), " to the explainer, or take fewer trees."),
            )
        return float(self.estimated_totals(self.totals)[j])

    @property
    def total_variance(self) -> float:
        """The mean variance of the trees or draws, in squared units of the objective."""
        return float(self.variances.mean())

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
        never = excluded_pair(self.subject.space, *members) if len(members) == 2 else None
        if never is not None:
            problem = f"must be active together somewhere, but {never}"
            raise InputError("names", problem, names, "Ask for the marginal of one of them.")
        axes = [self.axes[j] for j in members]
        if self.functions is not None:
            grid, drawn = self._drawn_marginal(self.functions, members)
            mean, std = drawn.mean(axis=-1), drawn.std(axis=-1)
        else:
            drawn = None
            places = [axis.latent for axis in axes]
            values = np.stack([marginal_prediction(b, members, places) for b in self.boxes])
            grid = tuple(axis.grid for axis in axes)
            mean, std = values.mean(axis=0), values.std(axis=0)
        from hpo_explain.methods.effects.partial_dependence import marginal_on

        return marginal_on(
            self.subject,
            names,
            grid,
            mean=mean,
            std=std,
            activity=tuple(axis.activity for axis in axes),
            rows=self.rows,
            given=self.given,
            drawn=drawn,
            notes=self.subject.notes,
        )

    def _drawn_marginal(
        self, functions: KernelSums, members: Sequence[int]
    ) -> tuple[tuple[tuple[Any, ...], ...], Array]:
        """Return the grid and the marginal of each function drawn."""
        curve = functions.marginal(tuple(sorted(members)))
        parameters = self.subject.space.parameters
        grid = tuple(
            tuple(parameters[j].decode(at))
            for j, at in zip(sorted(members), curve.positions, strict=True)
        )
        if list(members) == sorted(members):
            return grid, curve.drawn
        return grid[::-1], curve.drawn.swapaxes(0, 1)

    def unstable_neighbours(self) -> list[tuple[str, str]]:
        """Return neighbours in the ranking of single hyperparameters whose order is not stable.

        Not stable: more than a quarter of the trees or draws see it the other way round.
        """
        d = len(self.names)
        mains = self.shares[:, :d]
        ranking = np.argsort(-self.estimate[:d], kind="stable")
        return [
            (self.names[a], self.names[b])
            for a, b in itertools.pairwise(ranking)
            if (mains[:, b] > mains[:, a]).mean() > _UNSTABLE
        ]

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
    def claims(self) -> tuple[Claim, ...]:
        """Where models differ, what matters most, and what single hyperparameters explain."""
        if self.total_variance == 0.0:
            doubts = self._doubts(())
            return (self.told("no_effect", self.names, 0.0, says="constant", certain=not doubts,
                              because=doubts),)  # fmt: skip
        where = f" given {self.where_given}" if self.given else ""
        by = f" (by {self.subject.model})" if self.subject.model else ""
        claims = [self._differing(i, other) for i, other in enumerate(self.differences)]
        estimate, std = self.estimate, self.shares.std(axis=0)
        ranking = np.argsort(-estimate, kind="stable")
        for i in worth_naming(ranking.tolist(), estimate, _MOST_NAMED):
            names = self._named(self.members[i])
            bounds = self.bounds(i)
            doubts = self._doubts(names)
            if bounds is not None and bounds[0] < NOTHING:
                doubts = (*doubts, _NOTHING(names=names))
            interval = bounds or between(float(estimate[i]), float(std[i]))
            claims.append(
                self.told(
                    "importance" if len(names) == 1 else "interaction", names, float(estimate[i]),
                    interval, says="share", certain=not doubts, because=doubts,
                    label=SEPARATOR.join(names), where=where, by=by,
                    share=self._share(float(estimate[i]), interval),
                )
            )  # fmt: skip
        return (*claims, *self._mains())

    def _differing(self, i: int, other: ModelDifference) -> Claim:
        own = self.bounds(self.names.index(other.name))
        return self.told(
            "models_differ", (other.name,), other.importance, (other.lower, other.upper),
            says="differ" if i < _MOST_DIFFERENT else "", certain=False,
            because=(_OTHER_MODEL(names=[other.model]),), name=other.name, model=other.model,
            there=self._share(other.importance, (other.lower, other.upper)),
            here=percent_range(*own) if own else "",
        )  # fmt: skip

    def _share(self, share: float, interval: tuple[float, float] | None) -> str:
        """Return a share in words: the ends of its interval, or with its std over trees."""
        if interval is None:
            return percent(share)
        if self.intervals is None:
            return percent(share, (interval[1] - interval[0]) / 2.0)
        return percent_range(*interval)

    @property
    def disagreement(self) -> str:
        """Where another model of similar skill disagrees, in words; empty where none does."""
        told = [c for c in self.claims if c.kind == "models_differ" and c.text]
        return told[0].frame.replace("{each}", join_words([c.text for c in told])) if told else ""

    @property
    def caution(self) -> str:
        """Why not all of the shares are certain, in a sentence; empty where they are."""
        claims = [c for c in self.claims if c.kind != "models_differ"]
        reasons = [reason for claim in claims for reason in claim.because]
        barely = [name for r in reasons if r.kind == "range_partly_tried" for name in r.names]
        reasons = [reason for reason in reasons if reason.kind != "range_partly_tried"]
        if barely:
            reasons.append(fact("range_partly_tried", names=[*dict.fromkeys(barely)]))
        text = reservation(reasons)
        some = any(claim.certain for claim in claims)
        return text.replace("Not certain", "Not all of this is certain", 1) if some else text

    def _mains(self) -> tuple[Claim, ...]:
        if len(self.names) == 1:
            return ()
        doubts = self._doubts(self.names)
        if self.intervals is None:
            mains = self.shares[:, : len(self.names)].sum(axis=1)
            whole, interval = float(mains.mean()), between(float(mains.mean()), float(mains.std()))
        else:
            whole, *ends = self.intervals.mains
            interval = (ends[0], ends[1])
        return (
            self.told("mains", self.names, whole, interval, says="mains", certain=not doubts,
                      because=doubts, share=self._share(whole, interval)),
        )  # fmt: skip

    def _doubts(self, names: Sequence[str]) -> tuple[Fact, ...]:
        """Return why what is said of some hyperparameters is not certain; empty where it is."""
        doubts = []
        if self.intervals is None:
            doubts.append(_NO_INTERVAL())
        doubts += self.subject.doubts(self.scope)
        doubts += self.subject.partly_tried(names)
        if not {other.name for other in self.differences}.isdisjoint(names):
            doubts.append(_DIFFER())
        return tuple(doubts)

    def compared(self, other: FanovaImportance) -> FanovaImportance:
        """Return the result with the differences from another model's, beyond both intervals.

        Parameters
        ----------
        other : FanovaImportance
            The same analysis of the same trials by another model; only shares of single
            hyperparameters count. Without intervals nothing differs.
        """
        if self.intervals is None or other.intervals is None:
            return self
        mine, theirs = self.intervals, other.intervals
        found = [
            ModelDifference(
                name,
                other.subject.model,
                float(theirs.importance[j]),
                float(theirs.lower[j]),
                float(theirs.upper[j]),
            )
            for j, name in enumerate(self.names)
            if max(theirs.lower[j] - mine.upper[j], mine.lower[j] - theirs.upper[j]) > NOTHING
        ]
        return replace(self, differences=tuple(found))

    def plot_interactions(self, ax: Axes | None = None, *, width: float | None = None) -> Any:
        """Draw the shares of all pairs as a matrix of colors; return the axes.

        Parameters
        ----------
        ax, width
            As of :meth:`plot`.

        Raises
        ------
        ValueError
            If there are no pairs, because `order` is 1.
        """
        return self.plot(ax, view="interactions", width=width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "order": self.order,
            "importance": [
                {
                    "members": list(self._named(u)),
                    "importance": float(self.estimate[i]),
                    "interval": self.bounds(i),
                    f"std_over_{self.rows}": float(self.shares[:, i].std()),
                }
                for i, u in enumerate(self.members)
            ],
            "total_effects": None
            if self.totals is None
            else dict(zip(self.names, self.estimated_totals(self.totals).tolist(), strict=True)),
            "activity": {
                name: axis.activity for name, axis in zip(self.names, self.axes, strict=True)
            },
            "total_variance": self.total_variance,
            "cap": self.cap,
            "given": self.given,
            "fidelity": self.fidelity,
        }


def capped(cap: float, direction: Direction) -> str:
    """Return what is capped, in words."""
    side = "above" if direction == "minimize" else "below"
    return f"predictions {side} {cap:.6g} count as {cap:.6g}"
