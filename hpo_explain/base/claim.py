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
----------------  ----------------------------------------------------------------------------
reason            the value made a configuration desirable (or the prediction better)
counter_reason    the value spoke against it
indifferent       the configuration is no better and no worse than an average one
models_differ     another model of similar skill sees this share of the variance instead
importance        the hyperparameters explain this share of the variance
mains             single hyperparameters explain this share of the variance together
interaction       the hyperparameters act together, as strongly as the estimate says
no_interaction    no hyperparameters act together
no_effect         no hyperparameter makes a difference
best_at           no value outside these ranges, or sets of categories, is best
contrast          the objective at the first of two values differs so much from that at the second
flat              the objective does not change with the hyperparameters
gain              a step of a path gains this much
total_gain        a whole path gains this much
no_difference     two configurations do not differ
order_matters     what a step gains depends on the order of the steps
effect            a change of the hyperparameter changes the prediction by this much
keep              a range or set of values is worth searching
fix               the hyperparameter can stay at this value
driver            the hyperparameter drove the proposals
turning_point     from this trial on the predicted objective led, not uncertainty
balance           this share of the contributions is about uncertainty
region            the effect is known best where the values, which are conditions, hold
no_region         the effect is known equally well in all parts of the space
common, rare      the value is common, or rare, among good trials
stable            repeated runs agree on it
ranking           the hyperparameters' contributions are in this order, the largest first
noise             one evaluation scatters by this standard deviation, at the values or anywhere
noise_ratio       the noise at the first of two values is so many times that at the second
early_rank        at the step (`values`) trials rank as in the end, with this rank correlation
pruning           the pruner (`values`) would have lost so much of the best objective
share_changes     from the first of two steps to the second a share of the variance changes so much
incumbent         the best result so far is that of this configuration
improvement       proposals of a model improved the best result so far by this much
everywhere        the hyperparameter explains at least so much of the variance in every run
shares_differ     the share in the first of two runs (`values`) is so much larger than in the second
default           the values lose this share of what tuning gains, on average over runs
trade             from the first to the second value (`values`) the objective (`term`) gains so much
saving            a trial in place of another (`values`) saves this share of an objective (`term`)
best_in_all       the trial (`values`) is best in all objectives
================  ============================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hpo_explain.base.facts import Fact
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
    "reason",
    "counter_reason",
    "indifferent",
    "models_differ",
    "importance",
    "mains",
    "interaction",
    "no_interaction",
    "no_effect",
    "best_at",
    "contrast",
    "flat",
    "gain",
    "total_gain",
    "no_difference",
    "order_matters",
    "effect",
    "keep",
    "fix",
    "driver",
    "turning_point",
    "balance",
    "region",
    "no_region",
    "common",
    "rare",
    "stable",
    "ranking",
    "noise",
    "noise_ratio",
    "early_rank",
    "pruning",
    "share_changes",
    "incumbent",
    "improvement",
    "everywhere",
    "shares_differ",
    "default",
    "trade",
    "saving",
    "best_in_all",
    "action",
]


@dataclass(frozen=True)
class Claim:
    """One thing that a result says.

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
    >>> Claim("importance", ("lr",), estimate=0.8, interval=(0.7, 0.9)).certain
    True
    """

    kind: Kind
    hyperparameters: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    estimate: float = float("nan")
    interval: tuple[float, float] | None = None
    certain: bool = True
    probability: float = field(default=float("nan"), kw_only=True)
    side: Literal["above", "below"] = field(default="above", kw_only=True)
    because: tuple[Fact, ...] = ()
    term: str = ""
    text: str = field(default="", compare=False)
    frame: str = field(default="{each}", compare=False)

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
    return None if half is None else (estimate - half, estimate + half)


def worth_naming(
    order: Sequence[int], sizes: Sequence[float] | Array, most: int, whole: float = 1.0
) -> list[int]:
    """Return the first `most` of an order by size, without those that are 0 % of the whole.

    The first is named however small it is, if it is not 0.
    """
    return [
        int(j)
        for rank, j in enumerate(order[:most])
        if sizes[j] > 0.0 and (rank == 0 or sizes[j] > NOTHING * whole)
    ]
