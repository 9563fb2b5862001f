"""What the reader of scikit-learn's searches leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names


def _grid_as_range(fact: Fact) -> str:
    is_are, has = ("is", "its") if len(fact.names) == 1 else ("are", "their")
    return (
        f"grid: {names(fact)} {is_are} read as a range of numbers; what is said about values "
        f"between those of {has} grid is predicted, not tried"
    )


def _distribution_as_range(fact: Fact) -> str:
    scale = "logarithmic" if fact["log"] else "linear"
    return (
        f"{names(fact)}: drawn from the distribution {fact['law']}; here every value of its range "
        f"weighs the same, on a {scale} scale"
    )


def _refit_chose_another(fact: Fact) -> str:
    chosen, best = fact.trials
    return (
        f"refit: the search's own rule chose trial {chosen}; the best {names(fact)} is that of "
        f"trial {best}, which is called the best here"
    )


add_facts(
    {
        "grid_as_range": _grid_as_range,
        "distribution_as_range": _distribution_as_range,
        "refit_chose_another": _refit_chose_another,
    }
)


# ---------------------------------------------------------------------- fidelity


def _another_fidelity(fact: Fact) -> str:
    if fact["value"] is None:
        return f"its {names(fact)} is not known"
    return f"its {names(fact)} is {fact['value']:g}, not {fact['level']:g}"


def _fidelity_level(fact: Fact) -> Text:
    counts = dict(zip(fact["levels"], fact["counts"], strict=True))
    level = fact["level"]
    others = ", ".join(f"{n} at {at:g}" for at, n in counts.items() if at != level)
    return (
        f"fidelity: only results at {names(fact)} = {level:g} count ({counts.get(level, 0)}); left "
        f"out, as they are not comparable with these: {others}; ",
        Option("level"),
        " chooses",
    )


add_facts({"another_fidelity": _another_fidelity, "fidelity_level": _fidelity_level})
