"""What the reader of SMAC's run histories leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts


def _origins_overwritten(fact: Fact) -> str:
    which = "a random configuration" if fact["initial"] else "one of the initial design"
    return (
        "proposals: SMAC's local search marks the configurations that it starts from as its own, "
        f"so that {which} may count as a proposal"
        + ("" if fact["initial"] else "; the facade knows the initial design")
    )


add_facts(
    {
        "runhistory_empty": "run history has no trial yet. Call optimize first.",
        "origins_overwritten": _origins_overwritten,
    }
)
