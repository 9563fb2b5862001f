"""Verdicts follow their rule: what would not have been noticed does not agree."""

import numpy as np
import pytest
from scipy.stats import norm

from examples.papers.__main__ import experiments
from examples.papers.frame import Experiment, Profile, Row, Sheet
from examples.papers.verdicts import (
    AGREES,
    DIFFERS,
    FAMILY,
    FARTHEST,
    NOT_CONTRADICTED,
    UNDECIDED,
    Finding,
    Number,
    critical,
    repetitions_needed,
    verdict,
    weights_of,
)

pytestmark = pytest.mark.thorough

PAPER = np.array([[14.0, 1.5, 8.0], [-2.0, -0.4, -1.2]])


def judged(rows: list[Row]) -> str:
    """Return the verdict on all rows of a section."""
    some = [row.judged for row in rows if row.judged is not None]
    return verdict(some, len(some))


def compared(ours, error=0.01, **options) -> Sheet:
    """Return a sheet with a table of two rows and three columns."""
    sheet = Sheet(Profile())
    names = [["mean", "uncertainty"], ["a", "b", "c"]]
    options = {"together": "all", "error": error} | options
    sheet.numbers("{}, {}", names, PAPER, ours, **options)
    return sheet


def test_a_table_of_the_same_numbers_agrees():
    assert judged(compared(PAPER[None]).rows) == AGREES


@pytest.mark.parametrize("error", [0.01, 0.1, 1.0, 10.0, 1000.0])
def test_a_table_of_zeros_never_agrees(error):
    assert judged(compared(0.0 * PAPER[None], error).rows) != AGREES


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("columns", [1, 40])
def test_a_table_with_one_cell_ten_errors_off_differs(place, columns):
    sheet = Sheet(Profile())
    paper = np.tile(PAPER, columns)
    ours = paper.copy().reshape(-1)
    ours[place] += 10.0 * 0.05
    names = [["mean", "uncertainty"], range(3 * columns)]
    sheet.numbers("{}, {}", names, paper, ours[None], "all", error=0.05)
    assert judged(sheet.rows) == DIFFERS


def test_chance_lets_one_table_in_a_hundred_differ():
    rng = np.random.default_rng(0)
    for n_rows in (1, 10, 100):
        off = np.abs(rng.normal(size=(20_000, n_rows))).max(axis=1)
        differs = (off > critical(n_rows)).mean()
        assert differs == pytest.approx(FAMILY, abs=0.003)
    # however many rows there are, nothing beyond five errors is forgiven
    assert critical(10**9) == pytest.approx(FARTHEST)


@pytest.mark.parametrize("n_repetitions", [2, 3, 5, 20])
@pytest.mark.parametrize("n_rows", [1, 3])
def test_few_repetitions_let_no_more_tables_differ(n_repetitions, n_rows):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20_000, n_rows, n_repetitions))
    errors = values.std(axis=2, ddof=1) / n_repetitions**0.5
    off = np.abs(values.mean(axis=2)) / errors
    far = critical(n_rows, n_repetitions - 1.0)
    assert (off > far).any(axis=1).mean() == pytest.approx(FAMILY, abs=0.003)
    # nor would they be told to agree: half of these margins are on the paper's side
    agree = [
        verdict([Finding.of(row) for row in table], n_rows) == AGREES for table in values[:2000]
    ]
    assert np.mean(agree) < FAMILY


def test_what_is_never_forgiven_is_as_rare_however_few_the_repetitions():
    # Student's distribution with one degree of freedom is Cauchy's, with two has a closed form
    rare = norm.sf(FARTHEST)
    assert critical(10**9, 1.0) == pytest.approx(1 / np.tan(np.pi * rare))
    p = 1.0 - 2.0 * rare
    assert critical(10**9, 2.0) == pytest.approx(p * (2 / (1 - p**2)) ** 0.5)


def test_what_is_told_is_noticed_four_times_in_five():
    number = Number(paper=10.0, ours=10.0, error=1.0)
    tells = number.tells(20)
    ours = 10.0 + tells + np.random.default_rng(0).normal(size=50_000)
    noticed = np.abs(ours - 10.0) > critical(20)
    assert noticed.mean() == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("error", "ours", "said"),
    [
        # with one row chance exceeds 2.58 errors in 1 %; 3.42 are noticed in 80 %
        (0.5, 10.0, AGREES),
        (0.5, 11.28, AGREES),
        (0.5, 11.3, DIFFERS),
        (0.58, 10.0, AGREES),
        (0.59, 10.0, NOT_CONTRADICTED),
        (5.0, 0.0, NOT_CONTRADICTED),
        (3.0, 0.0, DIFFERS),
    ],
)
def test_a_number_agrees_if_a_fifth_of_it_would_have_been_noticed(error, ours, said):
    # more repetitions would narrow all of the error
    options = {"shrinking": error**2}
    assert Number(10.0, ours, error, **options).verdict(1) == said
    # and so does its distance from what it would be if there were nothing
    shifted = Number(110.0, 100.0 + ours, error, null=100.0, **options)
    assert shifted.verdict(1) == said


def test_what_no_repetition_can_tell_is_undecided_and_decides_nothing():
    # the paper's own number has nearly all of the error, or too few digits
    single = Number(10.0, 10.0, 2.0, shrinking=0.1)
    rounded = Number(0.02, 0.02, 0.0, rounding=0.005)
    for number in (single, rounded):
        assert number.verdict(1) == UNDECIDED
        assert verdict([number], 1) == UNDECIDED
        assert verdict([number, Number(1.0, 1.0, 0.0)], 2) == AGREES
    assert verdict([single, Number(10.0, 10.0, 2.0, shrinking=4.0)], 2) == NOT_CONTRADICTED
    assert Number(10.0, 30.0, 2.0, shrinking=0.1).verdict(1) == DIFFERS


def test_a_verdict_is_narrow_that_most_other_draws_would_not_give_as_surely():
    rng = np.random.default_rng(0)
    limit = critical(1)
    for apart, is_narrow in ((limit - 0.5, True), (limit + 0.5, True), (0.0, False), (9.0, False)):
        assert Number(10.0, 10.0 + apart, 1.0).is_narrow(1) == is_narrow
        finding = Finding((apart,), (1.0,))
        assert finding.is_narrow(1) == is_narrow
        drawn = [Finding((m,), (1.0,)).verdict(1) for m in apart + rng.normal(size=2000)]
        turned = np.mean(np.array(drawn) != finding.verdict(1))
        assert (turned > 0.15) == is_narrow
    # it is within its limit by the rounding of what is printed
    assert Number(1.0, 1.09, 0.01, rounding=0.08).is_narrow(1)
    assert not Number(1.0, 1.02, 0.01, rounding=0.08).is_narrow(1)


def test_rounding_counts_and_what_is_printed_as_zero_has_no_effect():
    assert Number(0.003, 0.0034, 0.0, rounding=0.0005).verdict(9) == AGREES
    assert Number(0.001, 0.0, 0.0, rounding=0.0005).verdict(9) == DIFFERS
    assert Number(0.0, 0.0003, 0.0, rounding=0.0005).verdict(9) == AGREES
    assert Number(0.0, 0.0, 0.01, rounding=0.0005).verdict(9) == UNDECIDED


def test_a_finding_has_the_error_of_its_repetitions():
    rng = np.random.default_rng(0)
    clear, none = 1.0 + rng.normal(size=50), 0.01 * rng.normal(size=50)
    assert Finding.of(clear).verdict(5) == AGREES
    assert Finding.of(-clear).verdict(5) == DIFFERS
    assert Finding.of(none - none.mean()).verdict(5) == NOT_CONTRADICTED
    # of several margins all have to hold
    assert Finding.of([clear, clear]).verdict(5) == AGREES
    assert Finding.of([clear, none]).verdict(5) == NOT_CONTRADICTED
    assert Finding.of([clear, -clear]).verdict(5) == DIFFERS
    with pytest.raises(ValueError, match="repetitions"):
        Finding.of([1.0])
    assert Finding.exact(True).verdict(99) == AGREES
    assert Finding.exact(False).verdict(99) == DIFFERS


def test_halves_of_the_trials_tell_no_more_than_all_of_them():
    rng = np.random.default_rng(0)
    errors, n = [], 400
    for count in (20, 1000):
        values = rng.normal(size=n)
        values = (values - values.mean()) / values.std(ddof=1)
        halves = [rng.permutation(values)[: n // 2] for _ in range(count)]
        sheet = Sheet(Profile())
        sheet.of_halves("it is positive", np.mean(halves, axis=1), "")
        errors.append(sheet.rows[0].judged.errors[0])
    # the standard error of a mean of all, however many halves there are
    assert errors[0] == pytest.approx(n**-0.5, rel=0.4)
    assert errors[1] == pytest.approx(n**-0.5, rel=0.1)


def test_rows_that_are_all_below_the_papers_are_noticed_together():
    rng = np.random.default_rng(0)
    # each is a third of its error below, all of them in every run
    ours = PAPER * (0.7 + 0.1 * rng.normal(size=(30, 1, 1)))
    ours = ours + 3.0 * rng.normal(size=(30, 2, 3))
    sheet = compared(ours, error=0.0)
    *cells, together = sheet.rows
    assert together.ours.endswith("4 of 6 below the paper's")  # 2 are negative
    assert together.verdict(len(sheet.rows)) == DIFFERS
    assert judged(sheet.rows) == DIFFERS
    verdicts = {row.verdict(len(sheet.rows)) for row in cells}
    assert NOT_CONTRADICTED in verdicts


def test_a_number_without_error_does_not_stand_for_the_others():
    paper = np.array([1.0, 1.0, 1.0])
    weights = weights_of(paper, np.array([0.0, 0.2, 0.2]))
    np.testing.assert_allclose(weights, 1.0 / 3.0)
    assert weights_of(paper, np.zeros(3)) @ paper == pytest.approx(1.0)


def test_one_run_in_thirty_is_not_most():
    for count, said in ((1, DIFFERS), (16, NOT_CONTRADICTED), (29, AGREES)):
        sheet = Sheet(Profile())
        sheet.in_most("it holds", np.arange(30) < count, "")
        assert judged(sheet.rows) == said


def test_a_table_that_cannot_tell_is_not_contradicted():
    weak = Number(10.0, 9.0, 8.0, shrinking=64.0)
    assert verdict([weak], 1) == NOT_CONTRADICTED
    assert verdict([weak, Finding.exact(True)], 2) == NOT_CONTRADICTED
    assert verdict([weak, Finding.exact(False)], 2) == DIFFERS
    strong = Number(10.0, 9.9, 0.1)
    assert verdict([strong, Finding.exact(True)], 2) == AGREES
    assert verdict([strong, weak], 2) == NOT_CONTRADICTED
    together = Number(1.0, 1.0, 0.04, together=True)
    assert verdict([strong, weak, together], 3) == AGREES
    assert norm.isf(FAMILY / 2.0) == pytest.approx(critical(1))


# ---------------------------------------------------------------------- how many are enough


def test_as_many_repetitions_as_are_said_to_be_enough_tell_four_times_in_five():
    rng = np.random.default_rng(0)
    few = Finding((0.2,), (0.2,), 24.0, 25)  # of margins with std 1
    n = round(few.enough(5))
    tables = 0.2 + rng.normal(size=(4000, n))
    agree = [Finding.of(one).verdict(5) == AGREES for one in tables]
    assert np.mean(agree) == pytest.approx(0.8, abs=0.03)
    # a number tells where δ is a fifth of what the paper says
    number = Number(10.0, 10.0, 5.0, repetitions=4, shrinking=24.9)
    n = number.enough(5)
    error = (24.9 * 4.0 / n + 0.1) ** 0.5
    assert Number(10.0, 10.0, error).tells(5) == pytest.approx(2.0)


def test_none_are_enough_where_they_are_not_what_is_missing():
    of_the_paper = Number(10.0, 10.0, 5.0, repetitions=4, shrinking=22.0)
    assert of_the_paper.enough(5) == np.inf
    assert repetitions_needed(of_the_paper, 5) == ""
    assert repetitions_needed(Finding((-0.1,), (0.2,), 9.0, 10), 5) == ""
    for kind, flags in (("in_resamples", [True, False]), ("of_halves", [1.0, -0.9])):
        sheet = Sheet(Profile())
        getattr(sheet, kind)("it holds", flags, "")
        assert repetitions_needed(sheet.rows[0].judged, 1) == ""


def test_repetitions_of_a_number_are_counted_with_what_they_share():
    sheet = Sheet(Profile())
    values = np.random.default_rng(0).normal(10.0, 1.0, 8)
    sheet.number("a", 10.0, values, error=0.5)
    sheet.number("b", 10.0, values, one_draw=True)
    own = values.var(ddof=1) / 8.0
    for row in sheet.rows:
        assert row.judged.repetitions == 8
        assert row.judged.shrinking == pytest.approx(own)


# ---------------------------------------------------------------------- every cell

# cells with results, as the papers print them; standard deviations in brackets count, times do not
PRINTED = {
    "fanova": {2: 96},
    "moosbauer": {1: 45, 2: 42, 3: 24, 7: 140, 8: 140, 10: 84, 11: 84},
    "shapleymbo": {1: 21, 2: 9, 4: 0, 6: 48, 7: 20, 8: 16, 9: 72, 10: 24, 11: 14, 12: 20, 13: 14},
}


def test_every_printed_cell_is_asked_for():
    for one in experiments():
        tables = [int(name[5:]) for name in one.names if name.startswith("table")]
        assert one.cells == sum(PRINTED[one.paper][n] for n in tables)


def test_a_table_whose_cells_are_not_all_there_differs():
    def run(sheet):
        sheet.number("a", 1.0, 1.0)
        sheet.left_out("b and c", "as they are settings", 2)

    for cells, said in ((3, AGREES), (4, DIFFERS)):
        one = Experiment("fanova", ("table1",), "Some", run, cells=cells)
        rows = one.found(Profile()).rows
        assert judged(rows) == said
    assert "b and c (2 cells)" in rows[1].shown(1)
    assert "left out: as they are settings" in rows[1].shown(1)
    assert rows[-1].ours == "3 of 4"
