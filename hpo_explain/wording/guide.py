"""Which explanation answers which question, and its limitations."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from hpo_explain.catalog.methods import (
    ABLATION,
    ACCUMULATED_LOCAL_EFFECTS,
    PARTIAL_DEPENDENCE,
)


class Question(NamedTuple):
    """A question, the function that answers it, and the limitations of the answer.

    Examples
    --------
    >>> QUESTIONS[-1].function
    'trust'
    """

    asks: str
    function: str
    limitations: str


QUESTIONS = (
    Question(
        "What did each trial reach, and when was the best found?",
        "history",
        "says what was observed: the best of noisy results is better than its average",
    ),
    Question(
        "Why did the optimizer try this configuration?",
        "explain_proposal",
        "explains what the optimizer's model expected, not whether it was right",
    ),
    Question(
        "How did these reasons change during the run?",
        "desirability_path",
        "does not say which trials other reasons would have led to",
    ),
    Question(
        "Why is this objective predicted for a configuration, or for many?",
        "explain_prediction",
        "does not say what a change of the configuration would do (for many configurations: "
        "`hx.explain_predictions`)",
    ),
    Question(
        "What does the objective depend on, over the whole space?",
        "importance",
        "does not say which values are good, or what matters near the best configuration",
    ),
    Question(PARTIAL_DEPENDENCE.asks, PARTIAL_DEPENDENCE.name, PARTIAL_DEPENDENCE.limits),
    Question(
        "What are the effects of all that matters, in one figure?",
        "partial_dependences",
        "averages, as each of them; what matters is judged by the same model",
    ),
    Question(
        "Where is the model certain of such an effect?",
        "regional_partial_dependence",
        "the effect stays uncertain where hardly anything was tried",
    ),
    Question(
        ACCUMULATED_LOCAL_EFFECTS.asks,
        ACCUMULATED_LOCAL_EFFECTS.name,
        ACCUMULATED_LOCAL_EFFECTS.limits,
    ),
    Question(
        "Which short formula describes the effect of one to three hyperparameters?",
        "symbolic",
        "a sum of powers, logarithms and products; none is given where it does not fit, or where "
        "the effect is not certain",
    ),
    Question(
        "Which hyperparameters act together?",
        "h_statistic",
        "does not say how (draw the partial dependence of the pair); H can be large for a pair "
        "that hardly matters",
    ),
    Question(
        "What do hyperparameters do together at one configuration?",
        "shapley_interactions",
        "explains the model's prediction (or the acquisition) there, not what matters elsewhere; "
        "with more than 11 hyperparameters those that contribute least play as one",
    ),
    Question(
        "What can tuning gain over a default, and which hyperparameters are worth it?",
        "tunability",
        "what the model predicts: the best values of a set that hardly any trial tried may be"
        " too good",
    ),
    Question(
        "What can wrong values lose against a default?",
        "mistunability",
        "what the model predicts; values that nobody would choose count as well",
    ),
    Question(
        "How much does the objective vary with hyperparameters around a default?",
        "sensitivity",
        "depends on the default (`hx.importance` averages over the others)",
    ),
    Question(
        "Which hyperparameters did the optimizer leave short of what they can gain?",
        "optimizer_bias",
        "by the model that learned from the same run, unless other runs are given (`ensemble=`)",
    ),
    Question(ABLATION.asks, ABLATION.name, ABLATION.limits),
    Question(
        "What matters around the best configuration?",
        "local_importance",
        "does not say in which direction, or what two changes do together",
    ),
    Question(
        "What changes the prediction here, in a model I can read?",
        "lime",
        "holds within the width of its kernel, and only as far as its R² says",
    ),
    Question(
        "Which configuration does the model predict to be the best, tried or not?",
        "expected_minimum",
        "the best of many predictions promises too much, the more the fewer trials are near",
    ),
    Question(
        "What should be done next?",
        "advise",
        "only what the other explanations are certain of; gains are those that the model expects",
    ),
    Question(
        "Which part of the space was explored, and what is predicted elsewhere?",
        "footprint",
        "a map of many dimensions in two: neighbours on it may be far apart (its stress says how "
        "far it is off)",
    ),
    Question(
        "Which values can be left out of the search?",
        "recommended_space",
        "a value is kept where the model is uncertain or hardly anything was tried, so few trials "
        "narrow little",
    ),
    Question(
        "Which hyperparameters can stay fixed?",
        "subspace",
        "only what the model is certain of, so few trials fix little",
    ),
    Question(
        "Which trials would reduce the uncertainty of an effect?",
        "next_experiments",
        "does not say where the best configuration is",
    ),
    Question(
        "Where do results scatter, and what does that depend on?",
        "noise",
        "needs configurations that were evaluated several times (repeats, folds); where few were, "
        "only large differences can be told",
    ),
    Question(
        "How early is the final rank of a trial known, and what would stopping it early cost?",
        "learning_curves",
        "ranks and losses are those of finished trials, noise included; a pruner would also change "
        "which trials are proposed",
    ),
    Question(
        "What do several runs (seeds, data sets) share, and what is good in all of them?",
        "compare",
        "needs a trusted model of each run; of other spaces only what all have is compared",
    ),
    Question(
        "Which trials are best in several objectives, and what does moving between them cost?",
        "pareto",
        "says what the models expect of a move; a trial on the front may be there by luck",
    ),
    Question(
        "Is the model behind these explanations good enough?",
        "trust",
        "does not say whether the model is right where nothing was tried",
    ),
)


def guide(width: int = 88) -> str:
    """Return the questions as text, on lines of at most `width` characters."""
    return "\n".join(
        f"{question.asks}\n    hx.{question.function}\n"
        + textwrap.fill(
            f"Limitations: {question.limitations}",
            width,
            initial_indent="    ",
            subsequent_indent="    ",
        )
        for question in QUESTIONS
    )
