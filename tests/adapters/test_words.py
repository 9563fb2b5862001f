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
    # every reader
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
        fact("outside_read_space", why=fact("outside_range", names=["x"], value=5, low=0, high=1)),
        "x = 5 is outside its range [0, 1] (a wider space= reads this trial)",
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
    # studies
    (
        fact(
            "not_rebuilt",
            names=["TPESampler"],
            what="densities",
            version="9.0",
            checked="4.5 and 5.0",
            why=fact("sampler_raised", error="AttributeError", text="_group"),
        ),
        "the densities of TPESampler could not be rebuilt with Optuna 9.0 (checked with 4.5 and "
        "5.0): AttributeError: _group",
    ),
    # results of skopt
    (
        fact(
            "hedge_inferred",
            names=["LCB"],
            ranks=(("LCB", 400), ("EI", 900), ("PI", 901)),
            candidates=1500,
            high=False,
        ),
        "gp_hedge does not record which criterion it used; LCB is inferred, under which the "
        "proposal ranks best among 1500 candidates (ranks: LCB 400, EI 900, PI 901); it ranks high "
        "under none: skopt rounds integers and categories after its search, and moves away from "
        "points it has tried",
    ),
    # tables
    (
        fact("empty_cells", names=["x", "y"], counts=(1, 3), rows=9),
        "empty cells (x in 1, y in 3 of 9 rows) mean inactive; when, is inferred below unless "
        "space= states it",
    ),
    (
        fact("fidelity_level", names=["epochs"], level=9.0, levels=(1.0, 9.0), counts=(8, 2)),
        "fidelity: only results at epochs = 9 count; left out, as they are not comparable with "
        "these: 8 at 1; level= chooses",
    ),
    # runs
    (
        fact(
            "surrogate_kind",
            surrogate="forest",
            n=1001,
            d=2,
            categorical=0.5,
            choices=3,
            beyond="n",
            limit=1000,
            own=False,
        ),
        "surrogate: a forest, because 1001 trials are more than 1000",
    ),
    (
        fact("explained_some", finished=3000, taken=500, best=50, latest=50, spread=400, seed=0),
        "500 of 3,000 trials are explained: the best one and those nearest to it (50), the latest "
        "(50), and some drawn evenly over the run (400; seed 0)",
    ),
    (
        fact("too_few_trials", trials=[0], before=1),
        "run has 1 finished trial before trial 1 was proposed; a surrogate needs at least 2. Run "
        "more trials, or choose a later one.",
    ),
]


@pytest.mark.parametrize(("told", "sentence"), SENTENCES, ids=[told.kind for told, _ in SENTENCES])
def test_a_fact_is_told_in_a_sentence(told, sentence):
    assert tell(told) == sentence


def test_cautions_are_kinds_of_facts():
    assert known_facts() >= CAUTIONS
