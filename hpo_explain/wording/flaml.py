"""What the reader of FLAML's results leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option
from hpo_explain.wording._registry import add_facts

add_facts(
    {
        "analysis_empty": "analysis has no trial. Give tune.run a larger budget.",
        "flaml_without_model": lambda _: (
            "proposals: FLAML's own search goes on from the best trial without a model, so that no "
            "trial counts as a proposal; ",
            Option("optimizer"),
            " names another one",
        ),
    }
)
