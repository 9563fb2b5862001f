"""Every figure of both renderers in a browser: no text is cut, covered or too small to be read."""

import pytest

from tests.base.test_result import MADE
from tests.chromium import IS_THERE
from tests.handmade import warns_of_glyphs
from tests.looked import RENDERERS, galleries, results, screen
from tests.reporting.test_browser import CORNERS, WebDriverWait, shown, unreadable

pytest.importorskip("plotly")
pytestmark = [
    pytest.mark.merge,
    warns_of_glyphs,
    pytest.mark.usefixtures("few_draws", "answers_stay"),
    IS_THERE,
]


@pytest.fixture(
    scope="module", params=[0, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 2))]
)
def pages(request, few_draws, answers_stay, tmp_path_factory):
    """Those of a third of the results, so that several processes share the work."""
    names = [*MADE][request.param :: 3]
    folder = tmp_path_factory.mktemp("figures")
    return galleries(results(names), folder)


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("width", [400, pytest.param(1300, marks=pytest.mark.thorough)])
def test_every_text_of_every_figure_can_be_read(browser, pages, renderer, width):
    shown(browser, pages[renderer], screen(width))
    if renderer == "plotly":
        WebDriverWait(browser, 120).until(
            lambda at: at.execute_script(
                "return [...document.querySelectorAll('.plot:has(+ script.figure)')]"
                ".every(plot => plot.querySelector('.nsewdrag, .infolayer'));"
            )
        )
    plots = browser.execute_script(CORNERS)
    assert len(plots) > 10
    assert unreadable(plots) == []
