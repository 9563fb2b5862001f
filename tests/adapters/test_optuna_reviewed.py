"""Studies whose proposals are reviewed: unchanged where a person accepts, recorded where not."""

import copy
import logging
import pickle
import threading

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import GPSampler, NSGAIISampler, PartialFixedSampler, RandomSampler, TPESampler
from optuna.trial import TrialState

import hpo_explain as hx
from hpo_explain.adapters.optuna import ReviewedSampler, from_optuna
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Origin
from hpo_explain.base.numbers import format_value
from hpo_explain.methods.proposals.explain_proposal import ProposalExplainer
from hpo_explain.reporting._words import why_tried
from tests.adapters.studies import optimized
from tests.noted import the_note

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

QUICK = ProposalExplainer("lcb", background=20)
SPACE = hx.SearchSpace(
    [
        hx.CategoricalParameter("booster", ["tree", "dart"]),
        hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        hx.FloatParameter("lr", 1e-3, 1.0, log=True),
        hx.IntParameter("depth", 1, 9),
    ]
)


def without_constant(trial):
    drop = 0.4
    if trial.suggest_categorical("booster", ["tree", "dart"]) == "dart":
        drop = trial.suggest_float("drop", 0.0, 1.0)
    lr, depth = (trial.suggest_float("lr", 1e-3, 1.0, log=True), trial.suggest_int("depth", 1, 9))
    return (drop - 0.2) ** 2 + lr + depth / 10.0


def conditional(trial):
    """Define-by-run, with a constant, trials that are pruned and one that fails."""
    trial.suggest_int("constant", 3, 3)
    value = without_constant(trial)
    trial.report(trial.params["lr"], 0)
    if trial.number == 4:
        raise ValueError
    if trial.number in (3, 6):
        raise optuna.TrialPruned
    return value


def bowl(trial):
    return (trial.suggest_float("x", -1.0, 1.0) - 0.3) ** 2 + trial.suggest_float("y", 0.0, 1.0)


def run_study(sampler, objective=conditional, n=11, **options):
    study = optuna.create_study(sampler=sampler, **options)
    study.enqueue_trial({"lr": 0.1})
    study.enqueue_trial({"booster": "tree", "lr": 0.01, "depth": 2})
    study.optimize(objective, n_trials=n, catch=ValueError)
    return study


def outcome(study):
    return [(t.params, t.state, t.values, t.distributions) for t in study.trials]


def spying(seen):
    return lambda explanation: seen.append(explanation)


def tpe(**options):
    return lambda: TPESampler(seed=1, n_startup_trials=4, **options)


SAMPLERS = {
    "random": lambda: RandomSampler(seed=1),
    "tpe": tpe(multivariate=False),
    "tpe joint": tpe(multivariate=True),
    "tpe groups": tpe(multivariate=True, group=True),
    "tpe liar": tpe(multivariate=False, constant_liar=True),
    "nsga": lambda: NSGAIISampler(seed=1, population_size=4),
    "partly fixed": lambda: PartialFixedSampler({"depth": 2}, tpe()()),
}


@pytest.mark.parametrize(
    ("name", "space"),
    [*[(name, "inferred") for name in SAMPLERS], ("random", "given"), ("tpe", "given")],
)
def test_a_study_whose_review_accepts_is_the_study_without_one(name, space):
    seen = []
    given = None
    if space == "given":
        constant = hx.IntParameter("constant", 3, 3)
        given = hx.SearchSpace([constant, *SPACE.parameters])
    sampler = ReviewedSampler(SAMPLERS[name](), spying(seen), space=given, explainer=QUICK)
    n = 7 if name in ("random", "nsga") else 10
    reviewed = run_study(sampler, n=n)
    assert seen
    assert outcome(reviewed) == outcome(run_study(SAMPLERS[name](), n=n))


@pytest.mark.parametrize("space", [SPACE, None])
def test_what_could_not_be_foreseen_is_named_unless_the_space_is_given(space, caplog):
    seen = []
    sampler = ReviewedSampler(RandomSampler(seed=3), spying(seen), space=space, explainer=QUICK)
    study = optuna.create_study(sampler=sampler)
    for _ in range(3):  # nothing tells of "drop"
        study.enqueue_trial({"booster": "tree"})
    study.optimize(without_constant, n_trials=7)
    shown = {e.trial: e.config for e in seen}
    otherwise = {
        number
        for number, config in shown.items()
        if any(study.trials[number].params[n] != pytest.approx(v) for n, v in config.items())
    }
    warned = {int(record.args[0]) for record in caplog.records if "Give space" in record.msg}
    assert warned == otherwise
    assert bool(otherwise) == (space is None)


@pytest.mark.merge
def test_a_gp_samplers_study_is_the_same_too():
    pytest.importorskip("torch")
    seen = []
    plain = run_study(GPSampler(seed=0, n_startup_trials=4), bowl, 7)
    sampler = ReviewedSampler(GPSampler(seed=0, n_startup_trials=4), spying(seen), explainer=QUICK)
    assert outcome(run_study(sampler, bowl, 7)) == outcome(plain)
    assert len(seen) >= 2


@pytest.mark.merge
def test_a_study_is_the_same_when_it_is_loaded_and_continued(tmp_path):
    def continued(sampler, name):
        storage = f"sqlite:///{tmp_path}/{name}.db"
        run_study(sampler, n=6, storage=storage, study_name="s")
        again = pickle.loads(pickle.dumps(sampler))
        study = optuna.load_study(study_name="s", storage=storage, sampler=again)
        study.optimize(conditional, n_trials=2)
        return study

    make = SAMPLERS["tpe joint"]
    reviewed = continued(ReviewedSampler(make(), accept, explainer=QUICK), "reviewed")
    assert outcome(reviewed) == outcome(continued(make(), "plain"))
    assert from_optuna(reviewed).origin(7) is Origin.MODEL


def accept(explanation):
    """A review that pickles."""


def test_a_review_sees_what_explain_proposal_says_once_the_trial_is_finished():
    seen = []
    explainer = ProposalExplainer(background=60)
    sampler = ReviewedSampler(
        TPESampler(seed=1, n_startup_trials=5), spying(seen), explainer=explainer
    )
    study = optimized(bowl, 9, sampler)
    assert [e.trial for e in seen] == [5, 6, 7, 8]
    for one in seen:
        later = explainer.explain(from_optuna(study), one.trial)
        assert dict(one.config) == dict(later.config)
        np.testing.assert_array_equal(one.phi, later.phi)


def test_trials_that_were_set_by_hand_or_at_random_are_not_reviewed():
    seen = []
    study = run_study(ReviewedSampler(TPESampler(seed=1, n_startup_trials=5), spying(seen)), n=7)
    study.enqueue_trial({"lr": 0.5})
    study.optimize(conditional, n_trials=2)
    assert [e.trial for e in seen] == [6, 8]


# ---------------------------------------------------------------------- what a person changes


@pytest.fixture(scope="module")
def changed():
    """A study in which a person changed trials 6 and 8."""
    seen = {}

    def review(explanation):
        seen[explanation.trial] = explanation
        return {"x": 0.5} if explanation.trial in (6, 8) else None

    sampler = ReviewedSampler(TPESampler(seed=3, n_startup_trials=5), review)
    return optimized(bowl, 10, sampler), seen


def test_a_persons_value_runs_beside_what_the_sampler_chose(changed):
    study, seen = changed
    for number in (6, 8):
        assert study.trials[number].params == pytest.approx({**seen[number].config, "x": 0.5})
    for number in (5, 7, 9):
        assert study.trials[number].params == pytest.approx(seen[number].config)


def test_the_run_knows_what_the_model_chose_and_what_a_person_set(changed):
    study, seen = changed
    run = from_optuna(study)
    assert [t for t in run.trials if run.origin(t) is Origin.PERSON] == [6, 8]
    assert run.proposals == (5, 7, 9)
    assert list(run.reviewed) == [6, 8]
    assert run.reviewed[6].set_by_person == ("x",)
    proposed = run.space.decode(run.reviewed[6].proposed[None, :])[0]
    assert proposed == pytest.approx(seen[6].config)
    assert the_note(run.notes, "changed by a person, so not as the sampler").trials == (6, 8)


def test_what_was_proposed_is_explained_for_a_trial_that_a_person_changed(changed):
    study, seen = changed
    explanation = hx.explain_proposal(study, 6)
    assert explanation.config == pytest.approx(seen[6].config)
    np.testing.assert_allclose(explanation.phi, seen[6].phi, rtol=1e-9)
    note = the_note(explanation.subject.notes, "a person changed trial 6 before it started")
    assert note.names == ("x",)
    assert "it ran with x = 0.5 in place of" in str(note)
    assert "the proposal for trial 6" in explanation.sentence


def test_a_path_and_a_report_name_what_a_person_changed(changed):
    study, seen = changed
    run = from_optuna(study)
    path = hx.methods.desirability_path(run, background=20, progress=False)
    assert the_note(path.notes, "proposals_left_out").trials == (6, 8)
    why = why_tried(run, 6, explained=False)
    assert why.startswith("changed by a person. ")
    assert "A person set x" in why
    assert f"x = {format_value(seen[6].config['x'])}" in why
    assert "No model chose" not in why


def test_a_person_may_switch_on_what_depends_on_a_value():
    def review(explanation):
        return {"booster": "dart", "drop": 0.25, "depth": 4}

    sampler = ReviewedSampler(
        TPESampler(seed=1, n_startup_trials=5), review, space=SPACE, explainer=QUICK
    )
    study = optimized(without_constant, 8, sampler)
    for trial in study.trials[5:]:
        assert (trial.params["booster"], trial.params["drop"]) == ("dart", 0.25)
        assert trial.params["depth"] == 4


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomSampler(seed=0),
        lambda: TPESampler(seed=0, n_startup_trials=5, multivariate=False),
        lambda: TPESampler(seed=0, n_startup_trials=5, multivariate=True),
    ],
)
def test_a_refused_proposal_is_followed_by_another_one(make):
    asked = []

    def review(explanation):
        asked.append((explanation.trial, dict(explanation.config)))
        return "refuse" if explanation.trial == 6 and len(tried(6)) < 3 else None

    def tried(number):
        return [config for trial, config in asked if trial == number]

    study = optimized(bowl, 8, ReviewedSampler(make(), review, explainer=QUICK))
    first, second, third = tried(6)
    assert len({tuple(config.items()) for config in (first, second, third)}) == 3
    assert study.trials[6].params == pytest.approx(third, rel=1e-12)
    assert study.trials[7].params not in [pytest.approx(c) for c in (first, second, third)]
    run = from_optuna(study)
    assert run.space.decode(run.reviewed[6].refused) == [
        pytest.approx(config) for config in (first, second)
    ]
    assert run.origin(6) is run.origin(7)
    assert not run.reviewed[6].set_by_person


def test_no_more_proposals_are_refused_than_may_be(caplog):
    asked = []

    def review(explanation):
        asked.append(explanation.trial)
        return "refuse"

    sampler = ReviewedSampler(RandomSampler(seed=0), review, max_refusals=2, explainer=QUICK)
    study = optimized(bowl, 3, sampler)
    assert asked == [2, 2, 2]
    assert "no more may be refused" in caplog.text
    record = study.trials[2].system_attrs["hpo_explain:review"]
    assert record["decision"] == "kept"
    assert record["proposed"] == study.trials[2].params
    assert len(record["refused"]) == 2


# ---------------------------------------------------------------------- what goes wrong


def raising(_):
    raise RuntimeError("the person is gone")


@pytest.mark.parametrize(
    ("review", "text"),
    [
        (raising, "the person is gone"),
        (lambda _: {"x": 7.0}, "x = 7.0, which is not in"),
        (lambda _: {"z": 0.5}, "'z'"),
        (lambda _: 3, "but was 3"),
        (lambda _: {"x": "a lot"}, "a lot"),
    ],
)
def test_a_review_that_fails_accepts_and_is_logged(review, text, caplog):
    sampler = ReviewedSampler(TPESampler(seed=0, n_startup_trials=2), review, explainer=QUICK)
    study = optuna.create_study(sampler=sampler)
    with caplog.at_level(logging.ERROR, "hpo_explain"):
        study.optimize(bowl, n_trials=4)
    plain = optimized(bowl, 4, TPESampler(seed=0, n_startup_trials=2))
    assert outcome(study) == outcome(plain)
    assert text in caplog.text
    assert study.trials[3].system_attrs["hpo_explain:review"]["decision"] == "unanswered"


def test_a_sampler_that_cannot_be_copied_goes_on_unreviewed(caplog):
    class Locked(RandomSampler):
        def __init__(self):
            super().__init__(seed=0)
            self.lock = threading.Lock()

    seen = []
    study = optimized(bowl, 3, ReviewedSampler(Locked(), spying(seen), explainer=QUICK))
    plain = optimized(bowl, 3)
    assert outcome(study) == outcome(plain)
    assert not seen
    assert "cannot pickle" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        (("tpe", accept), "sampler"),
        ((RandomSampler(), "yes"), "review"),
        ((RandomSampler(), accept, {"space": ["x"]}), "space"),
        ((RandomSampler(), accept, {"max_refusals": -1}), "max_refusals"),
    ],
)
def test_an_argument_that_cannot_be_meant_is_named(arguments, argument):
    sampler, review, *options = arguments
    with pytest.raises(InputError) as raised:
        ReviewedSampler(sampler, review, **(options[0] if options else {}))
    assert raised.value.argument == argument


def test_a_trial_that_is_asked_and_told_is_reviewed_as_well():
    def review(explanation):
        return {"x": 0.125}

    sampler = ReviewedSampler(TPESampler(seed=0, n_startup_trials=2), review, explainer=QUICK)
    study = optimized(bowl, 3, sampler)
    trial = study.ask({"x": FloatDistribution(-1.0, 1.0), "y": FloatDistribution(0.0, 1.0)})
    assert trial.params["x"] == 0.125
    assert from_optuna(study).origin(trial.number) is Origin.PERSON
    assert hx.explain_proposal(study, "pending").subject.state == "changed"
    study.tell(trial, state=TrialState.FAIL)
    assert copy.deepcopy(study).trials[3].params["x"] == 0.125
