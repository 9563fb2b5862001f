"""The recommended search space: the smallest part that holds a configuration near the best.

How it is found is told in `hpo_explain.belief.narrowing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    Fact,
    InputError,
    Result,
    Subject,
    Table,
    attributes,
    check_number,
    fact,
    format_value,
    format_values,
    join_names,
    percent,
    values_in_words,
)
from hpo_explain.belief import Box, Decision
from hpo_explain.methods._engines.decision_words import few, part_of
from hpo_explain.question import RARELY_FEASIBLE, Explained, Question, explains
from hpo_explain.space import Parameter, SearchSpace

MOST_SURE = 0.99  # so many draws tell no larger probability
_PLAIN = (1e-4, 1e6)  # sizes that are written without an exponent
_NOTHING = "No value can be left out of the search."


@dataclass(frozen=True, eq=False)
class Kept:
    """The remaining values of one hyperparameter.

    Attributes
    ----------
    hyperparameter : str
        Its name.
    before, after : tuple
        Its values, in the user's units: ``(low, high)``, or the categories; `after` is empty where
        the hyperparameter is left out.
    share : float
        Share of its own measure that is kept.
    """

    hyperparameter: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    share: float = 1.0

    @classmethod
    def of(cls, whole: Parameter, part: Parameter | None, share: float) -> Kept:
        """Return what is kept of a hyperparameter; None where it is left out."""
        if part is None:
            return cls(whole.name, _values(whole), ())
        return cls(whole.name, _values(whole), _values(part), share if part != whole else 1.0)


def _values(parameter: Parameter) -> tuple[Any, ...]:
    if parameter.is_category:
        return tuple(parameter.choices)
    return parameter.low, parameter.high


def _rounded(end: float, apart: float, whole: float) -> float:
    """Return the end of a range to digits that tell it from the other.

    These are two, and four of the end of the whole range, unless that is a whole number.

    Examples
    --------
    >>> _rounded(0.31623, 0.316, 1.0), _rounded(0.99123, 0.004, 1.0), _rounded(1734, 1700, 1800)
    (0.32, 0.9912, 1734)
    >>> _rounded(3.9521007497672, 3.0, 3.9521007497672), _rounded(65536.0, 65000.0, 65536.0)
    (3.952, 65536.0)
    """
    if isinstance(end, (int, np.integer)) or not (end and apart) or end == whole == round(end):
        return end
    least = 4 if end == whole else 2
    places = np.floor(np.log10(abs(end))) - np.floor(np.log10(apart))
    return float(f"{end:.{min(max(int(places) + 2, least), 15)}g}")


def _plain(value: float) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> _plain(1e-5), _plain(1200.0), _plain(0.32), _plain(2.5e9), _plain(64)
    ('1e-5', '1200', '0.32', '2.5e9', '64')
    """
    if isinstance(value, (int, np.integer)):
        return str(value)
    if not value or _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return f"{value:.15g}"
    digits, exponent = f"{value:.14e}".split("e")
    return f"{float(digits):.15g}e{int(exponent)}"


def _written(name: str) -> Callable[[Recommendation], list[str]]:
    return lambda result: [
        result.text(row.hyperparameter, getattr(row, name)) for row in result.rows
    ]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recommendation(Result):
    """The smallest part of a search space that still holds a configuration near the best.

    Attributes
    ----------
    space : SearchSpace
        The recommended space, a part of the analysed one.
    rows : tuple of Kept
        One per hyperparameter of the analysed space.
    lose : float
        By how much the best that is left may be worse, in the objective's units; NaN where the
        model has no posterior.
    volume : float
        Share of the analysed space's measure that is left.
    loss : Decision, optional
        By how much the best that is left is worse, and how probable it is that this is allowed.
    doubts : tuple of Fact
        Why little is known of it: trust in the model is poor.
    subject, notes
        As in every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> result = hx.recommended_space(run)
    >>> [claim.hyperparameters for claim in result.claims], result.volume < 0.3
    ([('x',)], True)
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "before": _written("before"),
            "after": _written("after"),
            "kept": lambda result: [row.share for row in result.rows],
        },
        held=attributes(
            "lose",
            "volume",
            space=lambda result: [{"kind": type(p).__name__, **p.__dict__} for p in result.space],
            rows=lambda result: [row.__dict__ for row in result.rows],
        ),
    )
    space: SearchSpace
    rows: tuple[Kept, ...]
    lose: float
    volume: float
    loss: Decision | None = None
    doubts: tuple[Fact, ...] = ()

    @property
    def reliance(self) -> str:
        """Nothing more: the sentence says where trust is poor."""
        return "" if self.doubts and self.narrowed else super().reliance

    @property
    def names(self) -> list[str]:
        """The hyperparameters of the rows."""
        return [row.hyperparameter for row in self.rows]

    @property
    def narrowed(self) -> tuple[Kept, ...]:
        """The hyperparameters of which some values are given up."""
        return tuple(row for row in self.rows if row.share < 1.0)

    @property
    def kept(self) -> str:
        """What is kept of a few, those first of which least is left: "C 1 to 1000"."""
        rows = sorted(self.narrowed, key=lambda row: row.share)
        return few([f"{row.hyperparameter} {self.extent(row)}" for row in rows])

    @property
    def answer(self) -> str:
        """How much of the space is enough."""
        if not self.narrowed:
            return _NOTHING
        return f"The space {self.may} shrink to {part_of(self.volume)}."

    @property
    def may(self) -> str:
        """Whether it can shrink, or may, where little is known of the objective."""
        return "may" if self.doubts else "can"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What to keep of the narrowed hyperparameters, all at once: what that loses.

        Where none is narrowed, all is kept, and nothing is lost.
        """
        after_of = {row.hyperparameter: row.after for row in self.narrowed}
        if not after_of or self.loss is None:
            before = tuple(row.before for row in self.rows)
            return (Claim("keep", tuple(self.names), 0.0, text=_NOTHING, values=before),)
        near = f"whose {self.objective_name} is within {self.lose:.2g} of the best"
        return (
            self.loss.claim(
                "keep",
                tuple(after_of),
                text=f"The search space {self.may} shrink to {part_of(self.volume)}: "
                f"{self.kept}. {self._sure} it still holds a configuration {near}.",
                values=tuple(after_of.values()),
                because=self.doubts,
            ),
        )

    @property
    def _sure(self) -> str:
        """How sure it is that enough is left, if the model says how uncertain it is."""
        if self.loss is None or not self.loss.known:
            return "By the model's prediction"
        return f"{percent(min(self.loss.probability, MOST_SURE))} sure:"

    def to_optuna(self) -> dict[str, Any]:
        """Return Optuna's distributions of the recommended space: `SearchSpace.to_optuna`.

        Examples
        --------
        >>> import hpo_explain as hx
        >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
        >>> X = space.sample(60, seed=1)
        >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
        >>> hx.recommended_space(run).to_optuna()["x"].high < 1.0
        True
        """
        return self.space.to_optuna()

    def stretches(self, row: Kept) -> tuple[tuple[float, float], ...]:
        """Return what stays of a hyperparameter, between which shares of its own measure."""
        whole = self.subject.space[row.hyperparameter]
        if whole.is_category:
            codes = [whole.code(value) for value in row.after]
            return tuple((code / whole.size, (code + 1) / whole.size) for code in codes)
        if not row.after:
            return ()
        ends = whole.encode([*row.after])
        if whole.size is None:
            return ((float(ends[0]), float(ends[1])),)
        below, above = whole.share_below(np.array([ends[0] - 1e-7, ends[1] + 1e-7]))
        return ((float(below), float(above)),)

    def extent(self, row: Kept) -> str:
        """Return what is kept of a hyperparameter in a sentence: "1 to 1000", or "a or b"."""
        if not row.after:
            return "left out"
        if self.subject.space[row.hyperparameter].is_category:
            return " or ".join(format_values(row.after))
        apart = float(row.after[1]) - float(row.after[0])
        if not apart:
            return format_value(row.after[0])
        ends = zip(row.after, row.before, strict=True)
        return " to ".join(_plain(_rounded(end, apart, whole)) for end, whole in ends)

    def text(self, name: str, values: tuple[Any, ...]) -> str:
        """Return a range or categories in words: "[0.1, 1]" or "{a, b}"."""
        if not values:
            return ""
        words = values_in_words(values)
        categorical = self.subject.space[name].is_category
        return f"{{{words}}}" if categorical else f"[{words}]"


@explains(of="surrogate", without=("kind",))
def recommended_space(question: Question, lose: float | None = None) -> Recommendation:
    """Recommend the smallest part of the space that still holds a configuration near the best.

    Parameters
    ----------
    lose : float, optional
        How much worse the best remaining configuration may be, in the objective's units; by
        default `epsilon`, the smallest difference that counts.

    Returns
    -------
    Recommendation
        The space, the remaining values of each hyperparameter, and the possible loss.

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
    >>> found = hx.recommended_space(table, objective="loss", hyperparameters=["x", "y"])
    >>> found.space["x"].high < 0.7, found.volume < 0.7
    (True, True)
    """
    run = question.run
    run.check_differences()
    if lose is not None and check_number("lose", lose) <= 0.0:
        raise InputError("lose", f"must be positive, but was {lose!r}", lose)
    about = Explained.of(question.model, run.direction)
    subject = about.completed(question.subject())
    decision = question.decision
    if decision is None or decision.too_few:
        why = "the model has no joint posterior, so nothing is given up"
        if decision is not None:
            why = decision.too_few
        space = subject.space
        return Recommendation(
            subject=subject,
            space=space,
            rows=tuple(Kept.of(p, p, 1.0) for p in space),
            lose=np.nan,
            volume=1.0,
            notes=(fact(why.removesuffix(".")), *subject.notes),
        )
    box = decision.box if lose is None else decision.box_that_loses(lose)
    return recommendation(box, subject, decision.doubts)


def recommendation(box: Box, subject: Subject, doubts: tuple[Fact, ...] = ()) -> Recommendation:
    """Return a box in words.

    Parameters
    ----------
    box : Box
        What is left of the space.
    subject : Subject
        What is explained.
    doubts : tuple of Fact
        Why little is known of it.
    """
    left_out = box.never_active
    rows = [
        Kept.of(p, None if p.name in left_out else part, share)
        for p, part, share in zip(box.whole, box.parts, box.shares, strict=True)
    ]
    return Recommendation(
        subject=subject,
        space=box.space,
        rows=tuple(rows),
        lose=box.search.lose,
        volume=box.volume,
        loss=box.loss,
        doubts=doubts,
        notes=(*_notes(box), *subject.notes),
    )


def _notes(box: Box) -> Iterator[Fact]:
    """Return what has to be known of a box."""
    axes, untried = box.search.land.axes, box.search.untried
    for j, parameter in enumerate(box.whole):
        axis, stays = axes[j], untried[j] & box.levels[j]
        if not stays.any() or box.levels[j].all():
            continue
        if axis.category:
            where = f"in {{{values_in_words(parameter.decode(axis.centers[stays]))}}}"
        else:
            ends = np.array([axis.edges[stays, 0].min(), axis.edges[stays, 1].max()])
            where = "from {} to {}".format(*format_values(parameter.decode(ends)))
        text = f"kept because it has no trials: {parameter.name} {where}"
        yield fact(text, names=[parameter.name])
    unexplained = [p.name for p in box.whole if p.optional < 1.0]
    if unexplained:
        text = "not certain, because the conditions of these are unknown"
        yield fact(f"{text}: {join_names(unexplained)}", names=unexplained)
    if box.search.draws.rarely_feasible:
        yield RARELY_FEASIBLE
    if box.never_active:
        text = "excluded because never active in the recommended space"
        yield fact(f"{text}: {join_names(box.never_active)}", names=box.never_active)
