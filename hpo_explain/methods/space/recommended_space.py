"""The recommended search space: the smallest part that holds a configuration near the best.

How it is found is told in `narrowing`. What could only be active for values given up is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base.checks import check_direction, check_number, check_seed
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Direction
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.drawn import as_draws, usual_loss
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.methods._engines.chances import RARELY_FEASIBLE, Chances
from hpo_explain.methods.space.narrowing import (
    Levels,
    Narrowing,
    allowed,
    part_of,
)
from hpo_explain.methods.space.recommended_space_result import (
    NEVER_ACTIVE,
    UNEXPLAINED,
    UNTRIED_KEPT,
    Kept,
    Recommendation,
)
from hpo_explain.models.protocols import Surrogate
from hpo_explain.question.explained import Explained, accepted_surrogate
from hpo_explain.question.explains import Question, explains
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    Parameter,
    SearchSpace,
    lowest,
)

_NO_POSTERIOR = declared_fact(
    "no_posterior_to_draw",
    "the model has no joint posterior, so nothing is given up",
)


@explains(of="surrogate", without=("kind",))
def recommended_space(
    question: Question, lose: float | None = None
) -> Recommendation:
    """Recommend the smallest part of the space that still holds a configuration near the best.

    Parameters
    ----------
    lose : float, optional
        By how much the best that is left may be worse, in the objective's units; by default the
        noise of one evaluation, and at least 1 % of the way from the median to the best.

    Returns
    -------
    Recommendation
        The space, what of each hyperparameter is kept, and what that may lose.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or `lose` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(60), "y": rng.random(60)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> found = hx.recommended_space(table, objective="loss")
    >>> found.space["x"].high < 0.7, found.volume < 0.7
    (True, True)
    """
    run = question.run
    run.check_differences()
    model, subject = question.model, question.subject()
    feasibility = run.feasibility(seed=question.seed)
    draws = as_draws(
        accepted_surrogate(model),
        run.direction,
        feasibility=feasibility,
        seed=question.seed,
    )
    keep = None if draws is None else Chances(run, draws.at_best).kept
    explainer = RecommendedSpaceExplainer(
        model,
        lose=lose,
        subject=subject,
        feasibility=feasibility,
        keep=keep,
        tried=run.tried,
        seed=question.seed,
    )
    return explainer.explain()


class RecommendedSpaceExplainer:
    """Recommends the smallest part of a space that still holds a configuration near the best.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective; without a joint posterior nothing is given up.
    lose : float, optional
        By how much the best that is left may be worse, as of :func:`recommended_space`.
    direction : {"minimize", "maximize"}, default "minimize"
        Which way the objective is better; ignored where `subject` is given.
    subject : Subject, optional
        What is explained, such as ``Subject.of(run)``.
    feasibility : Feasibility, optional
        Where results come from, as by ``run.feasibility()``; a belief knows it by itself. What is
        rather infeasible counts for nothing.
    keep : ndarray of shape (d,), optional
        The encoded configuration that the space must hold; by default the tried one with the
        lowest expected cost.
    tried : ndarray of shape (n, d), optional
        Encoded rows of all trials, those without a result too; by default those that the draws
        were learned from. What nobody tried is not given up.
    fix : bool, default True
        Whether one level is left of what hardly matters; who searches on may not want that.
    seed : int, default 0
        Seed of the draws.

    Raises
    ------
    ValueError
        If `surrogate` is not a surrogate, `direction` is unknown, or `lose` is not positive.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> subject = hx.base.Subject.of(run)
    >>> narrower = RecommendedSpaceExplainer(run.belief(), subject=subject).explain()
    >>> narrower.space["x"].high < 0.6, narrower.volume < 0.3  # one level is enough of y
    (True, True)
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        lose: float | None = None,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        feasibility: Feasibility | None = None,
        keep: Array | None = None,
        tried: Array | None = None,
        fix: bool = True,
        seed: int = 0,
    ) -> None:
        direction = check_direction(
            subject.direction if subject else direction
        )
        self._subject = Explained.of(surrogate, direction).completed(subject)
        known = as_draws(
            accepted_surrogate(surrogate),
            direction,
            feasibility=feasibility,
            seed=check_seed(seed),
        )
        self._draws = None if known is None else known.at_best
        self._lose = None if lose is None else check_number("lose", lose)
        if self._lose is not None and self._lose <= 0.0:
            raise InputError(
                "lose", f"must be positive, but was {lose!r}", lose
            )
        self._keep, self._tried, self._fix = keep, tried, fix

    @shows_progress
    def explain(self) -> Recommendation:
        """Return the recommended space.

        Returns
        -------
        Recommendation
            A valid search space, what of each hyperparameter is kept, and what that may lose.
        """
        subject, space, draws = self._subject, self._subject.space, self._draws
        if draws is None:
            return Recommendation(
                subject=subject,
                space=space,
                rows=tuple(Kept.of(p, p, 1.0) for p in space),
                lose=np.nan,
                volume=1.0,
                notes=(_NO_POSTERIOR(), *subject.notes),
            )
        lose = usual_loss(draws) if self._lose is None else self._lose
        keep, tried = (
            self._keep,
            draws.X if self._tried is None else self._tried,
        )
        if keep is None and len(draws.X):
            keep = draws.X[lowest(draws.costs(draws.X).mean(axis=0))]
        search = Narrowing(draws, lose, keep=keep, tried=tried)
        kept, lost = search.found(fix=self._fix)
        narrower = [part_of(draws, kept, j) for j in range(len(space))]
        possible, dropped = still_possible(narrower)
        loss, notes = allowed(lost, lose), [*_untried(search, kept)]
        unexplained = [p.name for p in space if p.optional is not None]
        if unexplained:
            loss = replace(loss, certain=False)
            notes.append(UNEXPLAINED(names=unexplained))
        if draws.rarely_feasible:
            notes.append(RARELY_FEASIBLE())
        if dropped:
            notes.append(NEVER_ACTIVE(names=dropped))
        return Recommendation(
            subject=subject,
            space=SearchSpace(possible),
            rows=tuple(
                Kept.of(
                    p,
                    None if p.name in dropped else part,
                    float(axis.weights[of].sum()),
                )
                for p, part, of, axis in zip(
                    space, narrower, kept, draws.landscape.axes, strict=True
                )
            ),
            lose=lose,
            volume=search.volume(kept),
            loss=loss,
            notes=(*notes, *subject.notes),
        )


def _untried(search: Narrowing, kept: Levels) -> Iterator[Fact]:
    """Return what is kept of each hyperparameter because nobody tried it."""
    for j, (axis, levels) in enumerate(
        zip(search.land.axes, search.untried, strict=True)
    ):
        stays, parameter = levels & kept[j], search.draws.space.parameters[j]
        if not stays.any() or kept[j].all():
            continue
        if axis.category:
            values = tuple(parameter.decode(axis.centers[stays]))
        else:
            ends = np.array(
                [axis.edges[stays, 0].min(), axis.edges[stays, 1].max()]
            )
            values = tuple(parameter.decode(ends))
        yield UNTRIED_KEPT(
            names=[parameter.name], values=values, category=axis.category
        )


def still_possible(
    parameters: Sequence[Parameter],
) -> tuple[list[Parameter], list[str]]:
    """Return hyperparameters whose conditions can be met, and the names of the others."""
    left = list(parameters)
    while True:
        values = {p.name: p for p in left}
        checked = [_conditions_within(p, values) for p in left]
        found = [p for p in checked if p is not None]
        if len(found) == len(left):
            names = {p.name for p in found}
            return found, [p.name for p in parameters if p.name not in names]
        left = found


def _conditions_within(
    parameter: Parameter, parents: Mapping[str, Parameter]
) -> Parameter | None:
    """Return a hyperparameter whose conditions name possible values only; None if there are none.

    A condition that is always met is kept: it says the same, and the space stays recognizable.
    """
    conditions = {}
    for name, values in (parameter.active_when or {}).items():
        possible = [
            v for v in values if name in parents and _has(parents[name], v)
        ]
        if not possible:
            return None
        conditions[name] = possible
    return (
        replace(parameter, active_when=conditions) if conditions else parameter
    )


def _has(parameter: Parameter, value: Any) -> bool:
    if isinstance(parameter, CategoricalParameter):
        return parameter.has(value)
    return bool(parameter.low <= value <= parameter.high)
