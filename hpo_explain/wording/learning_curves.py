"""Learning curves in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.errors import Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.learning_curves import LearningCurves, PrunerReplay
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import number, percent


def _no_curves(fact: Fact) -> Text:
    return (
        f"no trial reported the {fact['objective']} step by step. Report it with trial.report in "
        "Optuna, or give a table with one row per trial and step, and the names of its columns as "
        "trial and fidelity."
    )


def _finished_only(fact: Fact) -> str:
    n = fact["unfinished"]
    return (
        f"{counted(n, 'trial')} reported values but {'has' if n == 1 else 'have'} no final one, so "
        "ranks and losses are those of the finished trials only"
    )


add_facts(
    {
        "no_curves": _no_curves,
        "few_curves_finished": lambda fact: (
            f"{counted(fact['finished'], 'trial')} with values step by step finished; ranks need "
            "at least 3"
        ),
        "finished_only": _finished_only,
        "ends_elsewhere": lambda fact: (
            f"the last value reported is not the objective itself in {fact['n']} of "
            f"{counted(fact['finished'], 'finished trial')}"
        ),
        "pruner_not_asked": lambda fact: (
            f"the run's own pruner was not replayed: {fact['values']} values take too long"
        ),
        "pruner_failed": lambda fact: (
            f"{fact['label']} was not replayed, as it failed ({fact['error']})"
        ),
        "rank_not_told": lambda fact: (
            f"{counted(fact['n'], 'finished trial')} do not tell that ranks correlate by "
            f"{fact['enough']:g} before the end"
        ),
        "other_trials": lambda fact: (
            "the two steps were reached by different trials "
            f"({fact['trials_at'][0]} and {fact['trials_at'][1]})"
        ),
    }
)


@sentence_of(LearningCurves)
def sentence(result: LearningCurves) -> str:
    """Say how early ranks are known, what pruners would do, and which shares change."""
    changes = [c for c in result.claims if c.kind == "share_changes"]
    named = [claim for claim in changes if claim.certain] or changes[:1]
    parts = [ranks(result), _pruning(result), *(change(result, claim) for claim in named)]
    if result.unfinished:
        n = result.unfinished
        parts.append(
            f"{counted(n, 'trial')} that reported values {'has' if n == 1 else 'have'} no final "
            "one: ranks and losses are those of the finished trials only."
        )
    return " ".join(part for part in parts if part) + reservation(named)


def ranks(result: LearningCurves) -> str:
    """Say from which step on trials are ranked as in the end."""
    name, last = result.curves.step_name, f"{result.steps[-1]:g}"
    claims = [claim for claim in result.claims if claim.kind == "early_rank"]
    if not claims:
        if len(result.steps) == 1:
            return f"Values were reported at a single {name} only."
        return f"No {name} before the last one tells trials apart by their values."
    (claim,) = claims
    (step,) = claim.values
    n = int(result.finished[list(result.steps).index(step)])
    among = counted(n, "finished trial")
    rho = f"the rank correlation with the final values is {_ends(claim)}"
    if claim.certain:
        return (
            f"From {name} {step:g} of {last} on the {result.objective_name} ranks the {among} much "
            f"as in the end: at {name} {step:g} {rho}."
        )
    above = claim.interval is not None and claim.interval[1] < result.enough
    known = "is not" if above else "is not known to be"
    text = (
        f"The rank of trials before the end {known} their final one: at {name} {step:g} of {last} "
        f"{rho} ({among})."
    )
    if result.related_from is not None and result.related_from < result.steps[-1]:
        text += f" It is above 0 from {name} {result.related_from:g} on."
    return text


def _ends(claim: Claim) -> str:
    if claim.interval is None:
        return _short(claim.estimate)
    low, high = claim.interval
    return f"{_short(claim.estimate)} (95% interval {_short(low)} to {_short(high)})"


def _short(value: float) -> str:
    """Return a correlation: with more digits near 1, where they tell."""
    return "1" if value == 1.0 else number(value, 2 if abs(value) < 0.95 else 3)


def _pruning(result: LearningCurves) -> str:
    replays = sorted(result.replays, key=lambda replay: not replay.own)
    parts = [_replayed(replay) for replay in replays]
    return f"Replayed on the finished trials: {'; '.join(parts)}." if parts else ""


def _replayed(replay: PrunerReplay) -> str:
    label = f"the run's own pruner ({replay.label})" if replay.own else replay.label
    if not replay.stopped.any():
        return f"{label} stops none"
    text = f"{label} saves {percent(replay.saved)} of the steps and "
    if replay.rank == 1:
        text += "keeps the best"
    else:
        text += f"stops the best, for a loss of {number(replay.regret, 2)}"
    if replay.orders:
        text += f" (in {percent(replay.best_stopped)} of random orders it would stop it)"
    return text


def pruned(result: LearningCurves) -> list[tuple[str, str, str, str]]:
    """Return of each pruner what it is, saves and loses, and how often it stops the best.

    The latter in other orders of the same trials; empty where none was replayed.
    """
    rows = []
    for replay in sorted(result.replays, key=lambda replay: not replay.own):
        label = f"{replay.label}, the run's own" if replay.own else replay.label
        lost = "nothing" if replay.rank == 1 else number(replay.regret, 2)
        often = percent(replay.best_stopped) if replay.orders else ""
        rows.append((label, percent(replay.saved), lost, often))
    return rows


def change(result: LearningCurves, claim: Claim) -> str:
    """Say what a hyperparameter explains of the values at two steps."""
    first, last = claim.values
    (name,) = claim.hyperparameters
    more = "more" if claim.estimate > 0.0 else "less"
    j = result.names.index(name)
    early, late = (percent(float(result.shares[step].estimate[j])) for step in (first, last))
    return (
        f"{name} matters {more} at {result.curves.step_name} {last:g} ({late} of the variance) "
        f"than at {first:g} ({early})."
    )


ENOUGH = "asked for"
RHO = "rank correlation, with its 95% interval"
CURVE_LABEL = "rank correlation with the final values"
FINISHED = "finished"
UNFINISHED = "pruned or ended early"
BEST = "the best"


def heading(result: LearningCurves) -> str:
    """Return the heading of the plot of ranks."""
    return f"How early the final rank of the {result.objective_name} is known"


def subtitle(result: LearningCurves) -> str:
    """Say from which step on ranks are known."""
    name = result.curves.step_name
    if result.known_from is None or result.known_from >= result.steps[-1]:
        return f"no {name} before the end is known to rank trials as asked"
    return f"from {name} {result.known_from:g} on ranks are known as well as asked"


def footer(result: LearningCurves) -> str:
    """Say on which trials it rests."""
    text = f"{counted(int((result.final == result.final).sum()), 'finished trial')}"
    if result.unfinished:
        text += f"; {result.unfinished} without a final value are not among them"
    return f"{text}. Interval over trials."


def ranks_caption(result: LearningCurves) -> str:
    """Say what the plot of ranks shows."""
    return f"Rank correlation of the values at each {result.curves.step_name} with the final ones."


def curves_heading(result: LearningCurves) -> str:
    """Return the heading of the plot of curves."""
    return f"The {result.objective_name} of {counted(len(result.curves), 'trial')} step by step"


def curves_footer(shown: int, trials: int) -> str:
    """Say how many curves are drawn."""
    if shown == trials:
        return ""
    return f"{shown} of {trials} curves are drawn, chosen at random, and the best."


def shares_heading(result: LearningCurves) -> str:
    """Return the heading of the plot of shares."""
    return f"What the {result.objective_name} depends on, step by step"


SHARES_SUBTITLE = "share of the variance of the value at a step, with its 95% interval"
SHARES_LABEL = "share of the variance"


def shares_footer(result: LearningCurves) -> str:
    """Say how many trials each step rests on."""
    rows = result.shares_by_step()
    name = result.curves.step_name
    counts = dict(zip(rows[name], rows["trials"], strict=True))
    parts = [f"{n} at {name} {step:g}" for step, n in counts.items()]
    return f"Trials, pruned ones included: {join_words(parts)}."
