"""Several partial dependences in words."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.partial_dependences import PartialDependences
from hpo_explain.methods.effects.effect_result import PartialDependence, flat_level
from hpo_explain.methods.effects.effect_show import band_caption
from hpo_explain.methods.importance.fanova_result import SEPARATOR
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.numbers import percent
from hpo_explain.wording.plots import not_shown

_MOST = 6  # effects that are told


@sentence_of(PartialDependences)
def sentence(result: PartialDependences) -> str:
    """Say which values are best on average, by effect, and once why that is not certain."""
    told = result.effects[:_MOST]
    flat = [effect for effect in told if effect.claims[0].kind == "flat"]
    parts = [effect.claims[0].text for effect in told if effect not in flat]
    parts += [_same(flat), _cautions(told)]
    rest = len(result) - len(told)
    parts.append(f"The table has {counted(rest, 'more effect')}." if rest else "")
    parts.append(left_out(result))
    return " ".join(filter(None, parts))


def _same(effects: Sequence[PartialDependence]) -> str:
    """Say of several effects at once that they make no difference."""
    if len(effects) < 2:
        return "".join(effect.claims[0].text for effect in effects)
    told = [f"{SEPARATOR.join(e.names)} ({flat_level(e)})" for e in effects]
    objective = effects[0].subject.objective_name
    return f"On average the {objective} is the same for every value of {join_words(told)}."


def _cautions(effects: Sequence[PartialDependence]) -> str:
    """Say why findings are not certain, each reason once, with the effects it is about."""
    found: dict[str, list[str]] = {}
    for effect in effects:
        caution = effect.caution
        if caution:
            found.setdefault(caution, []).append(SEPARATOR.join(effect.names))
    if len(found) == 1 and len(*found.values()) == len(effects):
        return next(iter(found))
    return " ".join(f"{join_words(names)}: {caution}" for caution, names in found.items())


def left_out(result: PartialDependences) -> str:
    """Say how many hyperparameters have no effect here, and what they explain; else nothing."""
    if not result.left_out or not result.shares:
        return ""
    n, share = len(result.left_out), percent(result.share_left_out)
    alone = "explains alone" if n == 1 else "explain alone, in sum,"
    return f"{counted(n, 'other hyperparameter')} {alone} {share} of the variance."


# ---------------------------------------------------------------------- plots


def heading(objective: str) -> str:
    """Return the plot's heading, from the name as it is written."""
    return f"Effects on the {objective}"


def in_brackets(share: float | None) -> str:
    """Return what stands behind the title of a panel: the share of the variance, if known."""
    return "" if share is None else f" ({percent(share)})"


def footer(result: PartialDependences, *, dimmed: str, not_drawn: int, categories: int) -> str:
    """Say what the band is of, what is in brackets, and what is not shown."""
    text = f"{band_caption(result.effects[0])} {dimmed}".rstrip()
    if result.shares:
        text += " In brackets over a panel: share of the variance that it explains (of a pair, "
        text += "its interaction)."
    if categories:
        text += not_shown(categories, "worse category", "worse categories")
    text += not_shown(not_drawn, "further effect", "further effects")
    told = left_out(result)
    return f"{text} {told}" if told else text
