"""The history of a run in words."""

from __future__ import annotations

from hpo_explain.base.phrases import counted
from hpo_explain.explanations.history import History
from hpo_explain.run.told import tied
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_level, format_value

_MOST = 120  # characters of the reasons for which trials were left out
_ENDED = {"pruned": "pruned", "failed": "failed", "infeasible": "infeasible"}

add_facts(
    {
        "optimum_beaten": lambda fact: (
            f"regret: trial {fact.trials[0]} reached a better {fact.names[0]} than the optimum "
            f"given, {format_value(fact['optimum'])}: by noise, or it is not the optimum"
        ),
    }
)


@sentence_of(History)
def sentence(result: History) -> str:
    """Say what the best trial reached, what came after it, and what the proposals added."""
    return " ".join(filter(None, (best_so_far(result), of_proposals(result), regret(result))))


def best_so_far(result: History) -> str:
    """Say what the best trial reached, and what came after it."""
    n = len(result)
    if not n:
        return "No trial has finished yet."
    if not result.tied:
        if n == 1:
            return "The only finished trial is not feasible."
        return f"None of the {n} finished trials is feasible."
    objective = result.objective_name
    shared = tied(len(result.tied), objective)
    return (
        f"The best {objective} of {counted(n, 'trial')} is {format_value(float(result.best[-1]))}, "
        f"by trial {result.tied[0]}{f' ({shared})' if shared else ''}; {since_best(result)}."
    )


def since_best(result: History) -> str:
    """Say what came after the best trial, trials that were left out included."""
    if not result.since:
        return "the last one"
    kinds = result.reasons
    others = sum(count for kind, count in kinds.items() if kind not in _ENDED)
    named = [f"{kinds[kind]} {word}" for kind, word in _ENDED.items() if kinds.get(kind)]
    named += [f"{others} left out for other reasons"] if others else []
    better = "nothing better" if result.feasible.all() else "nothing better that is feasible"
    which = f" ({', '.join(named)})" if named else ""
    return f"{counted(result.since, 'later trial')}{which} brought {better}"


def of_proposals(result: History) -> str:
    """Say what the proposals of a model added to what the other trials had reached."""
    added = next((c.estimate for c in result.claims if c.kind == "improvement"), None)
    if added is None:
        return ""
    n = counted(int((~result.proposed).sum()), "trial")
    reached = format_level(result.before_proposals, added)
    rest = "" if added > 0.0 else ", and no proposal is better"
    return f"The best of the {n} that no model chose is {reached}{rest}."


def regret(result: History) -> str:
    """Say how far the best is from the optimum, where that was given."""
    if result.regret is None or not result.tied:
        return ""
    return (
        f"Its regret, the distance from the optimum {format_value(result.optimum)}, is "
        f"{format_value(float(result.regret[-1]))}."
    )


# ---------------------------------------------------------------------- plots


def heading(result: History) -> str:
    """Return the plot's heading."""
    return f"Objective of {counted(len(result), 'trial')}"


def subtitle(result: History) -> str:
    """Return the best objective, and which way is better."""
    better = "lower" if result.direction == "minimize" else "higher"
    if not result.tied:
        return f"no feasible trial yet; {better} {result.objective_name} is better"
    value = format_value(float(result.best[-1]))
    return f"best {result.objective_name} {value} in trial {result.tied[0]}; {better} is better"


def footer(result: History) -> str:
    """Say how many trials were left out, and why."""
    if not result.left_out:
        return ""
    reasons = "; ".join(sorted({str(reason) for reason in result.left_out.values()}))
    return (
        f"{counted(len(result.left_out), 'trial')} left out: {format_value(reasons, width=_MOST)}"
    )


INITIAL, TRIALS, BY_HAND, PROPOSALS = "initial design", "trials", "set by hand", "proposals"
INFEASIBLE, INCUMBENT = "infeasible", "incumbent so far"


def diverged(bound: str) -> str:
    """Return the entry of a legend for trials that have diverged."""
    return f"diverged, shown at {bound}"


def best(trial: int) -> str:
    """Return the entry of a legend for the best trial."""
    return f"best: trial {trial}"


def optimum(value: str) -> str:
    """Return the entry of a legend for the best objective there is."""
    return f"optimum: {value}"


def without_result(kind: str, count: int) -> str:
    """Return the entry of a legend for trials without a result, by the kind of reason."""
    return f"{kind or 'left out'} ({count})"
