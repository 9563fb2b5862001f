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

needs_logged = pytest.mark.skipif(not LOGGED.exists(), reason="needs the thesis's logged runs")


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


def test_the_models_uncertainty_falls_from_proposal_to_proposal_as_in_table_1(papers):
    from shapleymbo_cosine_mixture import THESIS, cosine_mixture, explained, optimized, table_1

    found = table_1(explained(optimized(3, 4), background=100))
    y, cb, se, m = (found[name].to_numpy() for name in ("y", "cb", "se", "m"))
    assert y == pytest.approx([cosine_mixture(row[:3]) for row in found.to_numpy()])
    assert cb == pytest.approx(m - se)
    theirs = np.array(THESIS)[:, 5]
    assert (np.diff(se) < 0).all()
    # designs differ, and with them the size; what two more trials take away agrees
    assert se[-1] / se[0] == pytest.approx(theirs[-1] / theirs[0], abs=0.15)


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


@needs_logged
@pytest.mark.parametrize("lam", [1, 10])
def test_the_logged_runs_are_those_of_table_6(papers, lam):
    from shapleymbo_hyper_ellipsoid import EXPLAINED, TABLE_6, TERMS, Logged, quoted_numbers

    phi = Logged.read(DATA, 15).contributions(lam, [EXPLAINED])[:, 0]
    for k, term in enumerate(TERMS):
        mean, std = quoted_numbers(TABLE_6[lam, term])
        # 15 of the thesis's 30 runs: three standard errors of drawing half of them
        assert (
            np.abs(phi[..., k].mean(axis=0) - mean) < 3.0 * std * np.sqrt(1 / 15 - 1 / 30)
        ).all()


@needs_logged
@pytest.mark.parametrize(("lam", "iterations"), [(1, [20, 59]), (10, [5, 59])])
def test_refits_of_logged_runs_agree_with_the_r_tool(papers, lam, iterations):
    from dice_kriging import DiceKriging
    from shapleymbo_hyper_ellipsoid import Logged, agreement

    logged = Logged.read(DATA, 2)
    paths = logged.explained(lam, DiceKriging.fit, iterations, background=200, n_jobs=1)
    found = agreement(logged, lam, iterations, paths)
    assert found.same >= 0.75 * found.proposals
    # in Monte Carlo errors of the R tool, which used one seed throughout
    assert found.mean < 3.0
    assert found.uncertainty < 3.0
    assert found.within >= 0.9


@needs_logged
def test_the_r_tools_numbers_meet_the_expectations_that_the_thesis_says(papers):
    from shapleymbo_expectations import Contributions, verdicts
    from shapleymbo_hyper_ellipsoid import PROPOSALS, Logged

    logged, iterations = Logged.read(DATA, 15), range(1, PROPOSALS + 1)
    found = verdicts(
        {
            lam: Contributions(logged.theta(lam), logged.contributions(lam, iterations)[..., :2])
            for lam in (1, 10)
        }
    )
    differing = {v.expectation for v in found if v.met != v.thesis.startswith("met")}
    # under λ = 1 all proposals are close to the optimum
    assert differing == {"φ(m), λ = 1: the closer to the optimum, the bigger"}


@pytest.mark.thorough
@needs_logged
def test_the_tables_of_the_hyper_ellipsoid_are_printed(output):
    text = output("shapleymbo_hyper_ellipsoid.py", "--quick")
    for table in ("Table 6, λ = 1", "Table 6, λ = 10", "Table 7", "Table 8", "Table 9", "Table 4"):
        assert table in text


def test_without_the_logged_runs_it_says_how_to_name_them(output, tmp_path):
    text = output("shapleymbo_hyper_ellipsoid.py", "--quick", "--data", tmp_path)
    assert text.startswith("skipped: hyper_ellipsoid_paths.csv.gz")
    assert "--data" in text


# ---------------------------------------------------------------------- network


def numbers(text, label):
    """The numbers of every line of a table that starts with a label."""
    lines = [line for line in text.splitlines() if line.startswith(f"  {label} ")]
    return np.array([line[28:].split() for line in lines], dtype=float)


@pytest.fixture(scope="module")
def network():
    """A short run on the network, explained."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(PAPERS)
        import pandas as pd
        from shapleymbo_mlp import studied

        table = pd.read_csv(PHONEME)
        return studied(table, n_trees=10, n_proposals=6, background=200, rows=500, seed=0)


needs_phoneme = pytest.mark.skipif(not PHONEME.exists(), reason="needs LCBench's table of phoneme")


@needs_phoneme
def test_contributions_on_the_network_are_of_the_thesiss_size(papers, network):
    from shapleymbo_mlp import TABLE_10, TABLE_11, verdicts

    best = network.best
    assert best.total == pytest.approx(best.phi.sum(axis=1))
    # 6 proposals, not 112, and another forest and design
    assert best.payout["total"] == pytest.approx(0.048, abs=0.015)
    assert best.payout["mean"] == pytest.approx(0.058, abs=0.02)
    assert best.payout["uncertainty"] == pytest.approx(-0.0095, abs=0.01)
    for term, values in zip(("mean", "uncertainty"), best.phi.T, strict=True):
        assert values == pytest.approx(TABLE_10[term], abs=0.012)
    share = dict(zip(best.names, best.phi[:, 0] / best.payout["mean"], strict=True))
    assert share["num_layers"] == pytest.approx(TABLE_11["SV"][3], abs=0.06)
    assert sum(network.ablation.values()) == pytest.approx(1.0)
    met = {v.expectation: v.met for v in verdicts(network)}
    assert len(met) == 9
    for finding in (
        "it was proposed for its mean, at a small sacrifice of exploration",
        "the mean dominates throughout, uncertainty is little and negative",
        "the final model sees the proposal much as its own model did",
    ):
        assert met[finding]


@pytest.mark.thorough
@needs_phoneme
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


# ---------------------------------------------------------------------- histograms


def test_an_explained_share_of_1_is_where_the_boundary_alone_decides(papers):
    from shapleymbo_histograms import NAMES, table

    theta = np.array([[[5.0] * 4, [-5.1] * 4], [[0.0] * 4, [1.0] * 4]])
    phi = np.where(np.abs(theta) > 4.0, 3.0, -1.0)[..., None] * np.array([-2.0, 1.0])
    found = table(theta, phi)
    assert list(found.index) == list(NAMES)
    assert found["on boundary"].tolist() == [0.5] * 4
    assert found["φ(m) there"].tolist() == [-6.0] * 4
    assert found["φ(se) else"].tolist() == [-1.0] * 4
    assert found["explained"].to_numpy() == pytest.approx(1.0)
    # the other way round for one of two values on the boundary, and one of two others
    phi[:, 1] = phi[::-1, 1]
    assert table(theta, phi)["explained"].to_numpy() == pytest.approx(0.0)


@needs_logged
def test_the_values_proposed_first_are_those_of_figure_8(papers):
    from shapleymbo_histograms import BINS, ITERATIONS, LAMBDA, Logged, figure, proposed, table

    logged = Logged.read(DATA, 15)
    theta, phi = proposed(logged), logged.contributions(LAMBDA, ITERATIONS)
    assert theta.shape == (15, 10, 4)
    found = table(theta, phi)
    # the thesis: of θ1 more than 80 %, of θ4 only half as many
    assert found.at["x1", "on boundary"] > 0.8
    assert found.at["x4", "on boundary"] == pytest.approx(0.4, abs=0.06)
    # the mixture of values is why contributions scatter, most of all those of θ3 and θ4
    assert found["explained"].is_monotonic_increasing
    assert found["explained"].iloc[2:].min() > 0.75
    drawn = figure(theta, phi)
    counts = [patch.get_height() for patch in drawn.axes[0].patches]
    assert len(counts) == BINS
    assert sum(counts) == 150
    assert counts[0] + counts[-1] == round(150 * found.at["x1", "on boundary"])


@needs_logged
def test_the_histograms_are_drawn_for_both(output, tmp_path):
    text = output("shapleymbo_histograms.py", "--quick", "--data", DATA, "--out", tmp_path)
    assert "this project" in text
    assert {path.name for path in tmp_path.iterdir()} == {
        "figure8_R_tool.svg", "figure8_this_project.svg"
    }  # fmt: skip


def test_without_the_logged_runs_the_histograms_are_left_out(output, tmp_path):
    assert output("shapleymbo_histograms.py", "--data", tmp_path).startswith("skipped: ")
