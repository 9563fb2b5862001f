"""What the reader of Ray Tune's results leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

add_facts(
    {
        "results_empty": "result grid has no trial. Call fit first.",
        "searcher_not_recorded": lambda _: (
            "proposals: Ray does not record which search algorithm chose the trials, so that none "
            "counts as a proposal; ",
            Option("optimizer"),
            " tells it",
        ),
        "computed_left_out": lambda fact: (
            f"{names(fact)}: computed from others (sample_from), and left out; ",
            Option("space"),
            "SearchSpace([...]) takes it in",
        ),
    }
)
