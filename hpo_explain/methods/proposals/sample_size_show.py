"""How a check of the number of orders is drawn: differences of neighbours in the rankings."""

from __future__ import annotations

from itertools import compress
from math import isfinite, nan

from hpo_explain.base import join_words, sentences
from hpo_explain.base.figures import Bar, Rows, View
from hpo_explain.methods.proposals.sample_size import SampleSizeCheck


def closest(check: SampleSizeCheck) -> Rows:
    """Draw for each term the difference of the two neighbours that are told apart worst."""
    rows = [(term, pair) for term, pair in check.closest.items() if pair is not None]
    whiskers = "95 % interval of their difference, for all pairs and terms together"
    if check.error == "efficiency":
        whiskers = "the efficiency error"
    safe = join_words([*compress(check.by, check.safe)]) or "no term"
    return Rows(
        labels=[(term, " − ".join(pair.pair)) for term, pair in rows],
        bars=[
            Bar(i, 0.0, pair.difference, pair.half_width if isfinite(pair.half_width) else nan)
            for i, (_, pair) in enumerate(rows)
        ],
        heading="Is the sample large enough to rank the hyperparameters?",
        subtitle=sentences(
            check.orders is not None and f"{check.orders} orders;", f"safe ranking by {safe}"
        ),
        label="difference between two contributions that are neighbours in the ranking",
        footer="For each term, the two neighbours that are hardest to distinguish. Whiskers: "
        f"{whiskers}; the ranking is safe if they do not reach 0.",
    )


VIEWS = {"": View(closest, "The closest neighbours in each ranking.")}
