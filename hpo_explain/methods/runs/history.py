"""The history of a run: what its trials reached, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    Fact,
    Origin,
    Result,
    Subject,
    Table,
    attributes,
    below_each_other,
    chained,
    counted,
    format_level,
    format_value,
    joined,
    printable,
    trial_number,
)
from hpo_explain.methods._engines.decision_words import how_many
from hpo_explain.question import Question, explains
from hpo_explain.space import Array, Bools, Ints

_ENDED = ("pruned", "failed", "infeasible")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class History(Result):
    """The objective of every trial, the incumbent after each, and the trials without a result.

    No model takes part in it: it says what was observed, and the best of noisy results is better
    than its average.

    Attributes
    ----------
    trials : ndarray of int, shape (n,)
        The finished trials, by number.
    objective : ndarray of shape (n,)
        What each reached, in the user's units.
    learned : ndarray of shape (n,)
        What each counts as for fitting: the objective, that of a diverged trial at `bound`.
    bound : float
        The objective beyond which a trial has diverged; infinite where none has.
    feasible : ndarray of bool, shape (n,)
        Whether its constraints were met.
    origins : tuple of Origin
        Who chose each.
    proposed : ndarray of bool, shape (n,)
        Whether it counts as a proposal of the optimizer's model.
    proposes : bool
        Whether the optimizer has a model that chooses trials.
    tied : tuple of int
        The feasible trials that share the best objective, the first one first.
    later : tuple of int
        The trials that ended after the first of them, those that were left out included.
    left_out : mapping of int to Fact
        Trials without a result that can be used, and why: failed, pruned, running, and others.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [4.0, 9.0, 1.0, 2.0]})
    >>> found = hx.history(table, objective="loss")
    >>> found.best.tolist(), found.since
    ([4.0, 4.0, 1.0, 1.0], 1)
    """

    table: ClassVar[Table] = Table(
        columns={},
        held=attributes(
            "trials",
            "objective",
            "best",
            "feasible",
            "diverged",
            "proposed",
            "incumbent_trial",
            "tied",
            "later",
            "since",
            origins=lambda result: [origin.value for origin in result.origins],
            incumbent=lambda result: result.subject.incumbent,
            left_out=lambda result: {t: why.to_dict() for t, why in result.left_out.items()},
        ),
    )
    trials: Ints
    objective: Array
    learned: Array
    bound: float
    feasible: Bools
    origins: tuple[Origin, ...]
    proposed: Bools
    proposes: bool = True
    tied: tuple[int, ...] = ()
    later: tuple[int, ...] = ()
    left_out: Mapping[int, Fact] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def _sign(self) -> float:
        return self.subject.sign

    @property
    def incumbent_trial(self) -> int | None:
        """The best feasible trial, the first of several, if there is one."""
        return self.tied[0] if self.tied else None

    @property
    def diverged(self) -> Bools:
        """Which trials are worse than `bound`, (n,)."""
        return self._sign * self.objective > self._sign * self.bound

    @property
    def best(self) -> Array:
        """The incumbent's objective after each trial, (n,); NaN before the first feasible one."""
        return self._so_far(self.objective)

    @property
    def best_learned(self) -> Array:
        """The same of what the trials count as, (n,)."""
        return self._so_far(self.learned)

    def _so_far(self, values: Array) -> Array:
        costs = np.where(self.feasible, self._sign * values, np.inf)
        least = np.minimum.accumulate(costs) if len(costs) else costs
        return np.where(np.isinf(least), np.nan, self._sign * least)

    @property
    def since(self) -> int:
        """How many trials ended after the incumbent."""
        return len(self.later)

    @property
    def before_proposals(self) -> float:
        """The best objective of the trials that the model did not choose; NaN where none is."""
        others = self.feasible & ~self.proposed
        if not others.any():
            return float("nan")
        return float(self._sign * np.min(self._sign * self.objective[others]))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which configuration is the best so far, and what the model's proposals added to it."""
        if not self.tied:
            return ()
        config, best = self.subject.incumbent, float(self.best[-1])
        reached = self._reached
        if len(self.tied) > 1:
            n = how_many(len(self.tied))
            reached = f" ({n} of {len(self)} trials tie; trial ", self._first, " is the first)"
        text = chained(
            [*self._best, *reached, f"{self.subject.better_outside}; {self.since_best}."]
        )
        claims = [Claim("best", tuple(config), best, values=tuple(config.values()), text=text)]
        if self.proposed.any() and np.isfinite(self.before_proposals):
            gain = self._sign * (self.before_proposals - best)
            others = counted(int((~self.proposed).sum()), "trial")
            text = (
                f"The best of the {others} that no model chose is "
                f"{format_level(self.before_proposals, gain)}"
            )
            nothing = ", and no proposal is better" * (gain <= 0.0)
            claims.append(Claim("difference", (), gain, text=f"{text}{nothing}."))
        return tuple(claims)

    @property
    def answer(self) -> str:
        """What the best trial reached."""
        if not self.tied:
            return self.best_so_far
        text = chained([*self._best, *self._reached, f"{self.subject.better_outside}."])
        return printable(text)

    @property
    def _first(self) -> str:
        return trial_number(self.tied[0])

    @property
    def _best(self) -> list[str]:
        return [f"Best {self.objective_name}: {format_value(float(self.best[-1]))}"]

    @property
    def _reached(self) -> tuple[str, ...]:
        return " (trial ", self._first, f"; {counted(len(self), 'finished trial')})"

    @property
    def best_so_far(self) -> str:
        """What the best trial reached and what came after it, in words."""
        n = len(self)
        if not n:
            return "No trial has finished yet."
        if not self.tied:
            none = "The only finished trial is not"
            return f"{none if n == 1 else f'None of the {n} finished trials is'} feasible."
        (best, *_) = self.claims
        return best.text

    @property
    def since_best(self) -> str:
        """What came after the best trial, trials that were left out included, in words."""
        if not self.since:
            return "it was the last one"
        left_out, outside = self.left_out, self.subject.best_left_out
        kinds = Counter(left_out[t].kind for t in self.later if t in left_out)
        named = [f"{kinds[kind]} {kind}" for kind in _ENDED if kinds[kind]]
        others = sum(kinds.values()) - sum(kinds[kind] for kind in _ENDED)
        named += [f"{others} left out for other reasons"] if others else []
        better = "nothing better"
        if not self.feasible.all():
            better += " that is feasible"
        if any(t in self.later for n in outside for t in n.trials):
            better += " inside the space"
        which = f" ({', '.join(named)})" if named else ""
        return f"{counted(self.since, 'later trial')}{which} brought {better}"

    @property
    def finding(self) -> str:
        """What the best trial reached, what came after it, and what the proposals added."""
        texts = [self.best_so_far, *(claim.text for claim in self.claims[1:])]
        return joined(texts, " ")

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by trial: its objective, the best so far, who chose it, what became of it.

        Trials that were left out have a reason, and no objective.
        """
        columns: dict[str, Any] = {
            "trial": self.trials,
            "objective": self.objective,
            "best": self.best,
        }
        columns |= {"origin": [origin.value for origin in self.origins], "state": self.states}
        if not self.left_out:
            return columns
        without = {
            "trial": [*self.left_out],
            "state": [why.kind for why in self.left_out.values()],
            "reason": [str(why) for why in self.left_out.values()],
        }
        both = below_each_other([[*columns.items()], [*without.items()]])
        order = np.argsort(both["trial"], kind="stable")
        return {name: [values[row] for row in order] for name, values in both.items()}

    @property
    def states(self) -> list[str]:
        """What has become of each finished trial: "finished", "infeasible" or "diverged"."""
        return [
            "infeasible" if not able else "diverged" if far else "finished"
            for able, far in zip(self.feasible, self.diverged, strict=True)
        ]


@explains(of="optimizer", without=("seed",))
def history(question: Question) -> History:
    """Show the result of every trial, the best so far, and failed and pruned trials.

    It corresponds to skopt's ``plot_convergence`` and Optuna's ``plot_optimization_history``.

    Returns
    -------
    History
        The objective and the incumbent by trial. It exists even if no trial is finished.

    Raises
    ------
    ValueError
        If the run cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [4.0, 9.0, 1.0, 2.0]})
    >>> print(hx.history(table, objective="loss").sentence)
    Best loss: 1 (trial 2; 4 finished trials); 1 later trial brought nothing better.
    """
    run = question.run
    order = np.argsort(np.asarray(run.trials), kind="stable")
    trials = np.asarray(run.trials)[order]
    feasible = np.asarray(run.feasible)[order]
    tied = run.tied if feasible.any() else ()
    subject = Subject.of(run)
    return History(
        subject=replace(subject, notes=(), tried=run.X[order], costs=subject.costs[order]),
        trials=trials,
        objective=run.objective[order],
        learned=run.sign * run.learned_cost()[order],
        bound=float(run.sign * run.diverged_above()),
        feasible=feasible,
        origins=tuple(run.origin(t) for t in trials.tolist()),
        proposed=np.isin(trials, run.proposals or ()),
        proposes=run.proposes,
        tied=tied,
        later=run.later_trials(tied[0]) if tied else (),
        left_out=dict(sorted(run.excluded.items())),
    )
