import hpo_explain as hx
from hpo_explain.base.facts import fact
from tests.handmade import explanation


def check(error, **changes):
    phi = [[3.0, 0.0], [2.0, 0.25]]
    return hx.check_sample_size(explanation(phi, error=error, orders=100, **changes))


def test_sentences():
    assert check(0.01).sentence == (
        "The sample is large enough: all neighbours in the rankings can be told apart (95 %)."
    )
    assert check(0.1).sentence == (
        "The sample is too small to rank the hyperparameters by uncertainty: x1 and x0 cannot be "
        "told apart. Take more orders."
    )
    sampled = fact("kernel_explainer", players=13, sampled=True)
    assert "coalitions were sampled once, so their error is not known. Take" in (
        check(None, estimator=sampled).sentence
    )
    ax = check(0.1).plot()
    assert "100 orders; safe ranking by mean and total" in [t.get_text() for t in ax.texts]
