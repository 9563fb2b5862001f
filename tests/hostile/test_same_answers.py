"""A run has the same answers in whichever way somebody writes it down, and behind every door.

Metamorphic relations: hyperparameters and trials in another order, other names, labels, categories
in another order, other units of the objective and of hyperparameters, the negated objective, and a
hyperparameter of a single value. `tests/invariances.py` writes the runs down.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import optuna
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hpo_explain as hx
from hpo_explain.adapters.sources import as_run
from hpo_explain.base.errors import InputError
from tests.invariances import CONFIGS, NAMES, Written, trials, ways

# These relations hold of any draws.
pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws")]
AS_IS = Written()
OBJECTIVES = [*product([1.0, -1.0, 1e3, -7.0, 64.0], [0.0, -7.0, 3.0])]
FACTORS = [1.0, 60.0, 1e3, 1.0 / 3.0, 1e-6]
KINDS = ["smooth", "failing", "noisy", "tied"]
RELATIVE = 1e-9


def run_of(written, kind, seed):
    """The run of a kind, as it is written down."""
    configs, objective = trials(seed)
    feasible = None
    if kind == "noisy":
        noise = np.random.default_rng(seed).standard_normal(CONFIGS)
        objective = objective + objective.std() * noise
    elif kind == "tied":
        objective = np.round(objective, 1)
    elif kind == "failing":
        feasible = np.array([c["rate"] < 1.5 for c in configs])
    return written.run_of(configs, objective, feasible=feasible)


def shares(written, run, **options):
    frame = hx.importance(run, **options).to_frame()
    for name, row in frame.iterrows():
        members = sorted(written.old(one) for one in name.split(" × "))
        for column in ("importance", "lower", "upper"):
            yield f"{column} of {members}", row[column]


def place(written, run, config):
    """Positions of a configuration's numbers, and its categories, by their names at first."""
    for name, position in zip(run.space.names, run.space.encode(config)[0], strict=True):
        value = position
        if isinstance(run.space[name], hx.CategoricalParameter):
            kind = written.old(name)
            value = repr(written.old_value(kind, config.get(name)))
        yield f"best {written.old(name)}", value


def box(written, run):
    found = hx.recommended_space(run)
    yield "allowed loss", float(written.size(found.lose))
    yield "volume", found.volume
    for parameter in found.space:
        name = written.old(parameter.name)
        if isinstance(parameter, hx.CategoricalParameter):
            choices = [written.old_value(name, c) for c in parameter.choices]
            yield f"choices of {name}", sorted(map(repr, choices))
        else:
            ends = [parameter.low, parameter.high]
            whole = run.space[parameter.name]
            yield f"range of {name}", whole.encode(ends).tolist()


def answers(written, run):
    """What is said of a run, in the words and units of the run as it was at first."""
    yield from shares(written, run, order=2)
    for name, share in shares(written, run, top=0.1):
        yield f"{name} at the top", share
    trust = hx.trust(run)
    yield "trust", [trust.level, trust.r2, trust.rank]
    optimum = hx.optimum(run)
    yield "best", float(written.point(optimum.estimate))
    yield "interval", sorted(written.point(optimum.interval).tolist())
    yield "sizes", written.size([optimum.epsilon, optimum.regret]).tolist()
    yield "better", optimum.p_better
    yield from place(written, run, optimum.config)
    yield from box(written, run)
    for action in hx.advise(run).actions:
        names = sorted(map(written.old, action.hyperparameters))
        gain = float(written.size(action.gain))
        yield f"{action.kind} {names}", [gain, action.certain]


def numbers_and_words(answers):
    """Numbers and words by what they are of."""
    numbers, words = {}, {}
    for name, value in answers:
        for i, one in enumerate(value if isinstance(value, list) else [value]):
            is_number = isinstance(one, (float, np.floating))
            (numbers if is_number else words)[name, i] = one
    return numbers, words


def check_same(found, expected):
    (numbers, words), (others, other_words) = map(numbers_and_words, (found, expected))
    assert words == other_words
    assert numbers == pytest.approx(others, rel=RELATIVE, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("kind", [pytest.param("smooth", marks=pytest.mark.thorough), "failing"])
def test_everything_written_otherwise_changes_no_answer(kind):
    way = Written(
        order=(5, 4, 3, 2, 1, 0),
        names=dict(zip(NAMES, "zyxwvu", strict=True)),
        labels={"kind": {"tree": "c", "line": "b", "net": "a"}},
        categories={"kind": (1, 2, 0), "warm": (1, 0)},
        scale=-1000.0,
        shift=3.0,
        units={"rate": 60.0, "lr": 1.0 / 3.0, "drop": 100.0},
        rows=1,
    )
    expected = answers(AS_IS, run_of(AS_IS, kind, 1))
    check_same(answers(way, run_of(way, kind, 1)), expected)


@pytest.mark.thorough
@settings(max_examples=30)
@given(ways(OBJECTIVES, FACTORS), st.integers(0, 9), st.sampled_from(KINDS), st.integers(0, 99))
def test_no_way_to_write_a_run_down_changes_an_answer(way, rows, kind, seed):
    way = replace(way, rows=rows)
    expected = answers(AS_IS, run_of(AS_IS, kind, seed))
    check_same(answers(way, run_of(way, kind, seed)), expected)


# ---------------------------------------------------------------------- doors


@pytest.fixture(scope="module")
def study():
    study = AS_IS.study(2)
    study.add_trial(
        optuna.trial.create_trial(
            state=optuna.trial.TrialState.FAIL,
            params=study.trials[0].params,
            distributions=study.trials[0].distributions,
        )
    )
    return study


@pytest.fixture(scope="module")
def of_study(few_draws, study):
    return list(answers(AS_IS, hx.from_optuna(study)))


def in_a_database(study, folder):
    address = f"sqlite:///{folder / 'study.db'}"
    optuna.copy_study(
        from_study_name=study.study_name, from_storage=study._storage, to_storage=address
    )
    return address


def in_a_journal(study, folder):
    path = folder / "study.log"
    backend = optuna.storages.journal.JournalFileBackend(str(path))
    optuna.copy_study(
        from_study_name=study.study_name,
        from_storage=study._storage,
        to_storage=optuna.storages.JournalStorage(backend),
    )
    return path


def in_a_table(study, folder):
    path = folder / "study.csv"
    study.trials_dataframe().to_csv(path, index=False)
    return path


@pytest.mark.parametrize("door", [in_a_database, in_a_journal, in_a_table])
def test_a_study_has_the_same_answers_behind_every_door(
    door, study, of_study, tmp_path, quiet_optuna
):
    options = {}
    if door is in_a_table:
        options = {"space": AS_IS.space(), "direction": "minimize"}
    opened = as_run(str(door(study, tmp_path)), **options)
    check_same(answers(AS_IS, opened), of_study)


# ---------------------------------------------------------------------- tables

COLUMNS = [
    lambda rng, n: rng.random(n),
    lambda rng, n: 10.0 ** rng.uniform(-5.0, 0.0, n),
    lambda rng, n: rng.integers(1, 9, n),
    lambda rng, n: rng.choice([16, 32, 64, 128], n),
    lambda rng, n: rng.choice(["p", "q", "r"], n),
    lambda rng, n: rng.choice(["p", "q"], n),
]
RENAMED = {"p": "y", "q": "x", "r": "z"}
WAYS = ["rows", "columns", "names", "categories", "objective", "all"]


def table_of(seed):
    """A table with columns of random kinds, gaps, failed trials and ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 41))
    names = [f"k{i}" for i in range(rng.integers(2, 6))]
    kinds = rng.integers(len(COLUMNS), size=len(names))
    table = pd.DataFrame({name: COLUMNS[k](rng, n) for name, k in zip(names, kinds, strict=True)})
    first = table[names[0]]
    if rng.random() < 0.5:  # active under a condition, or now and then
        there = first == first.iloc[0] if rng.random() < 0.5 else rng.random(n) < 0.7
        table[names[-1]] = table[names[-1]].where(there)
    objective = rng.normal(size=n).round(int(rng.choice([1, 6])))
    return table.assign(out=np.where(rng.random(n) < 0.1, np.nan, objective))


def rewritten(table, way, seed):
    """A table as somebody else writes it; which row was which, and what names were."""
    rng = np.random.default_rng(seed)
    rows, names, sign = np.arange(len(table)), {}, 1.0
    if way in ("rows", "all"):
        rows = rng.permutation(rows)
    if way in ("columns", "all"):
        table = table[rng.permutation(table.columns)]
    if way in ("names", "all"):
        names = {name: f"w{9 - i}" for i, name in enumerate(sorted({*table.columns} - {"out"}))}
    if way in ("categories", "all"):
        table = table.replace(RENAMED)
    if way in ("objective", "all"):
        table, sign = table.assign(out=-table["out"]), -1.0
    return table.iloc[rows].rename(columns=names), rows, names, sign


def read(table, path, sign, way):
    """What is read of a table through the door of CSV, or which argument it takes.

    Which scale numbers have is guessed of the first trials where their values do not tell it.
    """
    table.to_csv(path, index=False)
    direction = "minimize" if sign > 0 else "maximize"
    try:
        numbers = sorted({*table.select_dtypes("number")} - {"out"})
        linear = {"linear": numbers} if way in ("rows", "all") else {}
        return as_run(path, objective="out", direction=direction, **linear)
    except InputError as error:
        return error.argument


def told_of(run, rows, names, old, sign):
    """A run in the rows, names and categories of the table as it was at first."""
    old_names = {new: name for name, new in names.items()}

    def named(values):
        return sorted(str(old.get(value, value)) for value in values)

    space = {}
    for one in run.space:
        name = old_names.get(one.name, one.name)
        of = named(one.choices) if one.is_category else (type(one).__name__, one.low, one.high)
        active = {old_names.get(k, k): named(values) for k, values in one.active_when.items()}
        log = getattr(one, "log", False)
        space[name] = of, active, log, one.optional
    configs = run.space.decode(run.X)
    trials = {
        int(rows[i]): (
            {old_names.get(k, k): old.get(value, value) for k, value in config.items()},
            sign * float(value),
        )
        for i, config, value in zip(run.trials, configs, run.objective, strict=True)
    }
    return space, trials, {int(rows[i]) for i in run.excluded}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.thorough)])
@pytest.mark.filterwarnings("ignore")
def test_a_table_that_is_written_otherwise_is_read_alike(way, count, tmp_path):
    n_read = 0
    for seed in range(count):
        table = table_of(seed)
        expected = read(table, tmp_path / "t.csv", 1.0, way)
        other, rows, names, sign = rewritten(table, way, seed)
        found = read(other, tmp_path / "u.csv", sign, way)
        if isinstance(expected, str) or isinstance(found, str):
            assert found == expected, seed
            continue
        n_read += 1
        old = {new: first for first, new in RENAMED.items()} if way in ("categories", "all") else {}
        as_it_was = told_of(expected, np.arange(len(table)), {}, {}, 1.0)
        assert told_of(found, rows, names, old, sign) == as_it_was, seed
    assert n_read > count / 2
