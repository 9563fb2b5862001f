"""A result in a line of the contents."""

import pytest

import hpo_explain as hx
from hpo_explain.reporting.section import MOST, line, shortened
from tests.handmade import NASTY, tuning_run

LONG = ["x" * 200, "model.encoder." * 14, "b c " * 50, "short"]


@pytest.mark.parametrize("names", [None, LONG, NASTY[-4:]])
def test_a_line_has_at_most_a_hundred_characters(names):
    run = tuning_run(
        20, **({} if names is None else {"names": names, "choices": NASTY[:2]})
    )
    found = [
        hx.methods.ablation(run),
        hx.methods.lime(run),
        hx.methods.local_importance(run),
        hx.importance(run),
    ]
    for result in found:
        assert 10 < len(line(result)) <= MOST


@pytest.mark.parametrize(
    "text", ["short", "a" * 300, "word " * 60, "ab " * 20 + "c" * 200]
)
def test_a_text_is_cut_between_words_where_it_has_any(text):
    cut = shortened(text)
    assert len(cut) <= MOST
    assert cut == text or cut.endswith("…")
    if " " in text and len(text) > MOST:
        assert text.startswith(cut.removesuffix("…").rstrip())
