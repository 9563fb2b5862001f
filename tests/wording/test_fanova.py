import pytest

from hpo_explain.base.facts import fact
from hpo_explain.wording import fanova as words
from tests.plotting.shares import one_tree, shares_of

SHARES = {(0,): [0.1, 0.3], (1,): [0.5, 0.3], (0, 1): [0.3, 0.3]}


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            shares_of(SHARES),
            "What the loss depends on most: x1 (40% ± 10%), x0 × x1 (30% ± 0%) and x0 (20% ± 10%) "
            "of its variance; single hyperparameters explain 60% ± 0% together.",
        ),
        (
            one_tree(0.75, 0.25, given={"x0": [0.1, 0.5]}),
            "What the loss depends on most given x0 between 0.1 and 0.5: x0 (75% ± 0%) and x1 "
            "(25% ± 0%) of its variance; single hyperparameters explain 100% ± 0% together.",
        ),
        (one_tree(1.0), "What the loss depends on most: x0 (100% ± 0%) of its variance."),
        (
            one_tree(0.0, variances=one_tree(0.0).shares[:, 0]),
            "The predicted loss is constant: no hyperparameter matters.",
        ),
    ],
    ids=["interactions", "sub-space", "one", "constant"],
)
def test_the_sentence(result, sentence):
    assert result.sentence == sentence


def test_the_subtitle_says_where_and_how_much_each_order_explains():
    result = shares_of({**SHARES, (2,): [0.0, 0.0]})
    assert words.subtitle(result, "") == (
        "over the whole search space\nhyperparameters alone 60%, pairs 30%, larger interactions 10%"
    )
    capped = one_tree(0.5, cap=0.25, direction="maximize", fidelity=0.9812)
    assert words.subtitle(capped, "x0 in {1, 2}") == (
        "given x0 in {1, 2}; predictions below 0.25 count as 0.25\n"
        "hyperparameters alone 50%\n"
        "forest distilled from the model: R² = 0.981"
    )


def test_many_unstable_neighbours_are_counted():
    assert words.footer(one_tree(1.0), [("a", "b")] * 5) == (
        "Whiskers: standard deviation over the trees of the forest, not a confidence interval. "
        "Not in the same order in all trees: a and b; a and b; a and b; and 2 more."
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (fact("trees_constant", constant=1, trees=64), "1 of 64 trees is constant and has no "),
        (fact("predictions_capped", cap=0.5, direction="minimize"), "predictions above 0.5 count"),
        (fact("forest_distilled", fidelity=0.9), "the model was distilled into a forest with R²"),
        (fact("totals_left_out", pairs=2e9), "total effects are left out: they need 2.0e+09 pairs"),
    ],
)
def test_notes(found, text):
    assert str(found).startswith(text)
