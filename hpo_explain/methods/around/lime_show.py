"""How LIME is drawn: what changes the prediction around one configuration."""

from __future__ import annotations

from hpo_explain.base import counted, format_value
from hpo_explain.base.figures import Bar, Rows, View
from hpo_explain.methods.around.lime_result import LimeExplanation, LimeStatement, whiskers


def effects(explanation: LimeExplanation) -> Rows:
    """Draw the effects of a linear model's changes, or of a tree's leaves, as bars.

    Plain bars improve, hatched ones do not; whiskers are 95 % intervals. The fidelity stands over
    the bars, with a caution where it is low. At most 20 rows are drawn.
    """
    shown, readable = explanation.statements[: Rows.MOST], explanation.readable
    bars = []
    for row, statement in enumerate(shown):
        is_worse = (statement.effect > 0.0) == explanation.subject.lower_is_better
        bars.append(Bar(row, 0.0, statement.effect, statement.half, fill=int(is_worse)))
    there = {bar.fill for bar in bars if bar.end}
    cautions = "".join(f"\nCaution: {remark}." for remark in explanation.remarks)
    footer = (
        f"Fitted to the surrogate at {counted(explanation.sample_size, 'configuration')}, "
        f"weighted by a kernel of width {explanation.kernel_width:.2g} (effective sample size "
        f"{explanation.effective_size:.0f}). Whiskers: "
        f"{whiskers(explanation.model, explanation.draws.shape[1] > 1)}."
    )
    left_out = len(explanation.statements) - len(shown)
    if left_out:
        footer += f" Smaller, not shown: {left_out}."
    return Rows(
        labels=[_parts(statement) for statement in shown],
        bars=bars,
        fills={fill: what for fill, what in enumerate(("better", "worse")) if fill in there},
        heading=f"What changes the {explanation.what} around {explanation.where}",
        subtitle=f"{readable} in place of the surrogate: weighted R² = {explanation.fidelity:.2f}, "
        f"held out {explanation.held_out:.2f}; predicted {format_value(explanation.prediction)}, "
        f"by the {readable} {format_value(explanation.local_prediction)}{cautions}",
        label=f"change of the {explanation.what}",
        footer=footer,
    )


def _parts(statement: LimeStatement) -> tuple[str, ...]:
    """Return a statement in parts that may stand on lines of their own."""
    if not statement.conditional:
        return statement.names[0], statement.change
    first, *others = map(str, statement.values or ("everywhere",))
    texts = [first, *(f"and {text}" for text in others)]
    if statement.own:
        texts.append("(its own leaf)")
    return tuple(texts)


VIEWS = {
    "": View(effects, "Effects on the {found.what}, by a {found.readable} around {found.where}.")
}
