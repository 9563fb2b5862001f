"""How an important subspace is drawn: the share explained by one hyperparameter, two, and so on."""

from __future__ import annotations

from hpo_explain.base import filled
from hpo_explain.base.figures import Bar, Rows, View
from hpo_explain.methods.space.subspace_result import Subspace


def steps(subspace: Subspace) -> Rows:
    """Draw the share explained by one hyperparameter, by two, and so on, up to the set."""
    shares = zip(
        subspace.explained.tolist(), subspace.std.tolist(), strict=True
    )
    return Rows(
        labels=[
            (f"+ {name}" if k else name,)
            for k, name in enumerate(subspace.names)
        ],
        bars=[
            Bar(k, 0.0, share, std) for k, (share, std) in enumerate(shares)
        ],
        heading="Important subspace",
        subtitle=filled(
            "share of the variance that the first, the first two, and so on explain with their "
            "interactions; {share:%} was asked for",
            share=subspace.share,
        ),
        label="share of the variance, explained together",
        footer="Whiskers: standard deviation over the forest's trees, not a confidence interval.",
        guides=[(subspace.share, "guide")],
        means={"guide": "share asked for"},
        percent=True,
        positive=True,
    )


VIEWS = {
    "": View(
        steps,
        "The share of the variance that the set explains, member by member.",
    )
}
