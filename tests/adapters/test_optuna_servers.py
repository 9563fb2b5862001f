"""Studies in the databases of servers; needs PostgreSQL or MariaDB, and a driver of each."""

import optuna
import pytest
from click.testing import CliRunner
from optuna.exceptions import StorageInternalError
from sqlalchemy import create_engine, text

from hpo_explain.adapters.optuna.storage import load_study, read_storage
from hpo_explain.cli import main
from tests.adapters.servers import free_port, mysql, postgresql

SERVERS = {"postgresql": postgresql, "mysql": mysql}


@pytest.fixture(scope="module", params=SERVERS)
def address(request):
    with SERVERS[request.param]() as place:
        study = optuna.create_study(
            storage=place, study_name="tuned",
            sampler=optuna.samplers.TPESampler(seed=0, n_startup_trials=5),
        )  # fmt: skip
        study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0) ** 2, n_trials=12)
        yield place


def contents(address):
    """Every row of every table."""
    engine = create_engine(address)
    with engine.connect() as connection:
        names = connection.dialect.get_table_names(connection)
        found = {
            name: sorted(map(repr, connection.execute(text(f"SELECT * FROM {name}"))))
            for name in names
        }
    engine.dispose()
    return found


def test_a_study_is_read_and_nothing_is_written(address):
    before = contents(address)
    run = read_storage(address)
    assert len(run) == 12
    assert run.space.names == ("x",)
    assert contents(address) == before


def test_the_server_refuses_to_write_for_the_reader(address):
    before = contents(address)
    study = load_study(address)
    with pytest.raises(StorageInternalError):
        study.set_user_attr("note", "written")
    with pytest.raises(StorageInternalError):
        study.ask()
    assert contents(address) == before


def test_an_empty_database_stays_empty(address):
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE hollow"))
    engine.dispose()
    hollow = address.rpartition("/")[0] + "/hollow"
    with pytest.raises(ValueError, match=r"holds no study|cannot be read"):
        read_storage(hollow)
    assert contents(hollow) == {}


def test_the_command_line_takes_the_address_and_hides_its_password(address, tmp_path):
    done = CliRunner().invoke(
        main, ["report", address, "--out", str(tmp_path / "r.html")], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    wrong = CliRunner().invoke(main, ["importance", address, "--study-name", "other"])
    assert wrong.exit_code == 1
    assert "other" in wrong.stderr
    assert "tuned" in wrong.stderr
    assert "secret" not in wrong.output


def test_a_server_that_does_not_answer_is_told(address):
    nowhere = address.replace(address.rpartition(":")[2].partition("/")[0], str(free_port()))
    done = CliRunner().invoke(main, ["importance", nowhere])
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    assert "secret" not in done.output
    assert "127.0.0.1" in done.stderr
