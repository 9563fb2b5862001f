"""A run in five lines: what a person asks first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from hpo_explain.base import (
    Cells,
    Claim,
    Estimate,
    Result,
    Table,
    columns,
    filled,
    format_value,
    listed,
    printable,
    shorten,
)
from hpo_explain.belief import told
from hpo_explain.methods.advice.advise_result import Advice, settings_of
from hpo_explain.methods.advice.optimum_result import Optimum
from hpo_explain.methods.importance.fanova_result import (
    FanovaImportance,
)
from hpo_explain.methods.importance.most import how_sure
from hpo_explain.methods.runs.history_result import History
from hpo_explain.methods.runs.trust_result import RunTrust
from hpo_explain.methods.space.recommended_space_result import Recommendation

WIDTH = 99  # columns of a line
# columns of a hyperparameter's name, and how many are named
_NAME, _NAMED = (24, 3)
QUESTIONS = (
    "How good, and is there more?",
    "What matters?",
    "Where to search?",
    "What to try next?",
    "How far to believe this?",
)
_ANSWERED_BY = (
    "optimum",
    "importance",
    "recommended_space",
    "advise",
    "trust",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summary(Result):
    """A run in five lines; what cannot be told yet is None.

    Attributes
    ----------
    history : History
        What every trial reached.
    optimum : Optimum or None
        Whether there is more to get.
    importance, among_best : FanovaImportance or None
        What matters over the whole space, and for being among the best 10 %.
    recommended_space : Recommendation or None
        Where to search on.
    advice : Advice or None
        What to try next.
    trusted : RunTrust or None
        How far to believe this.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=2)
    >>> found = hx.summary(hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize"))
    >>> len(found.lines), max(map(len, found.lines)) < 100
    (5, True)
    >>> print(found.lines[0].partition(";")[0])
    Best objective 0.0001668 by trial 18
    """

    table: ClassVar[Table] = Table(
        index=("question", "questions"),
        columns={"answer": "lines"},
        held={"lines": "lines"},
    )
    says: ClassVar[Mapping[str, str]] = {
        "more": "{best} by {trial}; {p:%} chance of one better by more than {enough}.",
        "more, short": "{best} by {trial}; {p:%} chance to gain {enough}.",
        "more, shorter": "Best by {trial}; {p:%} chance to gain {enough}.",
        "another": "{best} by {trial}; keep trial {keep:id}, expected better; {p:%} chance of one "
        "better by more than {enough}.",
        "another, short": "{best} by {trial}; keep {keep:id}, expected better; {p:%} chance to "
        "gain {enough}.",
        "another, shorter": "Best by {trial}; keep {keep:id}, expected better; {p:%} chance to "
        "gain {enough}.",
        "another, shortest": "Best by {trial}; keep {keep:id}; {p:%} chance to gain {enough}.",
        "best": "{best} by {trial}.",
        "keep": "{best} by {trial}; keep {keep:id}.",
        "no best": "No trial counts yet.",
        "certainly": "{name} matters most: {share:~%} of all variation{pair}{best}.",
        "probably": "Probably {name} matters most ({p:%}): {share:~%} of all variation{pair}"
        "{best}.",
        "perhaps": "Perhaps {name} matters most ({p:%}): {share:~%} of all variation{pair}{best}.",
        "nothing": "Nothing is known to matter yet.",
        "where": "{volume:part} of the space is enough; narrowed: {names}.",
        "perhaps where": "Trust is poor, but {volume:part} of the space may be enough; narrowed: "
        "{names}.",
        "everywhere": "Everywhere: nothing can be left out yet.",
        "next": "{title}.",
        "go on": "Go on as it is.",
        "trust": "Trust is {level}: {r2:%} of the variation over the space is known.",
        "no trust": "Not at all: too little is known.",
    }
    history: History
    optimum: Optimum | None
    importance: FanovaImportance | None
    among_best: FanovaImportance | None
    recommended_space: Recommendation | None
    advice: Advice | None
    trusted: RunTrust | None

    @property
    def questions(self) -> tuple[str, ...]:
        """What each line answers."""
        return QUESTIONS

    @property
    def answered_by(self) -> tuple[str, ...]:
        """The function whose answer each line tells in short."""
        return _ANSWERED_BY

    @property
    def claims(self) -> tuple[Claim, ...]:
        """One answer to each question: a claim of the method that answers it, in short words."""
        return self._more, self._matters, self._where, self._next, self._far

    @property
    def lines(self) -> tuple[str, ...]:
        """The answers, each of less than 100 columns."""
        texts = [printable(claim.text) for claim in self.claims]
        return tuple(shorten(text, WIDTH) for text in texts)

    @property
    def sentence(self) -> str:
        """The lines, one after the other."""
        return " ".join(self.lines)

    @property
    def headline(self) -> str:
        """What the best trial reached, and which one to keep if that is another."""
        trial = self._best_trial
        if trial is None:
            return self.briefly("no best")
        best = self._level
        if self.optimum is None or not self.optimum.why_another:
            return self.briefly("best", best=best, trial=trial)
        keep = self.optimum.keep
        return self.briefly("keep", best=best, trial=trial, keep=keep)

    @property
    def said(self) -> str:
        """The lines, one below the other."""
        return "\n".join(self.lines)

    def printed_cells(self) -> Cells:
        """Return no columns: the lines say all."""
        return []

    def __str__(self) -> str:
        return self.said

    def _short(self, claim: Claim | None, says: str, **words: Any) -> Claim:
        """Return a claim in short words; without one, what is said where nothing is known."""
        if claim is None:
            return self.claim(
                "tried", (), says=says, certain=True, because=(), **words
            )
        frame, text = self.words(says, **words)
        return replace(claim, frame=frame, text=text)

    @property
    def _level(self) -> str:
        name = shorten(self.objective_name, _NAME)
        return f"Best {name} {format_value(float(self.history.best[-1]))}"

    @property
    def _best_trial(self) -> str | None:
        """The best trial in words, and the better one that was left out, if there is one."""
        trial = self.history.incumbent_trial
        if trial is None:
            return None
        outside = self.subject.better_outside
        return filled(
            "trial {trial:id}{outside}", trial=trial, outside=outside
        )

    @property
    def _more(self) -> Claim:
        trial = self._best_trial
        if trial is None:
            return self._short(None, "no best")
        best = self._level
        if self.optimum is None:
            return self._short(
                self.history.claims[0], "best", trial=trial, best=best
            )
        claim = next(c for c in self.optimum.claims if c.kind == "difference")
        templates = ["more", "more, short", "more, shorter"]
        if self.optimum.why_another:
            templates = [
                "another",
                "another, short",
                "another, shorter",
                "another, shortest",
            ]
        told_in = [
            self._short(
                claim,
                template,
                trial=trial,
                keep=self.optimum.keep,
                best=best,
                p=told(claim.probability),
                enough=format_value(self.optimum.epsilon),
            )
            for template in templates
        ]
        return _fitting(told_in)

    @property
    def _matters(self) -> Claim:
        if self.importance is None:
            return self._short(None, "nothing")
        claim = self.importance.claims[0]
        sure = how_sure(claim)
        if sure == "nothing":
            return self._short(None, "nothing")
        (name,) = claim.hyperparameters
        words = {
            "name": shorten(name, _NAME),
            "share": Estimate(claim.estimate, interval=claim.interval),
            "p": claim.probability,
        }
        pair = self._with_another(claim)
        told_in = [
            self._short(claim, sure, pair=pair, best=best, **words)
            for best in (self._among(name), "")
        ]
        return _fitting(told_in)

    def _with_another(self, most: Claim) -> str:
        """Return which other one it matters with, where the two explain more than it does alone."""
        for reason in most.because:
            if reason.kind == "matters_in_a_pair":
                return f", mostly with {shorten(reason.names[1], _NAME)}"
        return ""

    def _among(self, most: str) -> str:
        """Return what matters most for being among the best, where that is at least probable."""
        best = self.among_best
        if best is None or not best.estimate.any():
            return ""
        claim = best.claims[0]
        probably = {"certainly": "", "probably": "probably "}.get(
            how_sure(claim)
        )
        if probably is None:
            return ""
        of_best = f"for being among the best {best.top or 0.0:.0%}"
        if claim.hyperparameters == (most,):
            return f", {probably}also {of_best}"
        return f"; {of_best} it is {probably}{shorten(claim.hyperparameters[0], _NAME)}"

    @property
    def _where(self) -> Claim:
        recommended = self.recommended_space
        if recommended is None or not recommended.narrowed:
            return self._short(None, "everywhere")
        names = [
            shorten(row.hyperparameter, _NAME) for row in recommended.narrowed
        ]
        says = "perhaps where" if recommended.doubts else "where"
        told_in = [
            self._short(
                recommended.claims[0],
                says,
                volume=recommended.volume,
                names=listed(names, most),
            )
            for most in range(_NAMED, 0, -1)
        ]
        return _fitting(told_in)

    @property
    def _next(self) -> Claim:
        if self.advice is None or not self.advice.actions:
            return self._short(None, "go on")
        (first,) = self.advice.chosen("first") or self.advice.actions[:1]
        claim = self.advice.claims[self.advice.actions.index(first)]
        titles = [first.title]
        if first.kind == "try":  # as many of its values as there is room for
            settings = partial(
                settings_of,
                first.hyperparameters,
                first.values,
                space=self.subject.space,
                width=_NAME,
            )
            titles = [f"Try {settings(most=most)}" for most in (4, 3, 2, 1)]
        return _fitting(
            [self._short(claim, "next", title=title) for title in titles]
        )

    @property
    def _far(self) -> Claim:
        trust = self.trusted
        if trust is None:
            return self._short(None, "no trust")
        return self._short(
            trust.claims[0], "trust", level=trust.level, r2=max(trust.r2, 0.0)
        )


def _fitting(claims: Sequence[Claim]) -> Claim:
    """Return the first claim whose words fit into a line, else the last one."""
    return next(
        (claim for claim in claims if columns(claim.text) <= WIDTH), claims[-1]
    )
