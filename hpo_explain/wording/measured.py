"""Runs about how long trials took, or which failed, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words, spans
from hpo_explain.wording._registry import add_facts


def _failures_counted(fact: Fact) -> str:
    others = [counted(fact["finished"], "finished trial")]
    others += [f"{fact['pruned']} pruned"] if fact["pruned"] else []
    text = (
        f"failures: {counted(len(fact.trials), 'trial')} ({spans(fact.trials)}) beside "
        f"{' and '.join(others)}; what is predicted is the probability that a trial fails"
    )
    if not fact["unread"]:
        return text
    return (
        f"{text}. Left out, as the configuration cannot be read: {spans(fact['unread'])}, so the "
        "probability is too low"
    )


def _no_failure(fact: Fact) -> str:
    if fact.trials:
        return (
            f"the configurations of the trials that failed ({spans(fact.trials)}) cannot be read, "
            "so there is nothing to compare with the others"
        )
    return f"none of the run's trials failed: {counted(fact['finished'], 'trial')} finished"


def _optimized_another(fact: Fact) -> Text:
    return (
        f"no trial was chosen for its {fact.names[0]}: the optimizer saw another objective. Leave ",
        Option("target"),
        " out to explain its proposals, or name a trial with ",
        Option("acquisition", "lcb"),
        ".",
    )


def _one_objective(fact: Fact) -> Text:
    return (
        f"there is one objective, {fact.names[0]}, and it is not recorded how long trials took, "
        "which would be another. Give a study with several objectives, a dict of runs by "
        "objective, or for a table the column of durations with ",
        Option("duration"),
        ".",
    )


add_facts(
    {
        "duration_unknown": "it is not recorded how long it took",
        "failures_counted": _failures_counted,
        "no_common_trials": lambda fact: (
            f"{join_words(fact.names)} have fewer than two finished trials together"
        ),
        "no_failure": _no_failure,
        "one_objective": _one_objective,
        "optimized_another": _optimized_another,
    }
)
