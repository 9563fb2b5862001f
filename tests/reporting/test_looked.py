"""Every figure of both renderers in a browser: no text is cut, covered or too small to be read."""

import pytest

from tests.chromium import IS_THERE
from tests.handmade import warns_of_glyphs
from tests.looked import RENDERERS, gallery, results, screen
from tests.reporting.test_browser import (
    CORNERS,
    WebDriverWait,
    shown,
    unreadable,
)

pytest.importorskip("plotly")
pytestmark = [
    warns_of_glyphs,
    pytest.mark.usefixtures("few_draws", "answers_stay"),
    IS_THERE,
]


@pytest.fixture(scope="module")
def found(few_draws, answers_stay):
    return results()


@pytest.fixture(scope="module", params=RENDERERS)
def figures(request, found, tmp_path_factory):
    path = tmp_path_factory.mktemp("figures") / f"{request.param}.html"
    return gallery(found, path, answers=RENDERERS[request.param])


@pytest.mark.parametrize(
    "width", [400, pytest.param(1300, marks=pytest.mark.thorough)]
)
def test_every_text_of_every_figure_can_be_read(browser, figures, width):
    shown(browser, figures, screen(width))
    if "plotly" in figures:
        WebDriverWait(browser, 120).until(
            lambda at: at.execute_script(
                "return [...document.querySelectorAll('.plot:has(+ script.figure)')]"
                ".every(plot => plot.querySelector('.nsewdrag, .infolayer'));"
            )
        )
    plots = browser.execute_script(CORNERS)
    assert len(plots) > 40
    assert unreadable(plots) == []
