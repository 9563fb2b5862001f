"""Points of scikit-optimize that a person sees, with their reasons, before they are evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from skopt import Optimizer

from hpo_explain.adapters._reviewing import Decision, Review, Reviewer
from hpo_explain.adapters.skopt._dimensions import encode_points, read_dimensions, read_space
from hpo_explain.adapters.skopt._reviews import REVIEWS
from hpo_explain.adapters.skopt.result import from_skopt
from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import fact
from hpo_explain.explainers.proposal import ProposalExplainer
from hpo_explain.explanations.proposal import ProposalExplanation


def review(
    optimizer: Optimizer,
    reviewer: Review,
    *,
    names: Sequence[str] | None = None,
    max_refusals: int = 3,
    timeout: float | None = None,
    explainer: ProposalExplainer | None = None,
) -> list[Any]:
    """Ask an optimizer for the next point, and let a person or a rule see why before it is told.

    In place of ``optimizer.ask()``; an optimizer whose reviews accept every point does the same as
    one without. Points of the initial design are not reviewed. What was decided is in
    ``optimizer.specs``, which results keep, and in :attr:`Run.reviewed`.

    Parameters
    ----------
    optimizer : skopt.Optimizer
        The optimizer.
    reviewer : callable
        Function of a `ProposalExplanation` that returns None to accept the point, a dict with
        other values for some dimensions, or "refuse": then the next point of a batch is proposed
        (``ask(n_points=...)``). Where it raises, takes too long, or answers what cannot be done,
        the point is accepted, and that is logged to the logger ``hpo_explain``.
    names : sequence of str, optional
        Names of the dimensions, as in :func:`from_skopt`.
    max_refusals : int, default 3
        How many points in a row may be refused; the next one is returned.
    timeout : float, optional
        Seconds after which the reviewer is not waited for. By default it is waited for.
    explainer : ProposalExplainer, optional
        How points are explained; by default as by :func:`explain_proposal`.

    Returns
    -------
    list
        The point to evaluate and tell.

    Raises
    ------
    InputError
        If an argument is not as described.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F., et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. arXiv:2403.04629.

    Examples
    --------
    >>> from skopt import Optimizer
    >>> from hpo_explain.adapters.skopt import review
    >>> optimizer = Optimizer([(0.0, 1.0, "uniform")], n_initial_points=3, random_state=0)
    >>> for _ in range(4):
    ...     point = review(optimizer, lambda explanation: {"x0": 0.25})
    ...     result = optimizer.tell(point, (point[0] - 0.3) ** 2)
    >>> point
    [0.25]
    """
    if not isinstance(optimizer, Optimizer):
        problem = f"must be a skopt.Optimizer, but was {type(optimizer).__name__}"
        raise InputError("optimizer", problem, optimizer)
    space, _ = read_space(read_dimensions(optimizer), names)
    asking = Reviewer(reviewer, max_refusals=max_refusals, timeout=timeout)
    number = len(optimizer.Xi)
    first = optimizer.ask()
    tries = _Tries(
        optimizer,
        names,
        space.names,
        max_refusals,
        ProposalExplainer(precision=0.01) if explainer is None else explainer,
        first,
    )
    decided = asking.decide(tries.next, number)
    if decided is None:
        return list(first)
    point, decision = decided
    optimizer.specs.setdefault(REVIEWS, {})[number] = decision.as_record()
    return _evaluated(point, decision)


def _evaluated(point: _Point, decision: Decision) -> list[Any]:
    return [decision.values.get(name, value) for name, value in point.config.items()]


@dataclass(eq=False)
class _Tries:
    """The points of an optimizer: the next one, and then those of a batch."""

    optimizer: Optimizer
    given: Sequence[str] | None
    names: Sequence[str]
    max_refusals: int
    explainer: ProposalExplainer
    first: Sequence[Any]
    count: int = 0

    def next(self) -> _Point:
        """Return the next point."""
        values = self.first
        if self.count:
            values = self.optimizer.ask(n_points=self.max_refusals + 1)[self.count]
        self.count += 1
        return _Point(dict(zip(self.names, values, strict=True)), self)

    def explained(self, values: Sequence[Any]) -> ProposalExplanation:
        """Explain a point that was asked for."""
        run = from_skopt(self.optimizer, names=self.given)
        row = encode_points(run.space, [values])[0][0]
        for number, asked in run.without_result.items():
            if asked.proposed and np.array_equal(asked.x, row):
                return self.explainer.explain(run, number)
        raise NothingToExplain(fact("no_proposals", names=[run.optimizer], finished=len(run)))


@dataclass(frozen=True, eq=False)
class _Point:
    """A point, by the names of its dimensions."""

    config: Mapping[str, Any]
    tries: _Tries

    def explanation(self) -> ProposalExplanation:
        """Return why it is proposed."""
        return self.tries.explained([*self.config.values()])

    def fitting(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return other values as skopt is told them."""
        found = {}
        of_name = dict(zip(self.config, self.tries.optimizer.space.dimensions, strict=True))
        for name, value in values.items():
            check_name("reviewer", name, of_name, "dimension")
            if not _contains(of_name[name], value):
                problem = f"answered {name} = {value!r}, which is not in {of_name[name]}"
                raise InputError("reviewer", problem, value, "Answer a value of its range.")
            found[name] = value
        return found


def _contains(dimension: Any, value: Any) -> bool:
    try:
        return bool(value in dimension)
    except (TypeError, ValueError):
        return False
