"""Repeated runs in words."""

from __future__ import annotations

from hpo_explain.base.phrases import join_words
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.repeated_runs import RepeatedRuns
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.path import as_sentences

add_facts(
    {
        "longer_runs_cut": lambda fact: (
            f"left out: what came after proposal {fact['proposals']}, the last one of the shortest "
            "run"
        )
    }
)


@sentence_of(RepeatedRuns)
def sentence(result: RepeatedRuns) -> str:
    """Say what mattered most over all runs and proposals."""
    main = [claim.hyperparameters[0] for claim in result.claims if claim.kind == "driver"]
    if not main:
        return f"No hyperparameter stands out on average over {result.runs} runs."
    return (
        f"On average over {result.runs} runs, {join_words(main)} mattered most to what was "
        f"proposed under {result.subject.acquisition}."
    )


SUBTITLE = "Above 0 a value made the proposals more desirable than average configurations."
X_LABEL, Y_LABEL = "proposal", "mean contribution: up is more desirable"
RIBBON = "± one std over runs"
ONE_SUBTITLE = "each run's proposal against its average configuration"
ONE_LABEL = "contribution: right is more desirable"
ONE_FOOTER = "Whiskers: ± one standard deviation over runs."


def heading(result: RepeatedRuns, subject: Subject) -> str:
    """Return the plot's heading, for a subject as it is shown."""
    return f"Mean contributions to {subject.acquisition} over {result.runs} runs"


def footer(result: RepeatedRuns) -> str:
    """Say what the ribbons are."""
    text = "Ribbons: one standard deviation over runs, not the error of their mean."
    return text + as_sentences(result.notes)
