"""Trust in words."""

from hpo_explain import Ablation, FloatParameter, SearchSpace
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics import told
from hpo_explain.diagnostics._sampling_bias import SamplingBias
from hpo_explain.diagnostics._trust import Trust, Verdict
from hpo_explain.diagnostics.told import caution, measures
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath

NAN = float("nan")
SKILL = {
    "good_from": 0.7,
    "poor_below": 0.3,
    "lower_good_from": 0.4,
    "lower_poor_below": 0.0,
    "method": "leave-one-out",
}
POOR = Verdict(
    "poor",
    (
        told.SKILL(value=0.1234, lower=-12.3, weighted=True, **SKILL),
        told.COVERED(value=0.9, weighted=True, good_from=0.85, poor_below=0.7),
        told.REACHED(names=["lr"], value=0.3, good_from=0.75, poor_below=0.4),
        told.TWO_GROUPS(value=0.9, worse=12),
    ),
)
GOOD = Verdict(
    "good",
    (
        told.TRIALS(
            value=40, hyperparameters=2, good_from=10, poor_below=5, good_per_hyperparameter=5
        ),
    ),
)
MEASURED = Trust(POOR, GOOD, 0.1234, 0.9, 40, "leave-one-out")
REASONS = (
    "R² on held-out trials, each weighted by the share of the space around it, is 0.12 with a "
    "lower 95% limit of below -10 (leave-one-out; good from 0.7 and a limit of 0.4, poor below 0.3 "
    "or a limit of 0). 90% of the held-out trials, so weighted, lie within their 95% prediction "
    "interval (good from 85%, poor below 70%). 30% of the space along lr lies as near to a trial "
    "as predictions were checked (good from 75%, poor below 40%). The skill comes from telling the "
    "12 worst trials from the rest, which explains 90% of the variance; among the rest there is "
    "none."
)


def unknown(made, **values):
    verdict = Verdict("unknown", (made(**values),))
    return Trust(verdict, verdict, NAN, NAN, 0, "none", verdict)


def of_level(level):
    return Trust(Verdict(level, ()), Verdict(level, ()), 0.9, 0.9, 40, "given")


def result_of(trust, cls=Effect):
    """A result of which nothing but trust is looked at."""
    result = cls.__new__(cls)
    space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    object.__setattr__(result, "subject", Subject(space, trust=trust))
    return result


def test_a_verdict_is_a_level_and_a_line_for_each_scope_with_its_reasons():
    first, *lines = str(MEASURED).splitlines()
    assert first == "trust: poor"  # the worse of the two
    assert lines == [
        f"over the whole space: poor. {REASONS}",
        "among the good trials: good. This was checked on 40 trials of 2 hyperparameters (good "
        "from 5 per hyperparameter, poor below 5).",
    ]
    assert REASONS in MEASURED._repr_html_()


def test_what_could_not_be_measured_is_said():
    for made, values, text in (
        (told.FAILED, {"error": "ValueError", "why": "too few trials."},
         "The surrogate could not be checked: too few trials."),
        (told.NO_TRIAL, {"method": "out-of-bag"}, "No trial could be held out (out-of-bag)."),
    ):  # fmt: skip
        said = [line.partition(": ")[2] for line in str(unknown(made, **values)).splitlines()]
        assert said == ["unknown", *3 * [f"unknown. {text}"]]


def test_a_result_is_cautioned_where_the_verdict_of_its_scope_is_poor_or_unknown():
    said = caution(result_of(MEASURED))
    assert said == f"Trust in the model over the whole space is poor. {REASONS}"
    assert caution(result_of(MEASURED, Ablation)) == ""  # among the good trials it is good
    assert caution(result_of(MEASURED, DesirabilityPath)) == ""  # nobody asked
    nobody = unknown(told.NO_METHOD)
    for cls in (Effect, Ablation, DesirabilityPath):
        assert caution(result_of(nobody, cls)).startswith("Trust in the model ")
        assert caution(result_of(None, cls)) == ""
        for level in ("good", "fair"):
            assert caution(result_of(of_level(level), cls)) == ""


def test_only_known_measures_are_listed():
    assert [(name, value) for name, value, _ in measures(MEASURED)] == [
        ("R²", "0.12"),
        ("coverage", "90%"),
    ]
    assert measures(unknown(told.CONSTANT)) == []


def test_plain_measures_are_not_said_to_be_weighted():
    found = told.SKILL(value=0.5, lower=0.4, weighted=False, **SKILL)
    assert str(found).startswith("R² on held-out trials is 0.50 with a lower 95% limit of 0.40 (le")
    found = told.COVERED(value=1.0, weighted=False, good_from=0.85, poor_below=0.7)
    assert str(found).startswith("100% of the held-out trials lie within their 95% prediction int")
    limits = {"good_from": 0.4, "poor_below": 0.1, "method": "out-of-bag"}
    assert str(told.RANKED(value=0.6, lower=0.31, good=12, **limits)) == (
        "Among the 12 good trials, the rank correlation of held-out predictions and observations "
        "is 0.60 with a lower 95% limit of 0.31 (out-of-bag; good from a limit of 0.4, poor below "
        "0.1)."
    )


def test_what_the_sampling_bias_means():
    numbers = (
        "the MMD between the 60 tried configurations and a uniform sample is 0.50; by chance alone "
        "it would stay below 0.10 in 95 % of cases"
    )
    assert str(SamplingBias(0.5, 0.1, 0.005, 0.4, 60, 1000)).startswith(
        f"The trials are concentrated in a part of the space: {numbers}. Averages over the whole"
    )
    assert str(SamplingBias(0.5, 0.1, 0.2, 0.4, 60, 1000)) == (
        f"The trials do not differ significantly from a uniform sample: {numbers}."
    )
