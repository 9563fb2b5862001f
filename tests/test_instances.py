"""The objective on each instance: frozen, and complete."""

import pickle

import numpy as np
import pytest

from hpo_explain.run import Instances
from tests.test_run import run

ROWS = np.array([[0.1, 0.2], [0.1, 0.2], [0.7, 0.9]])


def folds(**changes):
    given = {"names": ["a", "b"], "X": ROWS, "index": [0, 1, 1], "objective": [1.0, 2.0, 3.0]}
    return Instances(**given | changes)


def test_instances_are_copies_that_cannot_be_written_even_when_unpickled():
    rows = ROWS.copy()
    made = folds(X=rows)
    rows[:] = 0.0
    for record in (made, pickle.loads(pickle.dumps(made))):
        assert len(record) == 3
        assert record.names == ("a", "b")
        np.testing.assert_array_equal(record.X, ROWS)
        assert record.index.tolist() == [0, 1, 1]
        assert record.index.dtype == np.int64
        for name in ("X", "index", "objective"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(record, name)[0] = 0


def test_a_run_carries_the_instances_of_its_own_space():
    assert run(instances=folds()).instances.objective.tolist() == [1.0, 2.0, 3.0]
    assert run().instances is None
    with pytest.raises(ValueError, match=r"X of instances must have shape \(n, 2\)"):
        run(instances=folds(X=ROWS[:, :1]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"objective": [1.0, np.nan, 2.0]}, ["objective", "finite", "nan in row 1"]),
        ({"index": [0, 1]}, ["index", "per row", "(2,)"]),
        ({"index": [0, 1, 2]}, ["index", "0 to 1", "2"]),
        ({"index": [0, 1, 0.5]}, ["index", "0.5"]),
    ],
)
def test_what_is_wrong_with_instances_is_told(changes, words):
    with pytest.raises(ValueError, match=words[0]) as error:
        folds(**changes)
    for word in words:
        assert word in str(error.value)
