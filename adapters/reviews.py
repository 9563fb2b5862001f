"""Reviews of proposals, for `ReviewedSampler` and skopt's `review`: a rule, and a person."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from hpo_explain.adapters._reviewing import REFUSE, Answer, Review
from hpo_explain.base.checks import check_name, check_number
from hpo_explain.base.errors import InputError
from hpo_explain.base.width import columns
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.space import CategoricalParameter, Parameter
from hpo_explain.wording.numbers import signed
from hpo_explain.wording.proposal import value as value_in_words

__all__ = ["AgreesWith", "Answer", "Review", "ask_in_terminal"]

Belief: TypeAlias = Mapping[str, float] | Callable[[ProposalExplanation], Mapping[str, float]]
"""How much hyperparameters contribute, in any unit, or a function that returns it."""


@dataclass(frozen=True, eq=False)
class AgreesWith:
    """Accepts a proposal whose contributions stand in the ratios that a person believes in.

    Two hyperparameters contradict the belief where the ratio of their contributions differs from
    the person's by a factor of more than `tolerance`, or has another sign.

    Parameters
    ----------
    belief : mapping of str to float, or callable
        The person's contributions, of which only the ratios count, or a function of the
        explanation that returns them. At least two; hyperparameters that are inactive in a
        proposal are passed over.
    tolerance : float, default 2.0
        The factor.
    term : str, default "total"
        The contributions compared: those to the whole acquisition function, or to one term of it,
        such as "mean".
    otherwise : "refuse" or callable, default "refuse"
        What a contradicted proposal is answered, or a function of the explanation that returns it:
        a dict of other values for some hyperparameters.

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
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> from hpo_explain.adapters import AgreesWith
    >>> table = pd.DataFrame({
    ...     "x": [0.1, 0.9, 0.5, 0.3, 0.2, 0.15], "y": [0.5, 0.1, 0.9, 0.2, 0.7, 0.4],
    ...     "loss": [1.0, 9.0, 5.0, 3.0, 2.0, 1.5],
    ... })
    >>> explanation = hx.explain_proposal(table, 5, objective="loss", background=50)
    >>> AgreesWith({"x": 1.0, "y": 20.0}, term="mean")(explanation)
    'refuse'
    """

    belief: Belief
    tolerance: float = 2.0
    term: str = "total"
    otherwise: Answer | Review = REFUSE

    def __post_init__(self) -> None:
        if not check_number("tolerance", self.tolerance) >= 1.0:
            problem = f"must be a factor of at least 1, but was {self.tolerance!r}"
            raise InputError("tolerance", problem, self.tolerance)
        if isinstance(self.belief, Mapping):
            _believed(self.belief)
        elif not callable(self.belief):
            problem = f"must be a mapping of hyperparameters to numbers, but was {self.belief!r}"
            raise InputError("belief", problem, self.belief, "Or a function that returns one.")

    def __call__(self, explanation: ProposalExplanation) -> Answer:
        """Return None where the explanation agrees with the belief."""
        if not self.contradictions(explanation):
            return None
        return self.otherwise(explanation) if callable(self.otherwise) else self.otherwise

    def contradictions(self, explanation: ProposalExplanation) -> tuple[tuple[str, str], ...]:
        """Return the pairs of hyperparameters whose contributions contradict the belief.

        Parameters
        ----------
        explanation : ProposalExplanation
            Why a configuration is proposed.

        Returns
        -------
        tuple of (str, str)
            The pairs.

        Raises
        ------
        InputError
            If the belief is about an unknown hyperparameter, or the acquisition function has no
            such term.
        """
        given = self.belief(explanation) if callable(self.belief) else self.belief
        belief = _believed(given)
        check_name("term", self.term, ("total", *explanation.terms), "term")
        for name in belief:
            check_name("belief", name, explanation.names, "hyperparameter")
        column = explanation.contributions[self.term]
        known = [name for name in belief if name in explanation.config]
        return tuple(
            (one, other)
            for one, other in combinations(known, 2)
            # a/b against p/q, without dividing by what may be 0
            if self._differ(float(column[one]) * belief[other], float(column[other]) * belief[one])
        )

    def _differ(self, one: float, other: float) -> bool:
        if one == other:
            return False
        low, high = sorted((abs(one), abs(other)))
        return one * other <= 0.0 or high > self.tolerance * low


def _believed(belief: Mapping[str, float]) -> dict[str, float]:
    if len(belief) < 2:
        problem = f"must be about at least two hyperparameters, but was {belief!r}"
        raise InputError("belief", problem, belief, "Only the ratios of contributions count.")
    return {name: check_number(f"belief of {name}", value) for name, value in belief.items()}


# ---------------------------------------------------------------------- a person at a terminal

_WIDTH = 30  # columns of the longest bar
_MOST = 12  # hyperparameters shown
_PROMPT = "Enter accepts, r refuses, name=value, ... changes: "


def ask_in_terminal(explanation: ProposalExplanation) -> Answer:
    """Show a person why a configuration is proposed, and ask what to do.

    An empty line accepts the proposal, "r" refuses it, "lr=0.01, depth=4" sets values; what cannot
    be read is asked again. Trials run in the thread that asks, so give no `timeout`.

    Parameters
    ----------
    explanation : ProposalExplanation
        Why it is proposed.

    Returns
    -------
    None, dict or "refuse"
        The answer.

    Raises
    ------
    EOFError
        If nobody can be asked, as the standard input is closed.

    Examples
    --------
    >>> from hpo_explain.adapters.optuna import ReviewedSampler
    >>> from hpo_explain.adapters import ask_in_terminal
    >>> import optuna
    >>> sampler = ReviewedSampler(optuna.samplers.TPESampler(), ask_in_terminal)
    """
    _show(f"\n{explanation.sentence}\n\n{_bars(explanation)}\n")
    while True:
        line = input(_PROMPT).strip()
        if not line:
            return None
        if line.lower() in ("r", REFUSE):
            return REFUSE
        try:
            return _read(line, explanation)
        except ValueError as error:
            _show(f"{error}\n")


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _bars(explanation: ProposalExplanation) -> str:
    """Return a line per hyperparameter, the largest contribution first: right is desirable."""
    order = [j for j in explanation.order().tolist() if explanation.active[j]][:_MOST]
    total = explanation.total
    scale = max((abs(float(total[j])) for j in order), default=0.0) or 1.0
    texts = [f"{explanation.names[j]} = {value_in_words(explanation, j)}" for j in order]
    numbers = [signed(float(total[j]), scale) for j in order]
    wide = max(map(columns, texts), default=0)
    digits = max(map(len, numbers), default=0)
    lines = [
        f"  {text}{' ' * (wide - columns(text))}  {number:>{digits}}  {_bar(total[j] / scale)}"
        for j, text, number in zip(order, texts, numbers, strict=True)
    ]
    return "\n".join(lines) + "\n"


def _bar(share: float) -> str:
    return ("█" if share > 0.0 else "░") * round(_WIDTH * abs(share))


def _read(line: str, explanation: ProposalExplanation) -> dict[str, Any]:
    """Return "lr=0.01, depth=4" as values.

    Raises
    ------
    ValueError
        If it does not say this, or a value is not among those it may have.
    """
    space, values = explanation.subject.space, {}
    for part in line.split(","):
        name, equals, text = part.partition("=")
        if not equals:
            raise InputError("answer", f"{part.strip()!r} does not say name=value", line)
        name = name.strip()
        check_name("answer", name, space.names, "hyperparameter")
        values[name] = _as_value(space[name], text.strip())
    return values


def _as_value(parameter: Parameter, text: str) -> Any:
    if isinstance(parameter, CategoricalParameter):
        named = [choice for choice in parameter.choices if str(choice) == text]
        if len(named) != 1:
            choices = ", ".join(map(str, parameter.choices))
            raise InputError(parameter.name, f"must be one of {choices}, but was {text!r}", text)
        return named[0]
    number = float(text)
    value = int(number) if isinstance(parameter.low, int) and number.is_integer() else number
    parameter.encode([value])
    return value
