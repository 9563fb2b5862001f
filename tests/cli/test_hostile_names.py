"""Names that are formulas, paths or commands to a terminal: every command only shows them."""

import csv
import io
import re

import optuna
import pytest

from tests.source_tree import ROOT

NUMBER = "=cmd|' /C calc'!A0\x1b[31m\x07"
CATEGORY = "../../outside\u202e"
CHOICES = ["+1+cmd\x1b]0;title\x07", "@SUM(A1)\x9b31m", "-2+3"]
CONTROLS = {"\x1b", "\x07", "\x9b", "\u202e"}
COMMANDS = {
    "advise": ["advise", "study.db"],
    "ale": ["ale", "study.db", NUMBER],
    "compare": ["compare", "study.db", "=study.db"],
    "footprint": ["footprint", "study.db"],
    "history": ["history", "study.db"],
    "importance": ["importance", "study.db", "--order", "2"],
    "interactions": ["interactions", "study.db", "--background", "20", "--trial", "5"],
    "learning-curves": ["learning-curves", "study.db"],
    "mistunability": ["mistunability", "study.db"],
    "optimizer-bias": ["optimizer-bias", "study.db"],
    "pareto": ["pareto", "two.db"],
    "pdp": ["pdp", "study.db", CATEGORY],
    "proposal": ["proposal", "study.db", "--acquisition", "lcb", "--trial", "5"],
    "sensitivity": ["sensitivity", "study.db"],
    "symbolic": ["symbolic", "study.db", NUMBER],
    "tunability": ["tunability", "study.db"],
}


def is_harmless(cell):
    try:
        float(cell)
    except ValueError:
        return not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return True


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """A study with such names, and one with two objectives."""
    place = tmp_path_factory.mktemp("hostile")

    def objective(trial):
        x, chosen = trial.suggest_float(NUMBER, 0, 1), trial.suggest_categorical(CATEGORY, CHOICES)
        value = (x - 0.3) ** 2 + CHOICES.index(chosen)
        if len(trial.study.directions) == 2:
            return value, x - value
        for step in range(4):
            trial.report(value + 1.0 / (step + 1.0), step)
        return value

    for file, directions in (("study.db", ["minimize"]), ("two.db", ["minimize", "minimize"])):
        storage = optuna.storages.RDBStorage(f"sqlite:///{place / file}")
        study = optuna.create_study(
            storage=storage, study_name="=1+1\x1b[2J", directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),
        )  # fmt: skip
        study.optimize(objective, 14)
        storage.remove_session()
        storage.engine.dispose()
    return place


@pytest.fixture
def inside(studies, folder, monkeypatch):
    """A folder in a folder, which nothing may leave."""
    place = folder / "a" / "b"
    place.mkdir(parents=True)
    for file, copy in (("study.db", "study.db"), ("study.db", "=study.db"), ("two.db", "two.db")):
        (place / copy).write_bytes((studies / file).read_bytes())
    monkeypatch.chdir(place)
    yield place
    assert {*folder.iterdir()} == {folder / "a"}
    assert {*(folder / "a").iterdir()} == {place}


def test_every_command_is_looked_at():
    from hpo_explain.cli import main

    assert {*main.commands} - {*COMMANDS} == {"demo", "export", "report", "watch"}


@pytest.mark.parametrize(
    "name",
    [
        name if name == "history" else pytest.param(name, marks=pytest.mark.thorough)
        for name in COMMANDS
    ],
)
def test_a_command_obeys_no_name_and_its_csv_holds_no_formula(inside, run, name):
    shown = run(*COMMANDS[name], "--plot", "plot.svg")
    assert shown.exit_code == 0, shown.output
    assert not CONTROLS & {*shown.output}
    table = run(*COMMANDS[name], "--format", "csv")
    assert table.exit_code == 0, table.output
    assert not CONTROLS & {*table.stderr}
    cells = [cell for row in csv.reader(io.StringIO(table.stdout)) for cell in row]
    assert len(cells) > 3
    assert [cell for cell in cells if not is_harmless(cell)] == []


@pytest.mark.thorough
def test_neither_exported_tables_nor_a_report_obey_a_name(inside, run):
    shown = run("export", "study.db")
    assert shown.exit_code == 0, shown.output
    assert not CONTROLS & {*shown.output}
    files = [*(inside / "hpo-explain-tables").iterdir()]
    assert len(files) >= 6
    for file in files:
        with file.open(newline="", encoding="utf-8") as opened:
            cells = [cell for row in csv.reader(opened) for cell in row]
        assert [cell for cell in cells if not is_harmless(cell)] == []
    told = run("report", "study.db")
    assert told.exit_code == 0
    assert not CONTROLS & {*told.output}


def test_one_place_alone_writes_csv():
    """It knows which cells a spreadsheet would run."""
    written = [
        path.name
        for folder in ("hpo_explain", "adapters")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\.to_csv\(|writerows?\(", path.read_text(encoding="utf-8"))
    ]
    assert {*written} == {"_csv.py"}
