"""Claims: what a result says, as data before it is a sentence.

================  ============================================================================
kind              what it says
================  ============================================================================
share             the hyperparameters (one, a pair, all) explain this share of the variance
difference        the objective (or what is compared) differs by this much
contribution      the value contributes this much to a prediction or an acquisition
best              the values are the best ones, or hold them; or the best that was found
keep              nothing more than allowed is lost by keeping to the values (one value: fixed)
order             these come in this order
spread            one evaluation scatters by this standard deviation
tried             so much was tried, or found among what was tried
form              the shape of what is shown
action            this is to be done next (`term` says what kind of action); it gains so much
================  ============================================================================
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

from hpo_explain.base.checks import check_estimate
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import format_value, percent, plus_minus
from hpo_explain.base.phrases import capitalized, chained, join_words, joined
from hpo_explain.space import Array

NOTHING = 0.005  # of the whole: written as a percentage, nothing is left of that, nor of less

Kind = Literal[
    "share",
    "difference",
    "contribution",
    "best",
    "order",
    "spread",
    "tried",
    "form",
    "keep",
    "action",
]


@dataclass(frozen=True)
class Claim:
    """One thing that a result says.

    An estimate lies in its interval, a probability between 0 and 1.

    Attributes
    ----------
    kind : str
        What it says; see the table above.
    hyperparameters : tuple of str
        What it is about.
    values : tuple
        The value of each hyperparameter, where it is about values; a range is a pair, and
        several ranges are a tuple of pairs.
    estimate : float
        The number it rests on: a contribution, a share, a gain; NaN where there is none.
    interval : tuple of (float, float) or None
        The estimate's interval, where one is known.
    probability : float
        How probable it is, for all that the trials allow; NaN where that is not asked.
    certain : bool
        Whether it may be stated without a reservation.
    side : {"above", "below"}
        On which side of a threshold the number lies: "below" is that there is nothing of the kind.
    because : tuple of Fact
        What it rests on, or why it is not certain.
    term : str
        The term of the acquisition function that it is about; empty for none.
    text, frame : str
        Its words; of several claims in a row with the same frame they fill it together.

    Examples
    --------
    >>> Claim("share", ("lr",), estimate=0.8, interval=(0.7, 0.9)).certain
    True
    """

    kind: Kind
    hyperparameters: tuple[str, ...] = ()
    estimate: float = math.nan
    interval: tuple[float, float] | None = None
    _: KW_ONLY
    values: tuple[Any, ...] = ()
    certain: bool = True
    probability: float = math.nan
    side: Literal["above", "below"] = "above"
    because: tuple[Fact, ...] = ()
    term: str = ""
    text: str = field(default="", compare=False)
    frame: str = field(default="{each}", compare=False)

    def __post_init__(self) -> None:
        check_estimate(self.estimate, self.interval)
        check_estimate(self.probability, None, (0.0, 1.0))

    @property
    def half(self) -> float | None:
        """Half the width of the interval, if there is one."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2.0

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as a dict; the values are as they are."""
        return {
            "kind": self.kind,
            "hyperparameters": list(self.hyperparameters),
            "values": list(self.values),
            "estimate": self.estimate,
            "interval": self.interval,
            "certain": self.certain,
            "side": self.side,
            "probability": None if math.isnan(self.probability) else self.probability,
            "because": [reason.to_dict() for reason in self.because],
            "term": self.term,
        }


def between(estimate: float, half: float | None) -> tuple[float, float] | None:
    """Return the interval of an estimate with half its width, if that is known."""
    if half is None or math.isnan(half):
        return None
    return estimate - half, estimate + half


MOST_NAMED = 3  # in a sentence


def worth_naming(
    order: Sequence[int], sizes: Sequence[float] | Array, whole: float = 1.0
) -> list[int]:
    """Return the first three of an order by size, without those that are 0 % of the whole.

    The first is named however small it is, if it is not 0.
    """
    return [
        int(j)
        for rank, j in enumerate(order[:MOST_NAMED])
        if sizes[j] > 0.0 and (rank == 0 or sizes[j] > NOTHING * whole)
    ]


@dataclass(frozen=True)
class Estimate:
    """A number and how far it may be off: half its 95 % interval, if that is known.

    Where `least` is given, it is told in place of both: what the number's size surely exceeds.

    Examples
    --------
    >>> f"a gain of {Estimate(0.1369, 0.06457)}, {Estimate(0.7, 0.1):%} of it"
    'a gain of 0.14 ± 0.06, 70% ± 10% of it'
    """

    value: float
    half: float | None = None
    least: float | None = None

    def __abs__(self) -> Estimate:
        return Estimate(abs(self.value), self.half, self.least)

    def __format__(self, spec: str) -> str:
        if self.least is not None:
            least = percent(self.least) if spec == "%" else format_value(self.least)
            return f"at most -{least}" if self.value < 0.0 else f"at least {least}"
        return (percent if spec == "%" else plus_minus)(self.value, self.half)


UNKNOWN = fact("the model gives no intervals for differences")
UNCLEAR = fact("the difference is within its uncertainty", role="said")


def not_settled(probability: float) -> Fact:
    """Return that a claim holds with a probability only."""
    held = f"it holds with {percent(probability)} probability"
    return fact(held, kind="not_settled", probability=probability)


def share_not_settled(label: str, threshold: float, probability: float) -> Fact:
    """Return how probable it is that something explains more than a threshold."""
    over = f"{label} explains over {percent(threshold)} of the variance"
    return fact(
        f"{over} (probability {percent(probability)})",
        kind="share_not_settled",
        label=label,
        threshold=threshold,
        probability=probability,
    )


def reservation(reasons: Iterable[Fact]) -> str:
    """Return a sentence that gives the reasons why something is not certain; empty without any.

    The probabilities of claims are given once, from the least to the most.

    Examples
    --------
    >>> reservation([not_settled(0.42), not_settled(0.7)])
    'Not certain: claims hold with 42% to 70% probability.'
    """
    doubts = [reason for reason in reasons if not reason.role]
    held = [reason["probability"] for reason in doubts if reason.kind == "not_settled"]
    if len(set(map(percent, held))) > 1:
        least, most = percent(min(held)), percent(max(held))
        at_once = fact(f"claims hold with {least} to {most} probability")
        doubts = [at_once if reason.kind == "not_settled" else reason for reason in doubts]
    said = dict.fromkeys(map(str, doubts))
    if not said:
        return ""
    return chained(["Not certain: ", join_words([*said]), "."])


def told_apart(facts: Iterable[Fact]) -> str:
    """Return facts as sentences of their own, each once."""
    texts = dict.fromkeys(map(str, facts))
    return joined(map(_sentence, texts), " ")


def _sentence(text: str) -> str:
    """Return words as a sentence."""
    return chained([capitalized(text), "."])
