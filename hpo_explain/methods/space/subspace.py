"""The hyperparameters that capture most of what can be gained (Hutter et al. 2014, Section 4.4).

Sets are looked at by size, every one that can reach the share by exact upper bounds. Where they
are too many, the set grows by the hyperparameter whose main and pair effects add most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import (
    ROUNDING_OF_SUMS,
    Direction,
    Fact,
    InputError,
    Subject,
    check_number,
    check_seed,
    declared_fact,
    shows_progress,
    steps,
)
from hpo_explain.belief import Decision, allowed, as_draws, usual_loss
from hpo_explain.belief.stay_fixed import stay_fixed
from hpo_explain.methods.importance._latent_forest import LatentForest
from hpo_explain.methods.importance.importance import Cap, cap_of, capped_at
from hpo_explain.methods.space.subspace_result import Subspace
from hpo_explain.models import Surrogate, TreeBoxes
from hpo_explain.models._threads import in_parts
from hpo_explain.models.box_sums import (
    closed_variance,
    main_steps,
    mean_and_variance,
    pair_variances,
    total_variances,
)
from hpo_explain.question import Question, accepted_surrogate, explains
from hpo_explain.space import Array

MOST_SETS = 20_000  # of one size: beyond, they are not looked at one by one
_MOST_BOXES = 2e6  # in all exact evaluations of sets, one by one: some seconds


_BEST = declared_fact(
    "cap_is_the_best", "not capped: too many trials reach the best objective"
)
_GREEDY = declared_fact(
    "set_grown_greedily",
    "the set was grown greedily by main and pair effects, because there are too many sets to "
    "compare",
)
_PARENTS = declared_fact(
    "parents_added",
    "{names} added: hyperparameters that are inactive in the incumbent depend on it",
)
_INACTIVE = declared_fact(
    "inactive_not_fixed",
    "not fixed, because inactive in the incumbent: {names}",
)
_NO_INCUMBENT = declared_fact(
    "nothing_fixed", "nothing is fixed: no incumbent is known"
)


@explains(of="surrogate")
def subspace(
    question: Question,
    share: float = 0.9,
    *,
    n_trees: int = 64,
    cap: Cap = "25%",
    given: Mapping[str, Sequence[Any]] | None = None,
) -> Subspace:
    """Find the hyperparameters that matter among the good configurations, and what can stay fixed.

    Parameters
    ----------
    share : float, default 0.9
        Share of the variance, in (0, 1], that the set explains alone: its main effects and all
        interactions among its members.
    n_trees, given
        As in :func:`importance`.
    cap : float, str, dict or None, default "25%"
        As in :func:`importance`: shares of what varies among the good configurations. None for
        those of the whole space; so are those of a run in which too many trials tie as the best.

    Returns
    -------
    Subspace
        The set, and in `fixed` what can certainly stay at the incumbent's values.

    Raises
    ------
    ValueError
        If `share` is not in (0, 1], fewer than two trials are finished, `cap` is outside the
        observed objective, or `given` leaves nothing.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 4.4.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(50), "y": rng.random(50)})
    >>> table["loss"] = table.x
    >>> hx.methods.subspace(table, objective="loss").names
    ('x',)
    """
    run, model, seed = question.run, question.model, question.seed
    about = Subject.of(run)
    if (
        cap == "25%"
        and len(run)
        and np.quantile(run.cost, 0.25) <= run.cost.min()
    ):
        cap, about = None, replace(about, notes=(_BEST(), *about.notes))
    if run.model is not None and question.kind == "auto":
        bound = None if cap is None else cap_of(run, run.model, cap)
        own = SubspaceExplainer(
            model, subject=about, n_trees=n_trees, seed=seed
        )
        return own.explain(share, cap=bound, given=given)
    capped, about, bound = capped_at(run, about, n_trees, seed, cap)
    forest = capped.surrogate(kind="forest", n_trees=n_trees, seed=seed)
    explainer = SubspaceExplainer(
        forest, model=model, subject=about, seed=seed
    )
    return explainer.explain(share, cap=bound, given=given)


class SubspaceExplainer:
    """Finds the smallest set of hyperparameters that explains a share of the variance.

    Parameters
    ----------
    forest, direction, n_trees, seed
        As of :class:`FanovaExplainer`.
    model : Surrogate, optional
        The model by which it is judged what can stay fixed, one with a joint posterior such as
        ``run.belief()``; by default `forest`, which has none.
    subject : Subject, optional
        What is explained, such as ``Subject.of(run)``; what can stay fixed is judged at its
        incumbent.

    Raises
    ------
    ValueError
        If `forest` is not a surrogate, or `direction` is unknown.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 4.4.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xyz"])
    >>> X = space.sample(200, seed=1)
    >>> forest = hx.models.ForestSurrogate.fit(space, X, X[:, 0] * X[:, 2])
    >>> sorted(SubspaceExplainer(forest).explain(0.9).names)
    ['x', 'z']
    """

    def __init__(
        self,
        forest: Surrogate,
        *,
        model: Surrogate | None = None,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        n_trees: int = 64,
        seed: int = 0,
    ) -> None:
        self._forest = LatentForest.of(
            forest,
            direction=direction,
            subject=subject,
            n_trees=n_trees,
            seed=seed,
        )
        self._model = accepted_surrogate(
            forest if model is None else model, "model"
        )
        self._seed = check_seed(seed)

    @shows_progress
    def explain(
        self,
        share: float = 0.9,
        *,
        cap: float | None = None,
        given: Mapping[str, Sequence[Any]] | None = None,
    ) -> Subspace:
        """Return the set, and what can certainly stay at the incumbent's values.

        Parameters
        ----------
        share : float, default 0.9
            Share of the variance, in (0, 1], that the set explains alone: its main effects and all
            interactions among its members.
        cap, given
            As in :meth:`FanovaExplainer.explain`.

        Returns
        -------
        Subspace
            The set.

        Raises
        ------
        ValueError
            If `share` is not in (0, 1], or as in :meth:`FanovaExplainer.explain`.
        """
        wanted = check_number("share", share)
        if not 0.0 < wanted <= 1.0:
            problem = f"must be above 0 and at most 1, but was {share!r}"
            raise InputError("share", problem, share)
        forest = self._forest.within(cap, given)
        incumbent = forest.subject.incumbent
        varied = [b for b in forest.boxes if mean_and_variance(b)[1] > 0.0]
        if not varied:
            none = np.empty(0)
            return Subspace(
                subject=forest.subject,
                names=(),
                share=wanted,
                explained=none,
                std=none,
                fixed={},
                exhaustive=True,
                notes=forest.notes,
            )
        shares = _ClosedShares(varied)
        subset = _by_size(shares, wanted)
        chosen = _greedy(shares, wanted) if subset is None else subset
        members = _with_parents(forest.subject, chosen)
        steps = _in_order(shares, members)
        values = np.array(
            [shares.of(steps[: k + 1]) for k in range(len(steps))]
        )
        names = tuple(forest.space.names[j] for j in steps)
        others = [name for name in forest.space.names if name not in names]
        own: list[Fact] = [] if subset else [_GREEDY()]
        if len(members) > len(chosen):
            own.append(
                _PARENTS(
                    names=[
                        forest.space.names[j] for j in members[len(chosen) :]
                    ]
                )
            )
        inactive = [name for name in others if name not in incumbent]
        if not incumbent:
            own.append(_NO_INCUMBENT())
        elif inactive:
            own.append(_INACTIVE(names=inactive))
        fixed, loss, lose = self._fixed(forest, members)
        return Subspace(
            subject=forest.subject,
            names=names,
            share=wanted,
            explained=values.mean(axis=1),
            std=values.std(axis=1),
            fixed={name: incumbent[name] for name in fixed},
            exhaustive=subset is not None,
            loss=loss,
            lose=lose,
            notes=(*own, *forest.notes),
        )

    def _fixed(
        self, forest: LatentForest, members: Sequence[int]
    ) -> tuple[list[str], Decision | None, float]:
        """Return what can stay fixed, what that loses, and what it may; None if it is not told.

        Of what is not in the set: the same cannot matter most and stay as it is.
        """
        subject = forest.subject
        of_model = as_draws(self._model, subject.direction, seed=self._seed)
        if not subject.incumbent or forest.given or of_model is None:
            return [], None, np.nan
        draws = of_model.at_best
        lose = usual_loss(draws)
        others = [j for j in range(len(subject.space)) if j not in members]
        incumbent = subject.space.encode(subject.incumbent)[0]
        columns, loss = stay_fixed(draws, incumbent, lose, among=others)
        return [subject.names[j] for j in columns], allowed(loss, lose), lose


class _ClosedShares:
    """Var E[f | u_U] / V for sets U, tree by tree: sums of V_W where U is small, else exact."""

    def __init__(self, boxes: list[TreeBoxes]) -> None:
        self._boxes = boxes
        self.d = len(boxes[0].first) - 1
        self._whole = np.array([mean_and_variance(b)[1] for b in boxes])
        self.n_boxes = sum(len(b.value) for b in boxes)
        sums = in_parts(
            lambda part: [
                (main_steps(b)[1], pair_variances(b), total_variances(b))
                for b in boxes[part]
            ],
            len(boxes),
            self.n_boxes,
        )
        mains, pairs, totals = (
            np.array(column) for column in zip(*sums, strict=True)
        )
        self.totals = totals / self._whole[:, None]
        self.mains = mains / self._whole[:, None]
        self.pairs = (pairs + pairs.transpose(0, 2, 1)) / self._whole[
            :, None, None
        ]
        self._known: dict[frozenset[int], Array] = {}

    def of(self, members: Sequence[int]) -> Array:
        """Return the share of each tree, (number of trees,)."""
        key = frozenset(members)
        if len(key) == self.d:
            return np.ones(len(self._boxes))
        if len(key) <= 2:
            return self.low_order(members)
        if key not in self._known:
            variances = in_parts(
                lambda part: [
                    closed_variance([b], sorted(key))
                    for b in self._boxes[part]
                ],
                len(self._boxes),
                self.n_boxes,
            )
            self._known[key] = np.array(variances) / self._whole
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
    # what is left when j is out is 1 minus all effects it takes part in: such a j must be in
    totals = shares.totals.mean(axis=0)
    forced = [
        j for j in range(d) if 1.0 - totals[j] < wanted - ROUNDING_OF_SUMS
    ]
    lost = mains + pairs.sum(axis=0)
    higher = totals - lost  # effects of three and more that it takes part in
    free = [j for j in range(d) if j not in forced]
    spent = 0
    for size in range(max(1, len(forced)), d + 1):
        if math.comb(len(free), size - len(forced)) > MOST_SETS:
            return None
        best, best_share = None, wanted - ROUNDING_OF_SUMS
        sets = itertools.combinations(free, size - len(forced))
        for more in steps(
            sets, "sets", math.comb(len(free), size - len(forced))
        ):
            out = [j for j in free if j not in more]
            # no set explains more than 1 minus the effects that its outsiders take part in
            low_order = lost[out].sum() - pairs[np.ix_(out, out)].sum() / 2.0
            bound = 1.0 - low_order - higher[out].max(initial=0.0)
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
        chosen.append(_adds_most(shares, chosen, range(shares.d)))
        if float(shares.of(chosen).mean()) >= wanted - ROUNDING_OF_SUMS:
            return chosen


def _in_order(shares: _ClosedShares, members: list[int]) -> list[int]:
    """Return a set in the order in which main and pair effects add most."""
    steps: list[int] = []
    while len(steps) < len(members):
        steps.append(_adds_most(shares, steps, members))
    return steps


def _adds_most(
    shares: _ClosedShares, chosen: list[int], among: Sequence[int]
) -> int:
    """Return the hyperparameter whose main and pair effects add most to a set."""
    rest = [j for j in among if j not in chosen]
    return max(
        rest, key=lambda j: float(shares.low_order([*chosen, j]).mean())
    )


def _with_parents(subject: Subject, members: list[int]) -> list[int]:
    """Return a set, and after it the parents of what is inactive in the incumbent."""
    space, chosen = subject.space, list(members)
    for j in reversed(space.parents_first):
        if (
            j in chosen
            and subject.incumbent
            and space.names[j] not in subject.incumbent
        ):
            chosen += [p for p, _ in space.conditions[j] if p not in chosen]
    return chosen
