"""What the reader of SMAC's run histories leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import spans
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names


def _origins_overwritten(fact: Fact) -> str:
    which = "a random configuration" if fact["initial"] else "one of the initial design"
    return (
        "proposals: SMAC's local search marks the configurations that it starts from as its own, "
        f"so that {which} may count as a proposal"
        + ("" if fact["initial"] else "; the facade knows the initial design")
    )


def _rebuilt(fact: Fact) -> str:
    if fact["exact"]:
        return (
            "models: for each proposal SMAC's model is trained again on what it knew then; that of "
            "the last ones is the one that SMAC trained"
        )
    return (
        "models: for each proposal SMAC's Gaussian process is trained again on what it knew then, "
        "from other random starts; the last one is SMAC's own"
    )


add_facts(
    {
        "runhistory_empty": "run history has no trial yet. Call optimize first.",
        "origins_overwritten": _origins_overwritten,
        "smac_rebuilt": _rebuilt,
        "smac_not_rebuilt": lambda fact: (
            f"models: those of SMAC are not rebuilt (checked with SMAC {fact['checked']}): ",
            fact["why"],
        ),
        "smac_no_model": "SMAC had no model yet",
        "smac_models_differ": "SMAC's model, trained again, is not the one that SMAC trained last",
        "smac_scale": lambda fact: f"{names(fact)} is not a scale that is known here",
        "smac_mean_of_logs": "it averages logarithms of the cost over instances by their features",
        "smac_criterion": lambda fact: f"{names(fact)} is not rebuilt",
        "smac_process_refitted": "SMAC's Gaussian process is trained again by SMAC's own code, "
        "from other random starts",
        "smac_batch": lambda fact: (
            f"SMAC chose the trials {spans(fact.trials)} one after the other by the same model, "
            "those it finds most promising first"
        ),
    }
)
