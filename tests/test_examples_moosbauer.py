"""The reproductions of Moosbauer et al. (2021) run as a reader runs them."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAPERS = ROOT / "examples" / "papers"
PHONEME = ROOT.parent / "shared" / "data" / "lcbench_phoneme.csv.gz"


@pytest.fixture
def output(monkeypatch, capsys):
    """What a script prints."""

    def run(name, *options):
        # in this process: most of the time of another one would be its imports
        monkeypatch.syspath_prepend(PAPERS)
        monkeypatch.setattr(sys, "argv", [name, *options])
        runpy.run_path(str(PAPERS / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_the_table_of_the_synthetic_function_stands_beside_the_papers(output):
    lines = output("moosbauer_synthetic.py", "--quick", "--tau", "5", "0.1").splitlines()
    assert lines[1].split()[:3] == ["d", "τ", "MMD"]
    assert [line.split()[:2] for line in lines[2:]] == [["3", "5.0"], ["3", "0.1"]]
    for number in ("[0.18]", "[7.65]", "[13.64]", "[5.89]", "[10.92]"):
        assert number in lines[2]


def test_eq_4_has_the_lower_likelihood_and_the_wider_spread_as_the_papers_prose_says(output):
    lines = output("moosbauer_kernel_misspecification.py", "--quick").splitlines()
    rows = {tuple(line.split()[1:4]): float(line.split()[4]) for line in lines[2:]}
    for kernel in ("Matérn-3/2", "Gaussian"):
        assert rows[kernel, "Eq.", "4"] < rows[kernel, "Eq.", "5"]


@pytest.mark.skipif(not PHONEME.exists(), reason="needs LCBench's table of phoneme")
def test_the_tables_of_the_network_name_every_criterion_and_hyperparameter(output):
    text = output("moosbauer_lcbench.py", "--quick")
    for word in ("l2", "area", "variance", "mean", "L1 neighbourhood", "[29 ± 7, 25 to 32]"):
        assert word in text
    assert sum(line.startswith("  weight_decay") for line in text.splitlines()) == 3


def test_a_table_that_is_not_there_is_named_with_the_remedy(output, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        output("moosbauer_lcbench.py", "--data", str(tmp_path / "none.csv"))
    error = capsys.readouterr().err
    assert "none.csv does not exist" in error
    assert "--data" in error
