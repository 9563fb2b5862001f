"""A new method is two files and one entry: everything else follows from them."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.source_tree import ROOT
from tests.stubs import PACKAGES, names_of, written

TOY = '''
"""Counts the trials."""

from dataclasses import dataclass
from typing import ClassVar

from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.question import Question, explains


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Toy(Result):
    """How many trials there are."""

    table: ClassVar[Table] = Table(index=("what", "what"), columns={"trials": "trials"})

    trials: tuple[int, ...]
    least: int
    what: ClassVar[tuple[str, ...]] = ("toys",)

    @property
    def claims(self) -> tuple[Claim, ...]:
        n = self.trials[0]
        return (Claim("tried", (), n, text=f"There are {n} toy trials."),)


@explains(of="optimizer")
def toy(question: Question, least: int = 1) -> Toy:
    """Say how many trials there are.

    Parameters
    ----------
    least : int, default 1
        How many there should be.
    """
    return Toy(subject=question.subject(), trials=(len(question.run),), least=least)
'''
SHOW = '''
"""How the count is drawn."""

from hpo_explain.base.figures.rows import Bar, Rows, View


def bars(found) -> Rows:
    return Rows(labels=[("toys",)], bars=[Bar(0, 0.0, found.trials[0])], heading="Toys", label="n")


VIEWS = {"": View(bars, "How many trials there are.")}
'''
ENTRY = """
TOY = Method(
    name="toy",
    module="hpo_explain.methods.runs.toy",
    asks="How many toy trials are there?",
    limits="counts them",
    title="How many toys?",
    how_to_read="A bar is a count.",
)

METHODS ="""
# where modules of others are compiled already, which takes seconds
COMPILED = {name: os.environ[name] for name in ("PYTHONPYCACHEPREFIX",) if name in os.environ}
LOOK = """
import json
import pandas as pd
import hpo_explain as hx
from click.testing import CliRunner
from hpo_explain.catalog.guide import guide_text
from hpo_explain.cli import main
from hpo_explain.reporting import Report
from tests.public import functions
from tests.stubs import of_methods, results

table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
table.to_csv("toys.csv", index=False)
found = hx.methods.toy(table, least=2, objective="loss")
assert str(found).startswith("There are 3 toy trials."), str(found)
assert found.to_frame()["trials"].tolist() == [3]
assert found.plot().get_title is not None
assert "How many toy trials are there?" in guide_text()
ran = CliRunner().invoke(main, ["toy", "toys.csv", "--objective", "loss", "--least", "2",
                                "--json"])
assert ran.exit_code == 0, ran.output
assert json.loads(ran.stdout)["claims"][0]["estimate"] == 3
report = Report.of({"loss": hx.from_frame(table, "loss")}, sections=["toy"])
assert report.cards[0].finding == "There are 3 toy trials.", report.cards
assert of_methods()["hpo_explain.methods.runs.toy"] == {"toy"}
assert results()["Toy"] == "hpo_explain.methods.runs.toy"
assert "toy" in functions()
print("shown everywhere")
"""


@pytest.fixture
def checkout(tmp_path):
    """A copy of the source in which the toy is the only change."""
    # what is compiled for the machine comes along
    without = shutil.ignore_patterns("*.pyc", "*.tmp.*")
    shutil.copytree(ROOT / "adapters", tmp_path / "adapters", ignore=without)
    shutil.copytree(ROOT / "hpo_explain", tmp_path / "hpo_explain", symlinks=True, ignore=without)
    (tmp_path / "tests").mkdir()
    for name in ("__init__.py", "public.py", "stubs.py", "source_tree.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)
    folder = tmp_path / "hpo_explain" / "methods" / "runs"
    for name, text in (("toy", TOY), ("toy_show", SHOW)):
        (folder / f"{name}.py").write_text(text)
    catalog = tmp_path / "hpo_explain" / "catalog" / "methods.py"
    catalog.write_text(catalog.read_text().replace("\nMETHODS =", ENTRY))
    return tmp_path


@pytest.mark.merge
def test_two_files_and_an_entry_are_all_that_a_method_is(checkout):
    subprocess.run([sys.executable, "-m", "tests.stubs"], cwd=checkout, check=True)
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin", "PYTHONPATH": str(checkout), "HOME": str(checkout), **COMPILED},
    )
    assert done.stdout.strip().endswith("shown everywhere"), done.stderr


def test_the_stubs_of_the_public_names_are_current():
    for package in PACKAGES:
        assert written(package) == names_of(package), "python -m tests.stubs writes them"
