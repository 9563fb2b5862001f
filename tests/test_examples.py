"""The examples run, in their quick form, and say what they promise."""

import runpy
import sys

import pytest

from tests.source_tree import ROOT

EXAMPLES = ROOT / "examples"
DATA = ROOT / ".." / "shared" / "data"


def run(capsys, monkeypatch, path, *options):
    """What an example prints."""
    monkeypatch.setattr(sys, "argv", [path, *map(str, options)])
    runpy.run_path(str(EXAMPLES / path), run_name="__main__")
    return capsys.readouterr().out


def test_a_study_is_continued_in_its_important_subspace(capsys, monkeypatch):
    import optuna

    verbosity = optuna.logging.get_verbosity()
    try:
        printed = run(capsys, monkeypatch, "fanova_subspace.py", "--quick")
    finally:
        optuna.logging.set_verbosity(verbosity)
    assert "of the variance, interactions among them included" in printed
    before, after = (
        float(line.partition("best accuracy ")[2].split()[0])
        for line in printed.splitlines()
        if "best accuracy" in line
    )
    assert after >= before


@pytest.mark.thorough
def test_true_and_predicted_shares_are_printed_and_the_figures_saved(capsys, monkeypatch, tmp_path):
    printed = run(
        capsys, monkeypatch, "papers/fanova_ground_truth.py", "--quick", "--out", tmp_path
    )
    for label in ("perplexity", "run time in seconds"):
        rows = printed.partition(f"\n{label}:")[2].splitlines()[2:9]
        shares = [float(row.split()[-3].rstrip("%")) for row in rows]
        # all components of a function on a grid add up to its variance
        assert sum(shares) == pytest.approx(100.0, abs=0.5)
    saved = {path.name for path in tmp_path.iterdir()}
    assert saved == {
        "figure1_perplexity.svg",
        "figure2_interaction.svg",
        "figure3_run_time.svg",
    }


@pytest.mark.skipif(not DATA.exists(), reason="the LCBench data are not there")
def test_the_good_regions_of_lcbench_are_compared_with_the_paper(capsys, monkeypatch):
    printed = run(capsys, monkeypatch, "papers/fanova_lcbench.py", "--quick", "--data", DATA)
    for label in ("raw", "over the 25% quantile", "over the default"):
        assert f"\n{label}" in printed
    verdicts = printed.partition("general form:\n")[2].splitlines()
    assert len(verdicts) == 5
    assert all(line.startswith(("  agrees: ", "  differs: ")) for line in verdicts)


def test_without_the_data_the_lcbench_example_says_how_to_name_them(capsys, monkeypatch, tmp_path):
    printed = run(capsys, monkeypatch, "papers/fanova_lcbench.py", "--data", tmp_path)
    assert printed.startswith("skipped: lcbench_phoneme.csv.gz is not in")
    assert "--data" in printed
