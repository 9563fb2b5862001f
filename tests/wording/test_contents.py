import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.wording.contents import MOST, line, shortened
from tests.handmade import NASTY, explanation, tuning_run

LONG = ["x" * 200, "model.encoder." * 14, "b c " * 50, "short"]


@pytest.fixture(scope="module", params=["plain", "long", "nasty"])
def run(request):
    names = {"long": LONG, "nasty": NASTY[-4:]}.get(request.param)
    options = {} if names is None else {"names": names, "choices": NASTY[:2]}
    return tuning_run(20, **options)


def test_a_line_has_at_most_a_hundred_characters(run):
    found = [hx.ablation(run), hx.lime(run), hx.local_importance(run), hx.importance(run)]
    found += [hx.partial_dependence(run, name) for name in run.space.names]
    found += [hx.subspace(run), hx.recommended_space(run), hx.explain_proposal(run, "latest")]
    for result in found:
        assert 10 < len(line(result)) <= MOST
        assert line(result).endswith(".")


def test_a_line_says_what_is_certain_first_and_else_that_it_is_not():
    phi = np.array([[3.0, 0.0], [1.0, 0.0]])
    assert line(explanation(phi)) == "x0 = 0 speaks most for it."
    assert line(explanation(phi, unsure=9.0)) == "x0 = 0 speaks most for it; not certain."
    assert line(explanation(-phi)) == "x0 = 0 speaks most against it."


def test_what_explains_nothing_makes_a_line_as_well():
    assert line(explanation(np.zeros((2, 2)))) == (
        "No better and no worse than an average configuration."
    )


@pytest.mark.parametrize("text", ["short", "a" * 300, "word " * 60, "ab " * 20 + "c" * 200])
def test_a_text_is_cut_between_words_where_it_has_any(text):
    cut = shortened(text)
    assert len(cut) <= MOST
    assert cut == text or cut.endswith("…")
    if " " in text and len(text) > MOST:
        assert text.startswith(cut.removesuffix("…").rstrip())
