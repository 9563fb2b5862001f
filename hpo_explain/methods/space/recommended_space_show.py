"""How a recommended space is drawn: which part of each hyperparameter's values stays."""

from __future__ import annotations

from hpo_explain.base.figures import PALE, Bar, Rows, View
from hpo_explain.methods.space.recommended_space import Recommendation


def stays(recommendation: Recommendation) -> Rows:
    """Draw which part of each hyperparameter's values stays, along its own scale.

    Rows are labelled with these values.
    """
    return Rows(
        labels=[
            (r.hyperparameter, recommendation.text(r.hyperparameter, r.after))
            for r in recommendation.rows
        ],
        bars=[
            *(
                Bar(i, 0.0, 1.0, fill=PALE)
                for i, r in enumerate(recommendation.rows)
                if r.share < 1.0 or not r.after
            ),
            *(
                Bar(i, low, high, fill=0)
                for i, row in enumerate(recommendation.rows)
                for low, high in recommendation.stretches(row)
            ),
        ],
        fills={0: "stays", PALE: "given up"},
        heading="Recommended search space",
        subtitle="the remaining values, along each hyperparameter's own scale",
        label="position on the hyperparameter's own scale",
        ends=(0.0, 1.0),
        zero=False,
        percent=True,
    )


VIEWS = {"": View(stays, "The part of each hyperparameter's values that stays.")}
