"""The scoreboard: true estimands, methods, measures, and rules that say what the code does."""

import inspect
import re

import numpy as np
import pytest

from examples.scoreboard import __main__ as scoreboard
from examples.scoreboard import estimands, measures, methods, problems, runs, tables
from examples.scoreboard.estimands import ESTIMANDS
from examples.scoreboard.measures import Score, Truth
from examples.scoreboard.methods import ALONE, METHODS, TOP, TOTAL, Method
from examples.scoreboard.problems import PROBLEMS
from examples.scoreboard.runs import Setting
from tests.claims.families.smooth import cube
from tests.claims.problem import Problem
from tests.source_tree import ROOT

RULES = (ROOT / "examples" / "scoreboard" / "rules.md").read_text(encoding="utf-8")


def centred(X):
    """Return x0 + x1 x2 of [-1, 1]³: variances 1/3 and 1/9."""
    x = 2.0 * X - 1.0
    return x[:, 0] + x[:, 1] * x[:, 2]


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(estimands, "LOG2_ROWS", 15)
    monkeypatch.setattr(estimands, "LOG2_WALKS", 13)
    monkeypatch.setattr(estimands, "BINS", 32)


CLOSED = {
    "variance explained alone": [0.75, 0.0, 0.0],
    "variance explained with interactions": [0.75, 0.25, 0.25],
    "variance explained, interactions divided": [0.75, 0.125, 0.125],
    "mean absolute Shapley value": [0.5, 0.125, 0.125],
    "absolute correlation": [np.sqrt(0.75), 0.0, 0.0],
    "Shapley value of tunability": [1.0, 0.5, 0.5],
}


@pytest.mark.parametrize("estimand", CLOSED)
def test_estimands_are_those_of_the_function(estimand, few_rows):
    found = ESTIMANDS[estimand](Problem("x0 + x1 x2", cube(3), centred))
    np.testing.assert_allclose(
        found, CLOSED[estimand], atol=0.06 if "tunability" in estimand else 0.03
    )


def test_of_the_best_tenth_one_hyperparameter_decides(few_rows):
    """The density of the best is 10 where x0 < 0.1: (10 - 1)² 0.1 + 0.9 is 9, times 0.1²."""
    problem = Problem("x0", cube(2), lambda X: X[:, 0])
    np.testing.assert_allclose(estimands.divergence(problem), [0.09, 0.0], atol=0.006)
    np.testing.assert_allclose(estimands.alone_among_best(problem), [1.0, 0.0], atol=0.06)


def test_of_a_grid_all_cells_count_once():
    space = problems.SearchSpace([problems.IntParameter(name, 0, 9) for name in "ab"])
    problem = Problem("digits", space, lambda X: np.rint(X * 9) @ [10.0, 1.0])
    np.testing.assert_allclose(estimands.alone(problem), [100 / 101, 1 / 101])
    np.testing.assert_allclose(estimands.alone_among_best(problem), [1.0, 0.0], atol=1e-12)


def test_a_condition_has_the_variance_of_the_branches(few_rows):
    """c decides between means of -1.5 and 1.5; x and y vary by 49 / 12 in half of the space."""
    between, within = 1.5**2, 49.0 / 12.0
    whole = between + within
    problem = problems.activation_overlap()
    found = estimands.alone(problem)
    np.testing.assert_allclose(found, [between / whole, *[within / 4 / whole] * 2], atol=0.01)
    whole_x = estimands.total(problem)[1]
    assert whole_x == pytest.approx(within / 2 / whole, abs=0.01)


def test_effects_of_the_additive_problem_are_shares_of_their_variance(few_rows):
    x = (np.arange(4096) + 0.5) / 4096
    variances = [0.49**j * problems.effect(x, j).var() for j in range(12)]
    found = estimands.alone(problems.additive())
    np.testing.assert_allclose(found, variances / np.sum(variances), atol=0.01)


def test_the_expected_best_of_uniform_costs_is_known():
    costs = np.random.default_rng(0).permutation((np.arange(10_000) + 0.5) / 10_000)
    for n in (1, 4, 50):
        assert measures.expected_best(costs, n) == pytest.approx(1.0 / (n + 1), abs=1e-3)


def test_two_are_tuned_while_the_others_are_fixed():
    problem = Problem("sum", cube(3), lambda X: X @ [1.0, 2.0, 4.0])
    start = np.array([[0.5, 0.5, 0.25]])
    least = 3.0 * 0.5 / measures.LEVELS + 4.0 * 0.25
    assert measures.tuned(problem, (0, 1), start) == pytest.approx(least)


def test_tuning_a_condition_reaches_what_it_switches_on():
    problem = problems.activation_overlap()
    start = problem.row_of({"c": 0.9, "y": 1.0})
    assert measures.tuned(problem, (0, 1), start) == pytest.approx(-5.0, abs=0.1)


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [([-0.1, -0.2, -0.15], "win"), ([-0.1, 0.2, 0.1], "tie"), ([0.1, 0.2, 0.15], "loss")],
)
def test_a_tie_is_an_interval_that_holds_0(differences, outcome):
    found = tables.Interval.of(differences)
    assert found.outcome == outcome
    assert ("**" in str(found), "(" in str(found)) == (outcome == "loss", outcome == "tie")
    assert tables.Interval.of(differences[:1]).outcome == "tie"


# ------------------------------------------------------------------ methods, and runs


@pytest.fixture
def scored(monkeypatch, tmp_path):
    """Score a run of 25 trials of a small problem, with some methods, and nothing stored."""

    def score(*names):
        problem = Problem("small", cube(3), centred)
        monkeypatch.setattr(runs, "cache_folder", lambda purpose: None)
        known = Truth(
            {key: np.array(CLOSED.get(key, [0.8, 0.1, 0.1])) for key in ESTIMANDS}, 0.1, 0.0
        )
        for module in (runs, measures, tables):
            monkeypatch.setattr(module, "at_hand", lambda: {"small": problem})
        for module in (scoreboard, measures, tables):
            monkeypatch.setattr(module, "truth_of", lambda name: known)
        some = {name: METHODS[name] for name in names}
        monkeypatch.setattr(measures, "METHODS", METHODS | some)
        return measures.scored(Setting("small", "Random", 25, 0))

    for name in ("hypershap", "Sobol of Ax", "HyperSHAP"):
        if name in METHODS:
            monkeypatch.delitem(METHODS, name)
    return score


@pytest.mark.merge
def test_a_method_is_added_as_its_module_says(scored, monkeypatch):
    """The three lines of the docstring are run; its error is the distance to its estimand."""
    monkeypatch.setattr(methods, "METHODS", METHODS)
    lines = re.findall(r"^    (.*)$", inspect.getdoc(methods), re.MULTILINE)
    code = "\n".join(lines)
    assert "METHODS[" in code
    monkeypatch.setitem(METHODS, "mine", None)  # is taken away after the test
    exec(code, {"my_importances": lambda study: {"x0": 3.0, "x2": 1.0}})
    score = scored()
    np.testing.assert_allclose(score.shares["mine"], [0.75, 0.0, 0.25])
    assert score.error["mine"] == pytest.approx(0.25)
    assert score.first["mine"] == 1.0
    assert score.first["equal shares"] == pytest.approx(1 / 3)


def test_what_is_equal_has_no_first():
    study = runs.optimized(Problem("small", cube(3), centred), Setting("small", "Random", 5, 0))
    found = methods.shares_of(METHODS["equal shares"], study, ("x0", "x1", "x2"))
    np.testing.assert_allclose(found, 1 / 3)


@pytest.mark.parametrize("name", ["correlation", "permutation", "mean absolute shap"])
def test_methods_of_others_find_the_one_that_matters(name):
    """Correlation is that of numpy; a forest and shap find it."""
    problem = Problem("one", cube(2), lambda X: X[:, 0])
    study = runs.optimized(problem, Setting("one", "Random", 40, 0))
    found = methods.shares_of(METHODS[name], study, ("x0", "x1"))
    if name == "correlation":
        X = np.array([[*trial.params.values()] for trial in study.trials])
        each = np.abs(np.corrcoef(X.T, [trial.value for trial in study.trials])[:2, 2])
        np.testing.assert_allclose(found, each / each.sum())
    assert found[0] > 0.7


def test_every_problem_has_every_sampler_and_two_seeds(monkeypatch):
    monkeypatch.setattr(runs, "at_hand", lambda: dict.fromkeys(PROBLEMS))
    monkeypatch.setattr(runs, "find_spec", lambda name: True)
    found = runs.settings("full")
    assert len(found) == len({*found}) == 6 * len(PROBLEMS) == 78
    assert {s.seed for s in found} == {*runs.SEEDS}
    for problem in PROBLEMS:
        some = [s for s in found if s.problem == problem]
        assert {s.sampler for s in some} == {*runs.SAMPLERS}
        assert {s.n for s in some if s.sampler != "GPSampler"} <= {*runs.SIZES}
        assert max(s.n for s in some if s.sampler == "GPSampler") <= 100
    quick = runs.settings("quick")
    assert [s.problem for s in quick] == [*PROBLEMS]
    assert {s.sampler for s in quick} == {*runs.SAMPLERS}
    assert {*quick} <= {*found}


# ------------------------------------------------------------------ what is written


def rows_after(text, head):
    """Return the cells of the table whose head begins so."""
    lines = text[text.index(head) :].splitlines()[2:]
    table = lines[: next((i for i, line in enumerate(lines) if not line.startswith("|")), None)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_rules_say_what_the_code_does():
    assert [row[0] for row in rows_after(RULES, "| problem |")] == [*PROBLEMS]
    stated = {row[0]: tuple(row[1:]) for row in rows_after(RULES, "| method |")}
    assert stated == {name: (m.estimand, m.rival) for name, m in METHODS.items()}
    assert {m.estimand for m in METHODS.values()} == {*ESTIMANDS}
    assert "{}, {} and {} trials".format(*runs.SIZES) in RULES
    assert f"noise of {problems.NOISE} of the function's" in RULES
    assert f"({measures.LEVELS} of a range of reals)" in RULES
    assert f"{measures.DRAWS} uniform draws" in RULES
    assert f"{runs.MANY:,} uniform evaluations" in RULES
    assert f"held within {measures.KNOWN_TO}" in RULES
    assert re.search(r"commit `[0-9a-f]{12}`", RULES)


def is_table(text):
    """Whether all rows of each table of a text have as many cells as its head."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", f"{text}\n", re.MULTILINE)
    widths = [{line.count("|") for line in block.splitlines()} for block in blocks]
    return len(blocks) >= 8 and all(len(each) == 1 for each in widths)


def test_the_readme_says_what_the_page_says():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    text = scoreboard.PAGE.read_text(encoding="utf-8")
    rows = {row[0]: row for row in rows_after(text, "|  | runs | error")}
    ours, other = rows[ALONE], rows["fANOVA of Optuna"]
    assert f"half the L1 distance {ours[5]} and {other[5]};" in readme
    assert f"regret {ours[8]} and {other[8]} from the default, {ours[9]} and {other[9]} " in readme
    (apart, *_) = rows_after(text, "| against |")
    assert f"apart by {apart[3].removeprefix('-')} on the 11 problems" in readme
    regrets = rows_after(text[text.index("From the default") - 99 :], "| against |")
    assert regrets[0][2].startswith("(")  # a tie


def test_the_page_that_is_written_has_all_methods_and_problems():
    text = scoreboard.PAGE.read_text(encoding="utf-8")
    assert is_table(text)
    assert text.startswith("# Importance against the truth\n\n78 runs of 13 problems")
    assert {row[0] for row in rows_after(text, "|  | runs | error")} == {*METHODS}
    assert scoreboard.FIGURE.exists()


@pytest.mark.merge
def test_a_page_is_made_of_scores(scored, monkeypatch, tmp_path):
    for name in ("PAGE", "FIGURE"):
        monkeypatch.setattr(scoreboard, name, tmp_path / name)
    score = scored()
    shape = [Setting("small", sampler, 25, k, k) for sampler in ("Random", "TPE") for k in (0, 1)]
    scores = [Score(**{**vars(score), "setting": setting}) for setting in shape]
    monkeypatch.setattr(scoreboard, "run_of", lambda setting: runs.Stored(None, 60.0))
    text = scoreboard.page(scores, "quick", 90.0)
    scoreboard.written(scores, text)
    assert is_table(scoreboard.PAGE.read_text(encoding="utf-8"))
    assert "in 2 CPU minutes; the runs took 4 and the truths 0 more" in text
    first = scoreboard.FIGURE.read_bytes()
    scoreboard.written(scores, text)
    assert scoreboard.FIGURE.read_bytes() == first
    (mine, *_) = rows_after(text, "|  | runs | error")
    assert mine[:2] == [ALONE, "4"]
    assert float(mine[2]) == pytest.approx(score.error[ALONE], abs=5e-4)
    assert {*score.covered} == {ALONE, TOTAL, TOP}


def test_groups_of_probabilities_hold_each_run_once():
    scores = [
        Score(Setting("a", "TPE", 50, 0), stated=p, right=p > 0.6) for p in (0.3, 0.5, 0.9, 1)
    ]
    found = tables.reliability(scores)
    assert [(group[1], group[3]) for group in found] == [(1, 0.0), (1, 0.0), (1, 1.0), (1, 1.0)]


def test_a_method_needs_no_more_than_a_function_and_its_estimand():
    assert Method(lambda study: {}, "variance explained alone").rival == ALONE
