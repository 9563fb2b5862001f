"""What readers leave out and assume, in full sentences."""

import pytest

import hpo_explain.adapters.files
import hpo_explain.adapters.frame
import hpo_explain.adapters.optuna
import hpo_explain.adapters.skopt  # noqa: F401
from hpo_explain.base.facts import fact
from hpo_explain.base.text import tell
from hpo_explain.cli._reading import CAUTIONS
from tests.noted import known_facts

EQUALS = fact("parent_equals", names=["booster"], value="dart")
AT_LEAST = fact("parent_at_least", names=["layers"], low=3)

SENTENCES = [
    (
        fact(
            "nothing_readable",
            source="study",
            trials=range(4),
            reasons=((fact("running"), 1), (fact("failed"), 3)),
        ),
        "study has no trial that can be read: of its 4 trials, 3 x failed; 1 x still running. A "
        "run needs a finished trial with a finite value: run more trials, or choose another study.",
    ),
    (
        fact("active_when", names=["rate", "skip"], rules=(EQUALS, AT_LEAST), untried=()),
        "rate and skip: active when booster = 'dart' and layers >= 3, inferred from the trials "
        "that have it",
    ),
    (
        fact(
            "active_at_frequency",
            names=["y"],
            share=0.4286,
            why=fact("partly_explained_activity", rules=(EQUALS,)),
            together=False,
        ),
        "y: inactive unless booster = 'dart', and no category or whole number of another "
        "hyperparameter explains the rest; counts as active at its observed frequency, 0.43",
    ),
    (
        fact("fidelity_level", names=["epochs"], level=9.0, levels=(1.0, 9.0), counts=(8, 2)),
        "fidelity: only results at epochs = 9 count; left out, as they are not comparable with "
        "these: 8 at 1; level= chooses",
    ),
]


@pytest.mark.parametrize(("told", "sentence"), SENTENCES, ids=[told.kind for told, _ in SENTENCES])
def test_a_fact_is_told_in_a_sentence(told, sentence):
    assert tell(told) == sentence


def test_cautions_are_kinds_of_facts():
    assert known_facts() >= CAUTIONS
