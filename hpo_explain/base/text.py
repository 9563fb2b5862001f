"""Words beside claims: estimates, doubts, and what is told apart from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import format_value, percent, plus_minus
from hpo_explain.base.phrases import capitalized, chained, join_words, joined


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


UNKNOWN = fact("the model does not say how uncertain it is of a difference")
UNCLEAR = fact("the difference is within its uncertainty", role="said")


def not_settled(probability: float) -> Fact:
    """Return that a claim does not hold in all that the trials allow."""
    held = f"it holds in {percent(probability)} of what the trials allow"
    return fact(held, kind="not_settled", probability=probability)


def share_not_settled(label: str, threshold: float, probability: float) -> Fact:
    """Return how probable it is that something explains more than a threshold."""
    over = f"{label} explains over {percent(threshold)} of the variance"
    return fact(
        f"whether {over} (probability {percent(probability)})",
        kind="share_not_settled",
        label=label,
        threshold=threshold,
        probability=probability,
    )


def reservation(reasons: Iterable[Fact]) -> str:
    """Return a sentence that gives the reasons why something is not certain; empty without any.

    In how much of what the trials allow claims hold is said once, from the least to the most.

    Examples
    --------
    >>> reservation([not_settled(0.42), not_settled(0.7)])
    'Not certain: claims hold in 42% to 70% of what the trials allow.'
    """
    doubts = [reason for reason in reasons if not reason.role]
    held = [reason["probability"] for reason in doubts if reason.kind == "not_settled"]
    if len(set(map(percent, held))) > 1:
        least, most = percent(min(held)), percent(max(held))
        at_once = fact(f"claims hold in {least} to {most} of what the trials allow")
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
