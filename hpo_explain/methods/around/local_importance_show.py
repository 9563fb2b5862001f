"""How local importance is drawn."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import format_value
from hpo_explain.base.figures import Bar, Rows, View
from hpo_explain.methods.around.local_importance import LocalImportance

_WHISKERS = {
    True: "Whiskers: standard deviation over functions drawn from the posterior.",
    False: "Whiskers: standard deviation over the trees, not a confidence interval.",
}


def shares(importance: LocalImportance) -> Rows:
    """Draw the shares of the variance around a configuration as bars, the largest on top."""
    varied = importance.varied
    shown, rest = Rows.folded([j for j in importance.order().tolist() if varied[j]])
    labels, bars = [], []
    for row, j in enumerate(shown):
        name = importance.names[j]
        value = format_value(importance.config.get(name, "absent"))
        std = float(importance.std[j])
        labels.append((name, f"= {value}"))
        bars.append(Bar(row, 0.0, float(importance.importance[j]), std))
    if rest:
        labels.append((f"{len(rest)} others (sum)", ""))
        bars.append(Bar(len(shown), 0.0, float(importance.importance[rest].sum())))
    footer = []
    if np.isfinite(importance.std).any():
        footer.append(_WHISKERS[len(importance.draws) > 1])
    n_inactive = int((~varied).sum())
    if n_inactive:
        footer.append(f"Not shown: {n_inactive} inactive.")
    return Rows(
        labels=labels,
        bars=bars,
        heading=f"What matters around {importance.where}",
        subtitle=f"variance of the {importance.what} when one hyperparameter alone takes its other "
        f"values; here it is {format_value(importance.prediction)}",
        label="share of the variance along single hyperparameters",
        footer=" ".join(footer),
        percent=True,
        positive=True,
    )


VIEWS = {"": View(shares, "Variance of the {found.what} along single hyperparameters.")}
