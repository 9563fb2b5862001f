"""LIME in words."""

from __future__ import annotations

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.lime import LimeExplanation, LimeStatement
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_value, plus_minus
from hpo_explain.wording.subject import configuration, explained

_ROUNDED = 1e-9  # of an effect
_MODELS = {
    "linear": "linear model",
    "lasso": "linear model by the LASSO",
    "tree": "small tree",
    "rules": "set of rules",
}
_CONDITIONS = ("leaf", "rule")
_SAMPLES = "its spread over samples, the model's misfit included"
_FIT = {
    "linear": _SAMPLES,
    "lasso": _SAMPLES,
    "rules": _SAMPLES,
    "tree": "the spread of predictions within the leaf",
}
_MODEL = {
    "posterior": ", and the surrogate's own uncertainty, observation noise excluded",
    "trees": ", and the spread over the forest's trees, which is not a confidence interval",
    "": "; the surrogate's own uncertainty is not in it",
}


def _half(model: str, over: str) -> str:
    return f"1.96 standard deviations of an effect: {_FIT[model]}{_MODEL[over]}"


def _low_fidelity(fact: Fact) -> str:
    model = fact["model"]
    other = "more depth" if model in ("tree", "rules") else "a tree"
    return (
        f"The {_MODELS[model]} misses most of what the surrogate does here (held-out R² = "
        f"{fact['fidelity']:.2f}): do not interpret it. Try a smaller kernel_width, "
        f"sampling='local', or {other}."
    )


add_facts(
    {
        "low_fidelity": _low_fidelity,
        "effect_std": lambda fact: f"± is {_half(fact['model'], fact['over'])}",
        "effect_within_uncertainty": lambda fact: (
            f"the effect of {join_words(fact.names)} is within its uncertainty"
        ),
        "features_limited": lambda fact: (
            f"the model is limited to {fact['most']} of {fact['of']} hyperparameters: those that "
            f"{'the LASSO takes up first' if fact['model'] == 'lasso' else 'add most to R²'}"
        ),
        "not_varied": lambda fact: (
            f"the sample does not vary {join_words(fact.names)}, so nothing is said about it"
        ),
        "inactive_unchanged": "hyperparameters that are inactive in a sampled configuration count "
        "as unchanged",
    }
)


@sentence_of(LimeExplanation)
def sentence(result: LimeExplanation) -> str:
    """Say what changes the prediction, and whether the readable model can be interpreted."""
    about = f"around {configuration(result.subject)} (held-out R² = {result.held_out:.2f})"
    model, what = _MODELS[result.model], explained(result.subject)
    claims, told, unclear = [], [], []
    for said, claim in zip(result.leading, result.claims, strict=False):
        effect = (
            f"{_effect(said)} {'where' if said.kind in _CONDITIONS else 'for'} {statement(said)}"
        )
        if any(reason.kind == "effect_within_uncertainty" for reason in claim.because):
            unclear.append(effect)
        else:
            claims.append(claim)
            told.append(effect)
    if told:
        text = f"In a {model} {about} the {what} changes {join_words([f'by {t}' for t in told])}"
        if unclear:
            text += f"; within {_its(unclear)} uncertainty: {join_words(unclear)}"
    elif unclear:
        text = (
            f"In a {model} {about} the largest {'change' if len(unclear) == 1 else 'changes'} of "
            f"the {what} {'is' if len(unclear) == 1 else 'are'} within {_its(unclear)} "
            f"uncertainty: {join_words(unclear)}"
        )
    else:
        text = (
            f"In a {model} {about} no hyperparameter changes the {what}, which is "
            f"{format_value(result.prediction)}"
        )
    caution = "" if result.caution is None else f" {result.caution}"
    return f"{text}.{reservation(claims)}{caution}"


def _its(changes: list[str]) -> str:
    return "its" if len(changes) == 1 else "their"


def _effect(said: LimeStatement) -> str:
    """Return an effect with its sign, and with half its interval where that is not rounding."""
    half = said.half if said.half > _ROUNDED * abs(said.effect) else None
    return f"{'+' if said.effect >= 0.0 else ''}{plus_minus(said.effect, half)}"


def statement(said: LimeStatement) -> str:
    """Return a change, as in "lr from 0 to 1", or conditions, as in "lr ≤ 0.1 and layers > 2"."""
    if said.kind in _CONDITIONS:
        return " and ".join(map(str, said.values)) or "everywhere"
    return f"{said.names[0]} {change(said)}"


def change(said: LimeStatement) -> str:
    """Return a change without its hyperparameter, as in "from 0 to 1" or "= dart, not gbtree"."""
    was, becomes = said.values
    if said.kind == "presence":
        return "present" if becomes else "absent"
    if said.kind == "category":
        return f"= {format_value(becomes)}, not {format_value(was)}"
    return f"from {format_value(was)} to {format_value(becomes)}"


def parts(said: LimeStatement) -> tuple[str, ...]:
    """Return a statement in parts that may stand on lines of their own."""
    if said.kind not in _CONDITIONS:
        return said.names[0], change(said)
    first, *others = map(str, said.values or ("everywhere",))
    own = ["(its own leaf)"] if said.own else []
    return (first, *(f"and {text}" for text in others), *own)


def heading(result: LimeExplanation) -> str:
    """Return the plot's heading."""
    return f"What changes the {explained(result.subject)} around {configuration(result.subject)}"


def subtitle(result: LimeExplanation) -> str:
    """Return how far the readable model agrees with the surrogate, and a caution where little."""
    model = _MODELS[result.model]
    text = (
        f"{model} in place of the surrogate: weighted R² = {result.fidelity:.2f}, "
        f"held out {result.held_out:.2f}; predicted "
        f"{format_value(result.prediction)}, by the {model} {format_value(result.local_prediction)}"
    )
    return text if result.caution is None else f"{text}\nCaution: {result.caution}"


def label(result: LimeExplanation) -> str:
    """Return what the bars measure."""
    return f"change of the {explained(result.subject)}"


def footer(result: LimeExplanation) -> str:
    """Say where the readable model was fitted, and what the whiskers are."""
    together = "Effects of rules that hold together add up. " if result.model == "rules" else ""
    return (
        f"Fitted to the surrogate at {counted(result.sample_size, 'configuration')}, weighted by a "
        f"kernel of width {result.kernel_width:.2g} (effective sample size "
        f"{result.effective_size:.0f}). {together}"
        f"Whiskers: {_half(result.model, result.std_kind)}."
    )


def caption(result: LimeExplanation) -> str:
    """Return the caption of the plot in a report."""
    return (
        f"Effects on the {explained(result.subject)}, by a linear model around "
        f"{configuration(result.subject)}."
    )
