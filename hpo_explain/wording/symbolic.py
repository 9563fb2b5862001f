"""A formula of an effect in words."""

from __future__ import annotations

from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.symbolic import SymbolicEffect
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_level, number

add_facts(
    {
        "formula_of_effect": lambda fact: (
            f"the formula is that of the partial dependence at {fact['points']} points, of which a "
            "quarter decide how many terms it has, and another quarter its R²"
        ),
        "rarely_together": lambda fact: (
            f"{join_words(fact.names)} are hardly ever active together"
            if len(fact.names) > 1
            else f"{fact.names[0]} is hardly ever active"
        ),
        "formula_may_not_fit": lambda fact: (
            f"with some effects that the trials allow its R² is only {_r2(fact['low'])}"
        ),
        "formula_may_fit": lambda fact: (
            f"with some effects that the trials allow its R² is {_r2(fact['high'])}"
        ),
        "effect_not_told": "the trials do not tell the effect from none",
    }
)


def formula(result: SymbolicEffect) -> str:
    """Return the formula, with as many digits as its values need."""
    spread = float(result.fitted.max() - result.fitted.min())
    text = _rounded(result.intercept, spread / 10.0)
    for term in result.terms:
        sign = "−" if term.coefficient < 0.0 else "+"
        text += f" {sign} {_rounded(abs(term.coefficient), 0.0)} · {term.label}"
    return f"{result.objective_name} ≈ {text}"


def _rounded(value: float, error: float) -> str:
    """Return a number to three digits, or more where the error asked for is smaller."""
    return format_level(value, error, 3).replace("-", "−")


@sentence_of(SymbolicEffect)
def sentence(result: SymbolicEffect) -> str:
    """Say the formula and how well it fits, or that there is none."""
    (claim,) = result.claims
    of = f"the effect of {join_words([*result.names])} on the {result.objective_name}"
    if claim.kind == "formula":
        low, high = claim.interval or (result.r2, result.r2)
        return (
            f"{result.formula} describes {of}: R² is {_r2(result.r2)} with the model's prediction, "
            f"and {_r2(low)} to {_r2(high)} with 95% of the effects that the trials allow."
            + reservation([claim])
        )
    if not result.told:
        return f"No formula is given for {of}: {join_words([str(f) for f in claim.because])}."
    best = (
        f"the best sum of {counted(len(result.terms), 'term')} has an R² of {_r2(result.r2)}"
        if result.terms
        else "the prediction does not change with them"
    )
    return (
        f"No short formula describes {of}: {best} (at least {_r2(result.least)} is asked for)."
        + reservation([claim])
    )


def _r2(value: float) -> str:
    return number(value, 2 if value < 0.99 else 3)


MODEL = "the model's prediction"
FORMULA = "the formula"
DIAGONAL = "where both agree"
X_LABEL = "by the formula"


def heading(result: SymbolicEffect) -> str:
    """Return the heading of the plot."""
    return f"A formula for the effect of {join_words([*result.names])}"


def subtitle(result: SymbolicEffect) -> str:
    """Return the formula, or that there is none."""
    shown = result.formula or "no formula: see the sentence of the result"
    return f"{shown}\nR² {_r2(result.r2)} at the points held out"


def y_label(objective: str) -> str:
    """Return the label of the prediction's axis."""
    return f"predicted {objective}"


def footer(result: SymbolicEffect) -> str:
    """Say what the points are."""
    return (
        f"{int(result.held_out.sum())} points held out, on average over all other hyperparameters."
    )
