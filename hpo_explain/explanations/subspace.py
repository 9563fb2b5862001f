"""The hyperparameters that capture most of what can be gained (Hutter et al. 2014, Section 4.4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain._checks import check_number
from hpo_explain.explanations._format import join_words, plain_json
from hpo_explain.explanations._result import Shown
from hpo_explain.space import Array, SearchSpace
from hpo_explain.surrogates import TreeBoxes
from hpo_explain.surrogates._threads import n_threads
from hpo_explain.surrogates.box_sums import (
    closed_variance,
    main_steps,
    mean_and_variance,
    pair_variances,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_SETS = 20_000  # of one size: beyond, they are not looked at one by one
_MOST_BOXES = 2e6  # in all exact evaluations of sets, one by one: some seconds
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Subspace(Shown):
    """The smallest set of hyperparameters that explains a share of the variance.

    What a set explains is everything its members do alone and with each other: the variance of the
    forest's prediction averaged over all other hyperparameters. Optimizing these only, with the
    others at the values of the incumbent, keeps most of what can still be gained.

    Attributes
    ----------
    names : tuple of str
        The set, in the order in which its members add most.
    share : float
        The share that was asked for.
    explained, std : ndarray of shape (len(names),)
        Share explained by the first, by the first two, and so on, with all their interactions:
        mean and standard deviation over the trees that are not constant.
    fixed : dict
        Values of all other hyperparameters, from the incumbent, in the user's units; ready for
        ``optuna.samplers.PartialFixedSampler``.
    exhaustive : bool
        Whether every smaller set is known to explain less; otherwise the set was grown greedily.
    notes : tuple of str
        What was assumed.
    whole : bool
        Whether the set is all hyperparameters, so that no other one can stay fixed.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 4.4.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xyz"])
    >>> X = space.sample(200, seed=1)
    >>> run = hx.Run(space, X, X[:, 0] * X[:, 2], "minimize")
    >>> subspace = hx.importance(run).subspace(share=0.9)
    >>> sorted(subspace.names), list(subspace.fixed)
    (['x', 'z'], ['y'])
    """

    names: tuple[str, ...]
    share: float
    explained: Array
    std: Array
    fixed: dict[str, Any]
    exhaustive: bool
    notes: tuple[str, ...] = ()
    whole: bool = False

    @property
    def sentence(self) -> str:
        """One sentence that names the set and what it explains."""
        if not self.names:
            return "The prediction is constant: no hyperparameter matters."
        one, count = len(self.names) == 1, len(self.fixed)
        together = "" if one else ", interactions among them included"
        fixed = f"; {count} other{'' if count == 1 else 's'} can stay fixed" if count else ""
        if self.whole:
            fixed = "; no hyperparameter can stay fixed"
        return (
            f"{join_words(list(self.names))} explain{'s' if one else ''} {self.explained[-1]:.0%} "
            f"± {self.std[-1]:.0%} (std over trees) of the variance{together}{fixed}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: hyperparameter, share explained so far, its std over trees."""
        import pandas as pd

        return pd.DataFrame(
            {"hyperparameter": self.names, "explained": self.explained, "std": self.std}
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share explained by step; return the axes."""
        from hpo_explain.plotting.subspace import plot_subspace

        return plot_subspace(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "names": list(self.names),
            "share": self.share,
            "explained": self.explained.tolist(),
            "std_over_trees": self.std.tolist(),
            "fixed": plain_json(self.fixed),
            "exhaustive": self.exhaustive,
            "whole": self.whole,
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def important_subspace(
    space: SearchSpace,
    boxes: Sequence[TreeBoxes],
    incumbent: dict[str, Any],
    share: float,
) -> Subspace:
    """Return the smallest set of hyperparameters that explains a share of the variance.

    Sets are looked at by size, every one that can reach the share by exact upper bounds; where
    they are too many the set grows by the hyperparameter whose main and pair effects add most.

    Parameters
    ----------
    space : SearchSpace
        The space.
    boxes : sequence of TreeBoxes
        The trees.
    incumbent : dict
        Configuration that gives the fixed values; empty if there is none.
    share : float
        Share in (0, 1].

    Returns
    -------
    Subspace
        The set.

    Raises
    ------
    ValueError
        If `share` is not in (0, 1].
    """
    wanted = check_number("share", share)
    if not 0.0 < wanted <= 1.0:
        raise ValueError(f"share must be above 0 and at most 1, but was {share!r}.")
    varied = [b for b in boxes if mean_and_variance(b)[1] > 0.0]
    if not varied:
        none = np.empty(0)
        return Subspace(
            (), wanted, none, none, dict(incumbent), True, ("the prediction is constant",)
        )
    shares = _ClosedShares(varied)
    found = _by_size(shares, wanted)
    chosen = _greedy(shares, wanted) if found is None else found
    notes = [] if found else ["grown greedily by main and pair effects: too many sets to look at"]
    chosen, added = _with_parents(space, chosen, incumbent)
    if added:
        notes.append(
            f"{join_words(added)} added: active where the incumbent is not, what depends on it"
            " could not be optimized otherwise"
        )
    steps = _in_order(shares, chosen)
    values = np.array([shares.of(steps[: k + 1]) for k in range(len(steps))])
    names = tuple(space.names[j] for j in steps)
    others = [name for name in space.names if name not in names]
    if incumbent:
        inactive = [name for name in others if name not in incumbent]
        if inactive:
            notes.append(f"not fixed, because inactive in the incumbent: {join_words(inactive)}")
    else:
        notes.append("nothing is fixed: no incumbent is known")
    return Subspace(
        names=names,
        share=wanted,
        explained=values.mean(axis=1),
        std=values.std(axis=1),
        fixed={name: incumbent[name] for name in others if name in incumbent},
        exhaustive=found is not None,
        notes=tuple(notes),
        whole=not others,
    )


class _ClosedShares:
    """Var E[f | u_U] / V for sets U, tree by tree: sums of V_W where U is small, else exact."""

    def __init__(self, boxes: list[TreeBoxes]) -> None:
        self._boxes = boxes
        self.d = len(boxes[0].first) - 1
        self._whole = np.array([mean_and_variance(b)[1] for b in boxes])
        with ThreadPoolExecutor(max_workers=n_threads()) as pool:
            mains = np.array(list(pool.map(lambda b: main_steps(b)[1], boxes)))
            pairs = np.array(list(pool.map(pair_variances, boxes)))
        self.mains = mains / self._whole[:, None]
        self.pairs = (pairs + pairs.transpose(0, 2, 1)) / self._whole[:, None, None]
        self.n_boxes = sum(len(b.value) for b in boxes)
        self._known: dict[frozenset[int], Array] = {}

    def of(self, members: Sequence[int]) -> Array:
        """Return the share of each tree, (number of trees,)."""
        key = frozenset(members)
        if len(key) == self.d:
            return np.ones(len(self._boxes))
        if len(key) <= 2:
            return self.low_order(members)
        if key not in self._known:
            with ThreadPoolExecutor(max_workers=n_threads()) as pool:
                found = pool.map(lambda b: closed_variance(b, sorted(key)), self._boxes)
                self._known[key] = np.array(list(found)) / self._whole
        return self._known[key]

    def low_order(self, members: Sequence[int]) -> Array:
        """Return the share of main and pair effects alone."""
        u = np.array(sorted(members), dtype=np.int64)
        pairs = self.pairs[:, u[:, None], u[None, :]].sum(axis=(1, 2)) / 2.0
        return np.asarray(self.mains[:, u].sum(axis=1) + pairs)


def _by_size(shares: _ClosedShares, wanted: float) -> list[int] | None:
    """Return the smallest set that explains enough (of several the best), None if too costly."""
    d = shares.d
    mains, pairs = shares.mains.mean(axis=0), shares.pairs.mean(axis=0)
    # what is left when j is out is at most 1 - V_j - all its pairs: such a j must be in
    lost = mains + pairs.sum(axis=0)
    forced = [j for j in range(d) if 1.0 - lost[j] < wanted - _ROUNDING]
    free = [j for j in range(d) if j not in forced]
    spent = 0
    for size in range(max(1, len(forced)), d + 1):
        if math.comb(len(free), size - len(forced)) > _MOST_SETS:
            return None
        best, best_share = None, wanted - _ROUNDING
        for more in itertools.combinations(free, size - len(forced)):
            out = [j for j in free if j not in more]
            # no set explains more than 1 minus the effects that its outsiders take part in
            bound = 1.0 - lost[out].sum() + pairs[np.ix_(out, out)].sum() / 2.0
            if bound < best_share:
                continue
            if size > 2 and size < d:
                spent += shares.n_boxes
                if spent > _MOST_BOXES:
                    return None
            members = sorted([*forced, *more])
            explained = float(shares.of(members).mean())
            if explained >= best_share:
                best, best_share = members, explained
        if best is not None:
            return best
    return list(range(d))


def _greedy(shares: _ClosedShares, wanted: float) -> list[int]:
    chosen: list[int] = []
    while True:
        rest = [j for j in range(shares.d) if j not in chosen]
        chosen.append(max(rest, key=lambda j: float(shares.low_order([*chosen, j]).mean())))
        if float(shares.of(chosen).mean()) >= wanted - _ROUNDING:
            return chosen


def _in_order(shares: _ClosedShares, members: list[int]) -> list[int]:
    """Return a set in the order in which main and pair effects add most."""
    steps: list[int] = []
    while len(steps) < len(members):
        rest = [j for j in members if j not in steps]
        steps.append(max(rest, key=lambda j: float(shares.low_order([*steps, j]).mean())))
    return steps


def _with_parents(
    space: SearchSpace, members: list[int], incumbent: dict[str, Any]
) -> tuple[list[int], list[str]]:
    """Add the parents of what is inactive in the incumbent; return the set and their names."""
    chosen = list(members)
    for j in reversed(space.parents_first):
        if j in chosen and incumbent and space.names[j] not in incumbent:
            chosen += [p for p, _ in space.conditions[j] if p not in chosen]
    added = [space.names[j] for j in chosen if j not in members]
    return chosen, added
