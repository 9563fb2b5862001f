import hpo_explain as hx
from tests.handmade import explanation


def check(gap, **changes):
    gaps = {"mean": gap, "uncertainty": 0.0, "total": gap}
    phi = [[3.0, 0.0], [2.0, 0.5]]
    return hx.check_sample_size(explanation(phi, efficiency_gap=gaps, draws=100, **changes))


def test_sentences():
    assert check(0.1).sentence == (
        "The sample is large enough: the efficiency error cannot change any ranking."
    )
    assert check(2.0).sentence == (
        "The sample is too small: the efficiency error could change the ranking by mean and total. "
        "Take more draws."
    )
    ax = check(0.7).plot()
    assert "100 draws; safe ranking by mean and uncertainty" in [t.get_text() for t in ax.texts]
