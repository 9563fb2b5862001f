import hpo_explain as hx
from tests.handmade import explanation


def test_sentences():
    both = hx.aggregate([explanation([[0.5, 0.1], [0.2, 0.0]]) for _ in range(2)])
    assert both.sentence == (
        "On average over 2 runs, x0 and x1 mattered most to what was proposed under LCB (κ = 1.96)."
    )
    nothing = hx.aggregate([explanation([[0.0, 0.0], [0.0, 0.0]]) for _ in range(2)])
    assert nothing.sentence == "No hyperparameter stands out on average over 2 runs."
