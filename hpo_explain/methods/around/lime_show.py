"""How LIME is drawn: what changes the prediction around one configuration."""

from __future__ import annotations

from hpo_explain.base import counted, filled
from hpo_explain.base.figures import MOST_ROWS, Bar, Rows, View
from hpo_explain.methods.around.lime_result import (
    LimeExplanation,
    LimeStatement,
    whiskers,
)


def effects(found: LimeExplanation) -> Rows:
    """Draw the effects of a linear model's changes, of rules, or of a tree's leaves, as bars.

    Plain bars improve, hatched ones do not; whiskers are 95 % intervals. The fidelity stands over
    the bars, with a caution where it is low. At most 20 rows are drawn.
    """
    drawn, sign = (
        found.statements[:MOST_ROWS],
        1.0 if found.subject.lower_is_better else -1.0,
    )
    bars = [
        Bar(i, 0.0, s.effect, s.half, fill=int(sign * s.effect > 0.0))
        for i, s in enumerate(drawn)
    ]
    there = {bar.fill for bar in bars if bar.end}
    rules = "Effects of rules that hold together add up. " * (
        found.model == "rules"
    )
    half = whiskers(found.model, found.drawn is not None)
    left_out = len(found.statements) - len(drawn)
    return Rows(
        labels=[_parts(s) for s in drawn],
        bars=bars,
        fills={
            fill: what
            for fill, what in enumerate(("better", "worse"))
            if fill in there
        },
        heading=f"What changes the {found.what} around {found.where}",
        subtitle=filled(
            "{found.readable} in place of the surrogate: weighted R² = {found.fidelity:.2f}, held "
            "out {found.held_out:.2f}; predicted {found.prediction}, by the {found.readable} "
            "{found.local_prediction}",
            found=found,
        )
        + "".join(f"\nCaution: {remark}." for remark in found.remarks),
        label=f"change of the {found.scale}",
        footer=f"Fitted to the surrogate at {counted(found.sample_size, 'configuration')}, "
        f"weighted by a kernel of width {found.kernel_width:.2g} (effective sample size "
        f"{found.effective_size:.0f}). {rules}Whiskers: {half}."
        + f" Smaller, not shown: {left_out}."
        * bool(left_out),
    )


def _parts(said: LimeStatement) -> tuple[str, ...]:
    """Return a statement in parts that may stand on lines of their own."""
    if not said.conditional:
        return said.names[0], said.change
    first, *others = map(str, said.values or ("everywhere",))
    return (
        first,
        *(f"and {text}" for text in others),
        *["(its own leaf)"] * said.own,
    )


VIEWS = {
    "": View(
        effects,
        "Effects on the {found.what}, by a {found.readable} around {found.where}.",
    )
}
