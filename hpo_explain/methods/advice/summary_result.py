"""A run in five lines: what a person asks first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from hpo_explain.base import Claim, Result, Table, Wording, chained, joined, printable
from hpo_explain.belief import LEVEL, PROBABLE
from hpo_explain.methods._engines.decision_words import (
    few,
    one_digit,
    part_of,
    percent,
    tie,
    to_digit_of,
    trial,
)
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.methods.advice.optimum_result import Optimum
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.most import how_sure
from hpo_explain.methods.runs.history import History
from hpo_explain.methods.runs.trust import RunTrust
from hpo_explain.methods.space.recommended_space import MOST_SURE, Recommendation

_MOST_LEFT = 0.85  # of a space: what leaves more is not worth saying
_ALIKE = 0.15  # of a share: two that differ by less matter about equally


def alike(importance: FanovaImportance) -> tuple[tuple[str, ...], float]:
    """Return what matters about as much as what matters most, and how probable it is.

    All that is named does so in the same draws, and these are at least half of them.
    """
    (name,) = importance.claims[0].hyperparameters
    first = importance.names.index(name)
    if len(importance.functions) < 2:
        return (name,), 1.0
    totals = importance.totals
    leading = totals[:, [first]]
    near = np.abs(totals - leading) <= _ALIKE * leading
    in_order = np.argsort(-near.mean(axis=0), kind="stable")
    in_order = np.append(first, in_order[in_order != first])
    together = np.logical_and.accumulate(near[:, in_order], axis=1)
    probable = together.mean(axis=0)
    count = int((probable >= PROBABLE).sum())
    names = tuple(importance.names[j] for j in in_order[:count])
    return names, float(probable[count - 1])


def in_words(share: float) -> str:
    """Return a share of the variation in words."""
    part = part_of(share)
    if part.startswith("nearly"):
        return f"{part} variation"
    about = "" if part.startswith("less") else "about "
    return f"{about}{part} of all variation"


def _told(text: str, *claims: Claim) -> Claim:
    """Return a claim in other words; without one, what is said where nothing is known."""
    (claim,) = claims or (Claim("tried"),)
    return replace(claim, frame="{each}", text=text)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summary(Result):
    """A run in five lines; what is not known yet is None.

    Attributes
    ----------
    history : History
        What every trial reached.
    optimum : Optimum or None
        Whether there is more to get.
    importance : FanovaImportance or None
        What matters over the whole space.
    recommended_space : Recommendation or None
        Where to search on.
    advice : Advice or None
        What to try next.
    trusted : RunTrust or None
        How far to believe this.
    subject, notes
        As in every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=2)
    >>> found = hx.summary(hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize"))
    >>> print(found.lines[0].partition(" (")[0])
    Best objective: 0.0002
    """

    table: ClassVar[Table] = Table(
        index=("question", "questions"),
        columns={"answer": "lines"},
        held={"lines": "lines"},
        printed=False,
    )
    questions: ClassVar[tuple[str, ...]] = (
        "How good, and is there more?",
        "What matters?",
        "Where to search?",
        "What to try next?",
        "How reliable is this?",
    )
    """What each line answers."""
    answered_by: ClassVar = ("optimum", "importance", "recommended_space", "advise", "trust")
    """The function whose answer each line tells in short."""

    history: History
    optimum: Optimum | None
    importance: FanovaImportance | None
    recommended_space: Recommendation | None
    advice: Advice | None
    trusted: RunTrust | None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """One answer to each question: a claim of the method that answers it, in short words."""
        return self._more, self._matters, self._where, self._next, self._far

    @property
    def lines(self) -> tuple[str, ...]:
        """The answers."""
        return tuple(printable(claim.text) for claim in self.claims)

    @property
    def sentence(self) -> str:
        """The lines, one after the other."""
        return joined(self.lines, " ")

    @property
    def answer(self) -> str:
        """What the best trial reached, and which one to keep if that is another."""
        best = self.history.incumbent_trial
        if best is None:
            return self._best
        keep = best if self.optimum is None else self.optimum.keep
        said = [f"Best {self.objective_name}: {self._level} (", trial(best), ")"]
        if keep != best:
            said += ["; keep ", trial(keep)]
        return printable(chained([*said, "."]))

    @property
    def said(self) -> str:
        """The lines, one below the other."""
        return "\n".join(self.lines)

    @property
    def _level(self) -> str:
        """The best objective, with the digits that count."""
        least = 0.0 if self.optimum is None else self.optimum.counts.between
        return to_digit_of(float(self.history.best[-1]), least)

    @property
    def _best(self) -> str:
        """The best objective, the trials that reached it, and the one to keep."""
        history, optimum = self.history, self.optimum
        best = history.incumbent_trial
        if best is None:
            return "No trial counts yet."
        tied, within = history.tied, ""
        if optimum is not None:
            tied = optimum.tied
            if optimum.counts.whose != "step":  # else they are equal
                within = one_digit(optimum.epsilon)
        said = [
            f"Best {self.objective_name}: {self._level} (",
            tie(tied, best, within),
            ")",
            self.subject.better_outside,
        ]
        for why in () if optimum is None else optimum.why_another:
            said += ["; keep ", trial(why["keep"])]
            said += [f", expected {one_digit(why['worse'])} better"]
        return chained([*said, "."])

    @property
    def _more(self) -> Claim:
        optimum = self.optimum
        if self.history.incumbent_trial is None or optimum is None:
            return _told(self._best, *self.history.claims[:1])
        claim = next(c for c in optimum.claims if c.kind == "difference")
        if self.subject.too_few:
            return _told(self._best, claim)
        return _told(joined([self._best, optimum.more_trials], " "), claim)

    @property
    def _matters(self) -> Claim:
        most = None if self.importance is None else self.importance.claims[0]
        if self.importance is None or most is None or how_sure(most) == "nothing":
            return _told(self.subject.too_few or "Nothing is known to matter yet.")
        names, probability = alike(self.importance)
        if len(names) == 1 and how_sure(most) == "perhaps":
            return _told("What matters most is still open.", most)
        if len(names) > 1:
            sure = f"({percent(min(probability, MOST_SURE))} sure): each "
            most = replace(
                most, hyperparameters=names, probability=probability, certain=probability >= LEVEL
            )
            said = [few(names), f" matter about equally {sure}"]
        else:
            (name,) = most.hyperparameters
            sure = percent(min(most.probability, MOST_SURE))
            said = [f"{name} matters most ({sure} sure): "]
        low, high = (percent(end) for end in most.interval or (np.nan, np.nan))
        share = Wording.of(
            in_words(most.estimate),
            hint=f"{percent(most.estimate)}, {low} to {high} (95% interval)",
        )
        said += [share, ", with its interactions"]
        said += [
            f", mostly with {reason.names[1]}"
            for reason in most.because
            if reason.kind == "matters_in_a_pair"
        ]
        return _told(chained([*said, "."]), most)

    @property
    def _shrinks(self) -> bool:
        """Whether so much of the space can be given up that it is worth saying."""
        space = self.recommended_space
        return space is not None and space.volume < _MOST_LEFT

    @property
    def _where(self) -> Claim:
        space = self.recommended_space
        if space is None or not space.narrowed:
            return _told("No range can be narrowed safely yet.")
        if not self._shrinks:
            text = "Hardly anything of the search space can be given up yet."
            return _told(text, space.claims[0])
        part = part_of(space.volume)
        text = f"The search space {space.may} shrink to {part}: {space.kept}."
        return _told(text, space.claims[0])

    @property
    def _next(self) -> Claim:
        """What to do first, of what the line about the space does not say."""
        if self.advice is None or not self.advice.actions or self.subject.too_few:
            return _told("Go on as it is.")
        pairs = [*zip(self.advice.actions, self.advice.claims, strict=True)]
        to_do = [pair for pair in pairs if pair[0].kind != "keep"] or pairs
        first, claim = next((pair for pair in pairs if pair[0].changes), to_do[0])
        if first.kind == "narrow" and self._shrinks:
            others = [pair for pair in to_do if pair[0].kind in ("try", "repeat", "widen")]
            if not others:
                return _told("Go on in that space.", claim)
            first, claim = others[0]
        why = first.reason[:1].lower() + first.reason[1:]
        if first.kind == "repeat" and why:
            return _told(chained([first.title, ": ", why]), claim)
        if first.kind != "go_on":
            return _told(chained([first.title, "."]), claim)
        if self.optimum is not None and self.optimum.is_enough:
            return _told(chained(["Keep ", trial(self.optimum.keep), "."]), claim)
        return _told(f"{first.title}: {why}", claim)

    @property
    def _far(self) -> Claim:
        trust = self.trusted
        if trust is None:
            return _told("Reliability: none (too little is known).")
        share, least = map(percent, (trust.r2, trust.r2_interval[0]))
        at_least = "" if share == least else f", at least {least}"
        if at_least and least == percent(0.0):
            at_least = ", perhaps none of it"
        explains = f"the model explains {share} of the variation{at_least}"
        return _told(f"Reliability: {trust.level} ({explains}).", trust.claims[0])
