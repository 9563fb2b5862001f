"""The examples run, in their quick form, and say what they promise."""

import pytest

from examples.papers.frame import FETCH, LDA, PHONEME, Profile, Sheet
from examples.papers.verdicts import AGREES, NOT_CONTRADICTED

pytestmark = pytest.mark.thorough


@pytest.mark.skipif(not Profile().has(LDA), reason=f"needs {FETCH[LDA]}")
@pytest.mark.parametrize(
    ("column", "of_paper"),
    [("perplexity", {(2,): 65, (0, 2): 18}), ("runtime_s", {(0,): 54, (2,): 21})],
)
def test_shares_of_online_lda_are_those_of_the_paper(column, of_paper):
    """Section 4.1: S 65 %, S and κ another 18 % of the perplexity; κ 54 %, S 21 % of run time."""
    from examples.papers.fanova_ground_truth import Analysis, explained, read, true_shares

    values = read(Profile(), column)
    found = Analysis([explained(values, seed) for seed in range(6)], values)
    every = found.results[0].members
    true = 100.0 * true_shares(values, every)
    # all components of a function on a grid add up to its variance
    assert true.sum() == pytest.approx(100.0)
    for members, paper in of_paper.items():
        shares = found.shares(*members)
        # the paper's share is that of one draw of 100 points
        assert paper == pytest.approx(shares.mean(), abs=3.0 * shares.std(ddof=1) + 2.0)
        assert true[every.index(members)] == pytest.approx(shares.mean(), abs=8.0)


@pytest.mark.skipif(not Profile().has(PHONEME), reason=f"needs {FETCH[PHONEME]}")
def test_the_good_regions_of_lcbench_are_as_in_the_paper(papers):
    """Table 2: main effects have 20 to 88 %, pairs up to 45 %; capped, main effects have less."""
    from fanova_lcbench import of_phoneme

    sheet = Sheet(Profile())
    of_phoneme(sheet)
    by_what = {row.what: row.verdict(6) for row in sheet.rows}
    assert len(by_what) == 6
    # six halves are too few to tell what is first
    few = [what for what in by_what if "matters most" in what]
    assert {by_what.pop(what) for what in few} <= {AGREES, NOT_CONTRADICTED}
    assert {*by_what.values()} == {AGREES}
