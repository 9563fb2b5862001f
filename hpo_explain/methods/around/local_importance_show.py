"""How local importance is drawn."""

from __future__ import annotations

from hpo_explain.base import filled, format_value
from hpo_explain.base.figures import Bar, Rows, View, folded
from hpo_explain.methods.around.local_importance_result import LocalImportance

_WHISKERS = {
    True: "Whiskers: standard deviation over what the trials allow.",
    False: "Whiskers: standard deviation over the trees, not a confidence interval.",
}


def shares(found: LocalImportance) -> Rows:
    """Draw the shares of the variance around a configuration as bars, the largest on top."""
    known = {name for name, _, _ in found.curves}
    kept, rest = folded(
        [j for j in found.order().tolist() if found.names[j] in known]
    )
    std = (
        [None] * len(found.names) if found.std is None else found.std.tolist()
    )
    labels = [
        (
            found.names[j],
            f"= {format_value(found.config.get(found.names[j], 'absent'))}",
        )
        for j in kept
    ]
    bars = [
        Bar(i, 0.0, float(found.importance[j]), std[j])
        for i, j in enumerate(kept)
    ]
    if rest:
        labels.append((f"{len(rest)} others (sum)", ""))
        bars.append(Bar(len(kept), 0.0, float(found.importance[rest].sum())))
    inactive = len(found.names) - len(known)
    return Rows(
        labels=labels,
        bars=bars,
        heading=f"What matters around {found.where}",
        subtitle=filled(
            "variance of the {found.what} when one hyperparameter alone takes its other values; "
            "here it is {found.prediction}",
            found=found,
        ),
        label="share of the variance along single hyperparameters",
        footer=" ".join(
            [_WHISKERS[found.drawn is not None]] * (found.std is not None)
            + [f"Not shown: {inactive} inactive."] * bool(inactive)
        ),
        percent=True,
        positive=True,
    )


VIEWS = {
    "": View(
        shares, "Variance of the {found.what} along single hyperparameters."
    )
}
