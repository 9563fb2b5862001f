"""Which explanation answers which question, and what it cannot tell."""

from __future__ import annotations

import textwrap
from typing import NamedTuple


class Question(NamedTuple):
    """A question, the function that answers it, and what the answer leaves open.

    Examples
    --------
    >>> QUESTIONS[-1].function
    'trust'
    """

    asks: str
    function: str
    cannot_tell: str


QUESTIONS: tuple[Question, ...] = (
    Question(
        "Why did the optimizer try this configuration?",
        "explain_proposal",
        "whether it was right: it explains what the optimizer's model hoped for",
    ),
    Question(
        "How did those reasons change during the run?",
        "desirability_path",
        "what the trials would have been with other reasons",
    ),
    Question(
        "Why is this objective predicted for a configuration, or for many?",
        "explain_prediction",
        "what a change of the configuration would do (for many: `hx.explain_predictions`)",
    ),
    Question(
        "What does the objective depend on, over the whole space?",
        "importance",
        "which values are good, and what matters near the best configuration",
    ),
    Question(
        "How does a hyperparameter act, and how sure is that?",
        "partial_dependence",
        "what averaging hides: opposite effects in different parts of the space",
    ),
    Question(
        "Where is the model sure of such an effect?",
        "regional_partial_dependence",
        "the effect where hardly anything was tried",
    ),
    Question(
        "Which hyperparameters act together?",
        "h_statistic",
        "how: draw the partial dependence of the pair; a pair that hardly matters can have a "
        "large H",
    ),
    Question(
        "Which changes lead from the default to the best configuration?",
        "ablation",
        "a fair share of changes that act together: its order decides (the Shapley values beside "
        "it do not)",
    ),
    Question(
        "What matters around the best configuration?",
        "local_importance",
        "in which direction, and what two changes do together",
    ),
    Question(
        "What changes the prediction here, in a model I can read?",
        "lime",
        "more than its R² allows, and anything beyond the width of its kernel",
    ),
    Question(
        "Which trials would make an effect surer?",
        "next_experiments",
        "where the best configuration is",
    ),
    Question(
        "Can the model behind all these be believed?",
        "trust",
        "whether it is right where nothing was tried",
    ),
)


def questions_text(width: int = 88) -> str:
    """Return the questions as text, one after the other, on lines of at most `width` characters."""
    return "\n".join(
        f"{question.asks}\n    hx.{question.function}\n"
        + textwrap.fill(
            f"cannot tell {question.cannot_tell}",
            width,
            initial_indent="    ",
            subsequent_indent="    ",
        )
        for question in QUESTIONS
    )
