"""A run in words."""

from __future__ import annotations

from hpo_explain._words import counted, spans
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts


def _diverged(fact: Fact) -> str:
    they = "it does" if len(fact.trials) == 1 else "they do"
    return (
        f"diverged: for fitting, the {fact['objective']} of {_trials(fact)} counts as "
        f"{fact['bound']:.6g}, so that {they} not decide what a surrogate learns"
    )


def _overflow_clipped(fact: Fact) -> str:
    return (
        f"clipped: for fitting, the {fact['objective']} of {_trials(fact)} counts as "
        f"{fact['bound']:g}, to avoid overflow"
    )


def _instances_averaged(fact: Fact) -> str:
    missing = fact["missing"]
    return (
        f"instances: the {fact['objective']} of each configuration is its mean over "
        f"{fact['instances']} instances as a forest on configuration and instance predicts it; "
        f"{missing} of {fact['evaluations']} evaluations {'is' if missing == 1 else 'are'} missing"
    )


def _trials(fact: Fact) -> str:
    return f"{counted(len(fact.trials), 'trial')} ({spans(fact.trials)})"


add_facts(
    {
        "diverged": _diverged,
        "overflow_clipped": _overflow_clipped,
        "instances_averaged": _instances_averaged,
        "parallel": "parallel: trials ran at the same time; a proposal is explained with the "
        "trials that had finished when it started",
    }
)
