"""Figures of plotly in a browser: no text is cut, and none covers another, on any screen.

Boxes of texts are compared in place of pixels: fonts and antialiasing differ between versions and
machines, and a baseline of a figure that was cut would still be met.
"""

import itertools
from pathlib import Path

import pytest

from tests.chromium import IS_THERE
from tests.draw.test_kinds import KINDS
from tests.draw.test_widths import DRAWN

plotly = pytest.importorskip("plotly")
ActionChains = pytest.importorskip("selenium.webdriver.common.action_chains").ActionChains
WebDriverWait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait
on_plotly = pytest.importorskip("hpo_explain.draw.on_plotly")

pytestmark = [pytest.mark.merge, IS_THERE, pytest.mark.usefixtures("few_draws", "answers_stay")]
WIDTHS = (380, 800, 1600)
NEAR = 4  # pixels that boxes of texts have around their letters
FIGURES = {
    **{kind: lambda figure=figure: on_plotly.drawn(figure) for kind, figure in KINDS.items()},
    **{name: lambda found=found: found().to_plotly() for name, found in DRAWN.items()},
}
SCRIPT = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").as_uri()

# The box of every text in its figure, and the size of the axes.
BOXES = """
return [...document.querySelectorAll(".js-plotly-plot")].map(plot => {
  const frame = plot.getBoundingClientRect();
  const box = (node) => {
    const at = node.getBoundingClientRect();
    return [at.left - frame.left, at.top - frame.top, at.right - frame.left, at.bottom - frame.top];
  };
  return {
    size: [frame.width, frame.height],
    texts: [...plot.querySelectorAll("svg text")].filter(text => text.textContent.trim())
      .map(text => [text.textContent, box(text)]),
    axes: plot.querySelector(".parcoords")
      ? [...plot.querySelectorAll(".gl-canvas-focus")].map(box)
      : [...plot.querySelectorAll(".nsewdrag")].map(box),
  };
});
"""


def shown(browser, figure, folder):
    """A figure at each width, as the browser lays it out."""
    how = {"full_html": False, "include_plotlyjs": False, "config": {"responsive": True}}
    parts = [f'<div style="width: {width}px">{figure.to_html(**how)}</div>' for width in WIDTHS]
    page = folder / "figure.html"
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><script src="{SCRIPT}"></script>' + "".join(parts),
        encoding="utf-8",
    )
    browser.get(page.as_uri())
    WebDriverWait(browser, 60).until(
        lambda driver: all(drawn["axes"] for drawn in driver.execute_script(BOXES))
    )
    return dict(zip(WIDTHS, browser.execute_script(BOXES), strict=True))


def cut(drawn):
    """Texts that reach beyond their figure."""
    wide, high = drawn["size"]
    return [
        text
        for text, (left, top, right, bottom) in drawn["texts"]
        if left < -2 or top < -2 or right > wide + 2 or bottom > high + 2
    ]


def covered(drawn):
    """Texts that stand on each other."""
    return [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(drawn["texts"], 2)
        if min(a[2], b[2]) - max(a[0], b[0]) > NEAR and min(a[3], b[3]) - max(a[1], b[1]) > NEAR
    ]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough) if name in DRAWN else name for name in FIGURES],
)
def test_no_text_is_cut_and_none_covers_another(browser, name, tmp_path):
    for width, drawn in shown(browser, FIGURES[name](), tmp_path).items():
        assert drawn["size"][0] == width
        assert len(drawn["texts"]) > 3
        assert (width, cut(drawn)) == (width, [])
        assert (width, covered(drawn)) == (width, [])
        for left, top, right, bottom in drawn["axes"]:
            assert right - left > 90
            assert bottom - top > 50


def test_what_is_cut_or_covered_is_found(browser, tmp_path):
    figure = plotly.graph_objects.Figure(plotly.graph_objects.Scatter(y=[1, 2]))
    figure.update_layout(title="A heading that is too long for a telephone, " * 4)
    for text in ("one", "other"):
        figure.add_annotation(x=0.5, y=1.5, text=text, showarrow=False)
    drawn = shown(browser, figure, tmp_path)
    assert cut(drawn[380])
    assert all(("one", "other") in covered(one) for one in drawn.values())
