"""The catalog's questions: their functions exist, and the guide has the same rows."""

import hpo_explain as hx
from hpo_explain.catalog.methods import METHODS
from tests.public import public


def test_every_question_is_answered_by_a_public_function_of_its_own():
    for method in METHODS:
        assert public(method.name) is method.function
        assert method.asks.endswith("?")
        assert not method.limits.endswith(".")
    assert len({method.name for method in METHODS}) == len(METHODS)


def test_the_guide_prints_every_question(capsys):
    hx.guide()
    printed = capsys.readouterr().out
    assert all(len(line) <= 88 for line in printed.splitlines())
    told = " ".join(printed.split())
    for method in METHODS:
        assert f"{method.asks} {method.path} Limitations: {method.limits}" in told
