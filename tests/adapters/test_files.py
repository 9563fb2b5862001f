"""Functions read what the command line reads: storages, tables and pickled results."""

import optuna
import pandas as pd
import pytest
import skopt

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.sources import as_runs

TABLE = pd.DataFrame(
    {"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]}
)


@pytest.fixture
def storage(tmp_path):
    """A database with a study of two objectives, and one of a single objective."""
    place = tmp_path / "study.db"
    for name, directions in (
        ("one", ["minimize"]),
        ("two", ["minimize", "maximize"]),
    ):
        study = optuna.create_study(
            storage=f"sqlite:///{place}",
            study_name=name,
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),
        )
        for value in (0.1, 0.4, 0.8):
            trial = study.ask(
                {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
            )
            study.tell(trial, [value] * len(directions))
    return place


def test_a_database_is_read_by_its_path_and_by_its_address(storage):
    study = optuna.load_study(storage=f"sqlite:///{storage}", study_name="one")
    expected = hx.from_optuna(study)
    for place in (storage, str(storage), f"sqlite:///{storage}"):
        run = as_run(place, study_name="one")
        assert run.objective.tolist() == expected.objective.tolist()
        assert run.space == expected.space
    assert len(as_runs(storage, study_name="two")) == 2
    assert len(as_runs(storage, study_name="two", target=1)) == 1


def test_a_table_is_read_by_its_path_with_the_options_of_a_table(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False, sep=";")
    effect = hx.partial_dependence(
        tmp_path / "t.csv", "x", objective="loss", sample=10
    )
    table = hx.partial_dependence(TABLE, "x", objective="loss", sample=10)
    assert effect.mean.tolist() == table.mean.tolist()
    run = as_run(
        str(tmp_path / "t.csv"), objective="loss", direction="maximize"
    )
    assert run.direction == "maximize"
    assert "separator" in [note.kind for note in run.notes]


def test_a_pickled_result_is_read_only_if_it_is_trusted(tmp_path):
    result = skopt.gp_minimize(
        lambda v: v[0],
        [(0.0, 1.0)],
        n_calls=5,
        n_initial_points=5,
        random_state=0,
    )
    skopt.dump(result, tmp_path / "result.pkl", store_objective=False)
    with pytest.raises(
        hx.base.InputError, match="runs whatever code is in the file"
    ) as caught:
        hx.trust(tmp_path / "result.pkl")
    assert "trust_pickle=True" in caught.value.remedy
    run = as_run(tmp_path / "result.pkl", trust_pickle=True)
    assert run.objective.tolist() == [
        float(value) for value in result.func_vals
    ]


def test_a_path_that_is_none_says_where_to_look(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("trials.csv", index=False)
    for place, remedy in (
        ("trial.csv", "Did you mean 'trials.csv'?"),
        ("away/trials.csv", "There is no folder 'away'"),
        (".", "It is a folder"),
        ("nothing-like-it", str(tmp_path)),
    ):
        with pytest.raises(
            hx.base.InputError, match="neither a file nor an address"
        ) as caught:
            hx.importance(place)
        assert remedy in caught.value.remedy
    with pytest.raises(
        hx.base.InputError, match="is not an option of from_frame"
    ):
        as_run("trials.csv", study_name="s", objective="loss")


def test_a_dict_of_columns_is_told_to_be_a_table_and_what_to_leave_out():
    with pytest.raises(hx.base.InputError, match="no adapter reads") as caught:
        hx.importance(TABLE.to_dict("list"), objective="loss")
    for word in ("pandas.DataFrame(run)", "objective=", "hyperparameters="):
        assert word in caught.value.remedy
