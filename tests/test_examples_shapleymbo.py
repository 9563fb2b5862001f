"""The reproductions of Croppi (2021) run as a reader runs them."""

import re
import runpy
import sys

import numpy as np
import pytest

from tests.source_tree import ROOT

PAPERS = ROOT / "examples" / "papers"


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


def test_the_cosine_mixture_is_the_thesiss(monkeypatch):
    monkeypatch.syspath_prepend(PAPERS)
    from shapleymbo_cosine_mixture import THESIS, cosine_mixture

    for *x, y, cb, se, m in THESIS:
        assert cosine_mixture(x) == pytest.approx(y, abs=0.015)
        assert cb == pytest.approx(m - se, abs=0.011)
    assert cosine_mixture(np.zeros(3)) == pytest.approx(-0.3)
