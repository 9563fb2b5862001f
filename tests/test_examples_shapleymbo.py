"""The reproductions of Croppi (2021) run as a reader runs them."""

import re
import runpy
import sys

import numpy as np
import pytest

import hpo_explain as hx
from tests.dice_kriging import DiceKriging as AnotherDiceKriging
from tests.source_tree import ROOT

PAPERS = ROOT / "examples" / "papers"
DATA = ROOT.parent / "shared" / "data"
PHONEME = DATA / "lcbench_phoneme.csv.gz"
LOGGED = DATA / "hyper_ellipsoid_shapley.csv.gz"


@pytest.fixture
def papers(monkeypatch):
    """Have the scripts importable."""
    monkeypatch.syspath_prepend(PAPERS)


@pytest.fixture
def output(monkeypatch, capsys):
    """What a script prints."""

    def run(name, *options):
        # in this process: most of the time of another one would be its imports
        monkeypatch.syspath_prepend(PAPERS)
        monkeypatch.setattr(sys, "argv", [name, *map(str, options)])
        runpy.run_path(str(PAPERS / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_figure_1_and_table_1_of_the_cosine_mixture(output, tmp_path):
    text = output("shapleymbo_cosine_mixture.py", "--quick", "--out", tmp_path)
    assert "payout" in (tmp_path / "cosine_mixture.svg").read_text(encoding="utf-8")
    rows = re.findall(r"^  (\d)     (x\d|payout) +(\S+) +(\S+) +(\S+)$", text, re.MULTILINE)
    values = np.array([row[2:] for row in rows], dtype=float).reshape(3, 4, 3)
    # each is printed to three digits
    assert values[..., 0] == pytest.approx(values[..., 1:].sum(axis=2), abs=0.0016)
    assert values[:, :3].sum(axis=1) == pytest.approx(values[:, 3], abs=0.0021)
    # the thesis's own numbers stand beside: cb = m - λ·se
    assert "0.16" in text.split("Table 1")[1].splitlines()[2]


def test_the_cosine_mixture_is_the_thesiss(papers):
    from shapleymbo_cosine_mixture import THESIS, cosine_mixture

    for *x, y, cb, se, m in THESIS:
        assert cosine_mixture(x) == pytest.approx(y, abs=0.015)
        assert cb == pytest.approx(m - se, abs=0.011)
    assert cosine_mixture(np.zeros(3)) == pytest.approx(-0.3)


# ---------------------------------------------------------------------- hyper ellipsoid


@pytest.fixture
def logged_problem():
    """A space of three and trials of a smooth function with noise."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", -1.0, 1.0) for j in range(3)])
    X = space.sample(30, seed=1)
    noise = np.random.default_rng(2).normal(0.0, 0.05, 30)
    return space, X, X @ [1.0, 2.0, 3.0] + np.sin(5.0 * X[:, 0]) + noise


def test_the_examples_dice_kriging_is_that_of_the_tests(papers, logged_problem):
    from dice_kriging import DiceKriging

    space, X, y = logged_problem
    model, other = DiceKriging(space, X, y), AnotherDiceKriging(space, X, y)
    at = space.sample(20, seed=3)
    for ours, theirs in zip(model.predict(at), other.predict(at), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-3)


def test_its_gradient_is_that_of_finite_differences(papers, logged_problem):
    from dice_kriging import DiceKriging

    model = DiceKriging(*logged_problem, starts=1)
    at = np.array([*np.log([0.5, 0.7, 0.9]), 0.9])
    steps = 1e-6 * np.eye(4)
    differences = [(model._cost(at + h)[0] - model._cost(at - h)[0]) / 2e-6 for h in steps]
    assert model._cost(at)[1] == pytest.approx(differences, rel=1e-5)


def test_its_coalitions_are_those_of_composed_rows(papers, logged_problem):
    from dice_kriging import DiceKriging

    space, X, y = logged_problem
    bound = hx.LowerConfidenceBound(DiceKriging(space, X, y, starts=1), kappa=2.0)
    background = space.sample(300, seed=4)
    exact, kernel = (
        hx.ShapleyExplainer(bound, background=background, estimator=way).explain(
            {"x0": 0.3, "x1": -0.9, "x2": 0.1}
        )
        for way in ("exact", "kernel")
    )
    assert exact.phi == pytest.approx(kernel.phi, rel=1e-6, abs=1e-8)


def made_up(*, lead):
    """Contributions of two runs that approach 0, the later hyperparameters first."""
    from shapleymbo_expectations import Contributions

    rng = np.random.default_rng(0)
    until = np.array([30, 25, 20, 15])
    t = np.arange(64)[:, None]
    far = np.clip((until - t) / until, 0.0, 1.0)
    sign = rng.choice([-1.0, 1.0], size=(2, 80, 4))
    theta = sign * np.concatenate([rng.uniform(0.0, 5.0, (2, 16, 4)), 5.0 * np.stack([far] * 2)], 1)
    mean = np.arange(1, 5) * (1.0 - 2.0 * far)
    uncertainty = lead * (2.0 * far - 1.0 - 1e-3 * np.arange(4))
    return Contributions(theta, np.stack([np.stack([mean, uncertainty], axis=2)] * 2))


def test_expectations_are_met_by_contributions_made_to_meet_them_and_only_by_those(papers):
    from shapleymbo_expectations import Contributions, verdicts

    ten = made_up(lead=4.0)
    one = Contributions(ten.theta, np.stack([ten.phi[..., 0], 0.05 * ten.phi[..., 1]], axis=3))
    met = {v.expectation: v.met for v in verdicts({1: one, 10: ten})}
    assert met["φ(m), λ = 10: the closer to the optimum, the bigger"]
    assert met["φ(m), λ = 10: for similar values higher hyperparameters matter more"]
    assert met["φ(m), λ = 10: like λ = 1"]
    assert met["φ(se), λ = 1: for similar values, equally explored, similarly important"]
    assert met["φ(se), λ = 10: a stronger effect than with λ = 1"]
    assert met["φ(cb), λ = 10: dominated by uncertainty at first, by the mean in the end"]
    assert met["λ = 10: the curves cross earlier for higher hyperparameters"]
    # half of the way is done in trials 15, 12.5, 10 and 7.5, counted from 0
    assert ten.crossings().tolist() == [17, 14, 11, 9]
    turned = {v.expectation: v.met for v in verdicts({1: ten, 10: one})}
    assert not turned["φ(se), λ = 10: a stronger effect than with λ = 1"]
    upside_down = Contributions(ten.theta, -ten.phi)
    for v in verdicts({1: upside_down, 10: upside_down}):
        if v.expectation in met and v.expectation.startswith(("φ(m), λ = 10: t", "φ(cb)", "λ")):
            assert not v.met


def test_exploration_is_that_of_footnote_15(papers):
    from shapleymbo_expectations import Contributions

    theta = np.array([[[1.0], [-3.0], [2.0]], [[3.0], [1.0], [0.0]]])
    runs = Contributions(theta, np.zeros((2, 2, 1, 2)))
    # distances averaged over runs: 2, 2, 1
    assert runs.exploration(2, initial=True) == pytest.approx([np.std([2, 2, 1], ddof=1)])
    assert runs.exploration(2, initial=False) == pytest.approx([np.std([2, 1], ddof=1)])
    assert runs.isolation[:, :, 0] == pytest.approx(np.array([[4.0, 3.0], [2.0, 2.0]]))


@pytest.mark.skipif(not LOGGED.exists(), reason="needs the logged runs of the thesis")
def test_refits_of_logged_runs_agree_with_the_r_tool(output):
    text = output("shapleymbo_hyper_ellipsoid.py", "--quick")
    for table in ("Table 6, λ = 1", "Table 6, λ = 10", "Table 7", "Table 8", "Table 9", "Table 4"):
        assert table in text
    agreeing = re.findall(r"there (\d+)% of its values", text)
    assert agreeing
    assert all(int(share) >= 80 for share in agreeing)
    assert "met      λ = 10: the curves cross earlier for higher hyperparameters" in text


def test_without_the_logged_runs_it_says_how_to_name_them(output, tmp_path):
    text = output("shapleymbo_hyper_ellipsoid.py", "--quick", "--data", tmp_path)
    assert text.startswith("skipped: hyper_ellipsoid_paths.csv.gz")
    assert "--data" in text


# ---------------------------------------------------------------------- network


def numbers(text, label):
    """The numbers of every line of a table that starts with a label."""
    lines = [line for line in text.splitlines() if line.startswith(f"  {label} ")]
    return np.array([line[28:].split() for line in lines], dtype=float)


@pytest.mark.skipif(not PHONEME.exists(), reason="needs LCBench's table of phoneme")
def test_the_tables_of_the_network_add_up_and_stand_beside_the_thesiss(output):
    text = output("shapleymbo_mlp.py", "--quick")
    table10 = text.partition("Table 10")[2].partition("Table 11")[0]
    total, mean, uncertainty = (
        numbers(table10, label)[0] for label in ("total", "mean", "uncertainty")
    )
    assert total == pytest.approx(mean + uncertainty, abs=1.6e-4)
    payouts = [float(p) for p in re.search(r"payouts: total (\S+), mean (\S+),", text).groups()]
    assert [total.sum(), mean.sum()] == pytest.approx(payouts, abs=5e-4)
    table11 = text.partition("Table 11")[2].partition("Table 12")[0]
    shares = numbers(table11, "Shapley values"), numbers(table11, "ablation analysis")
    for share in shares:
        assert share.sum() == pytest.approx(1.0, abs=5e-3)
    thesis = numbers(table11, "  thesis")
    assert thesis.sum(axis=1) == pytest.approx([1.0, 1.0], abs=5e-3)
    table13 = text.partition("Table 13")[2]
    assert numbers(table13, "its own model")[0] == pytest.approx(mean)
    verdicts = text.partition("findings (Section 7.2):\n")[2].splitlines()
    assert len(verdicts) == 9
    assert all(line.startswith(("  agrees: ", "  differs: ")) for line in verdicts)


def test_without_lcbenchs_table_it_says_how_to_name_its_folder(output, tmp_path):
    text = output("shapleymbo_mlp.py", "--data", tmp_path)
    assert text.startswith("skipped: lcbench_phoneme.csv.gz is not in")
    assert "--data" in text


def test_the_networks_space_is_table_5(papers):
    from shapleymbo_mlp import INITIAL, PROPOSALS, SPACE, TABLE_10, TABLE_11

    assert [p.name for p in SPACE.parameters if p.log] == ["batch_size", "max_units"]
    assert (INITIAL, INITIAL + PROPOSALS) == (4 * 7, 20 * 7)
    # φ(cb) = φ(m) - λ φ(se), to the digits of the thesis
    parts = np.add(TABLE_10["mean"], TABLE_10["uncertainty"])
    assert parts == pytest.approx(TABLE_10["total"], abs=1.1e-3)
    # shares in Table 11 are those of the contributions in Table 10
    assert np.array(TABLE_10["mean"]) / 0.058 == pytest.approx(TABLE_11["SV"], abs=0.01)
