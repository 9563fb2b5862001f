"""Texts that know what stands where in them."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_explain.base.claim import reservation, told_apart
from hpo_explain.base.facts import fact
from hpo_explain.base.phrases import (
    Wording,
    capitalized,
    chained,
    join_words,
    joined,
    printable,
    trial_number,
)


def marked(text):
    """What stands at the places of a text, and which trial or hint it has."""
    return [(text[p.start : p.end], p.trial if p.hint == "" else p.hint) for p in text.places]


# Of all characters hypothesis would make a table first, which takes seconds.
TEXTS = st.text(st.sampled_from("ab ,.{}%\n\0é∞\u0301😀"))


@given(st.lists(st.tuples(TEXTS, st.integers(0, 9) | st.none())))
def test_a_chain_is_the_texts_and_has_their_places(parts):
    texts = [text if trial is None else Wording.of(text, trial=trial) for text, trial in parts]
    for whole, between in ((chained(texts), ""), (joined(texts, ", "), ", ")):
        assert whole == between.join(text for text, _ in parts)
        expected = [part for part in parts if part[1] is not None]
        assert marked(whole) if expected else not hasattr(whole, "places")
        if expected:
            assert marked(whole) == expected


def test_sentences_keep_the_places_of_facts():
    about = fact("it is compared with trial ", trial_number(7), ", the best one by then")
    assert marked(str(about)) == [("7", 7)]
    for text in (told_apart([about]), reservation([about])):
        assert marked(text) == [("7", 7)]
    assert told_apart([about]).startswith("It is compared with trial 7,")
    words = [str(about), "nothing", str(fact("trials ", trial_number(8), " and ", trial_number(9)))]
    assert marked(join_words(words)) == [("7", 7), ("8", 8), ("9", 9)]


def test_it_is_a_text_like_any_other():
    text = chained(["trial ", trial_number(4)])
    assert isinstance(text, str)
    assert {text: 1}["trial 4"] == 1
    again = pickle.loads(pickle.dumps(text))
    assert again == text
    assert marked(again) == marked(text) == [("4", 4)]
    assert marked(printable(text)) == marked(text)


@pytest.mark.parametrize("text", ["", "ß at 4", "ŉ", "a"])
def test_a_capital_moves_no_place(text):
    whole = chained([text, Wording.of("4", trial=4)])
    begun = capitalized(whole)
    assert begun == whole[:1].upper() + whole[1:]
    assert not hasattr(begun, "places") or marked(begun) == [("4", 4)]


def test_a_fact_of_a_users_own_has_words_and_no_places():
    assert not hasattr(str(fact("my own")), "places")
