"""The report as a browser shows it; needs Chromium, its driver and selenium."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.phrases import printable
from hpo_explain.reporting import BRIEF
from tests.chromium import IS_THERE
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.reporting.pages import write

WebDriverWait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys

pytestmark = [pytest.mark.merge, warns_of_glyphs, pytest.mark.usefixtures("few_draws"), IS_THERE]

DESKTOP = {"width": 1400, "height": 900, "pixelRatio": 1.0}
LAPTOP = {"width": 1280, "height": 720, "pixelRatio": 1.0}
TABLET = {"width": 768, "height": 1024, "pixelRatio": 1.0}
# A4 without its margins
PAPER = {"width": 718, "height": 1046, "pixelRatio": 1.0}
PHONE = {"width": 360, "height": 800, "pixelRatio": 2.0}

READ = 10.5  # pixels of a font that is read: 8 pt, and what a narrow screen rounds off
# Corners and sizes of every text of every plot, in pixels of the page; exponents are small.
CORNERS = """
return [...document.querySelectorAll("svg")].filter(svg => svg.clientWidth > 0).map(svg => {
  const frame = svg.getBoundingClientRect();
  return {
    plot: svg.getAttribute("aria-label") || "",
    frame: [frame.left, frame.top, frame.right, frame.bottom],
    texts: [...svg.querySelectorAll("text")].filter(text => text.textContent.trim()).map(text => {
      const box = text.getBBox(), matrix = text.getScreenCTM();
      const ends = [[0, 0], [1, 0], [1, 1], [0, 1]];
      return {
        text: text.textContent,
        size: Math.min(...[text, ...text.querySelectorAll("tspan")]
          .filter(part => part.style.fontSize !== "70%")
          .map(part => parseFloat(getComputedStyle(part).fontSize)
            * Math.hypot(matrix.a, matrix.b))),
        corners: ends.map(([i, j]) => {
          const at = new DOMPoint(box.x + i * box.width, box.y + j * box.height);
          const place = at.matrixTransform(matrix);
          return [place.x, place.y];
        }),
      };
    }),
  };
});
"""

# The cells of every table with their widths, and the letters of their longest word.
CELLS = """
return [...document.querySelectorAll("th, td")].filter(cell => cell.checkVisibility()).map(cell => [
  cell.textContent.trim(), cell.getBoundingClientRect().width,
  Math.max(...cell.textContent.split(/\\s/).map(word => word.length)),
]);
"""

# Opens all that is folded; names what reaches beyond the screen, or beyond a box that hides it.
BEYOND = """
document.querySelectorAll("details").forEach(part => { part.open = true; });
const wide = document.documentElement.clientWidth;
return [...document.querySelectorAll("body *")].filter(part => {
  if (part.closest("svg, .scroll, .share") || !part.checkVisibility()) return false;
  const box = part.getBoundingClientRect();
  return box.right > wide + 1 || box.left < -1 || part.scrollWidth > part.clientWidth + 2
    && getComputedStyle(part).overflowX === "hidden";
}).map(part => `${part.tagName} ${part.className} ${part.textContent.slice(0, 60)}`);
"""

# Parts of the page that are folded away.
FOLDED = """
return [...document.querySelectorAll("details > :not(summary)")]
  .filter(part => !part.checkVisibility({contentVisibilityAuto: true})).length;
"""

# Texts of the page with their colors, for those that stand on a plain ground.
COLORS = """
const ground = node => {
  for (; node; node = node.parentElement) {
    const color = getComputedStyle(node).backgroundColor;
    if (color !== "rgba(0, 0, 0, 0)") return color;
  }
  return "rgb(255, 255, 255)";
};
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
while (walk.nextNode()) {
  const text = walk.currentNode.data.trim(), element = walk.currentNode.parentElement;
  if (text && !element.closest("svg") && element.checkVisibility())
    found.push([text, getComputedStyle(element).color, ground(element)]);
}
return found;
"""


def many(n, d):
    """A run of `d` hyperparameters with long names, some on a log scale, some categorical."""
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter(f"model.encoder.layers.{j}.activation_function", list("abc"))
            if j % 5 == 4
            else hx.FloatParameter(
                f"model.encoder.layers.{j}.regularization_strength", 1e-6, 1.0, log=j % 2 == 1
            )
            for j in range(d)
        ]
    )
    X = space.sample(n, seed=1)
    objective = 1e4 * ((X[:, 0] - 0.3) ** 2 + X[:, 1 % d] * X[:, 0])
    return hx.Run(space, X, objective, "minimize", proposals=range(n // 2, n))


RUNS = {
    "nasty": lambda: tuning_run(
        16,
        names=NASTY[2:6],
        choices=NASTY[-2:],
        objective_name=NASTY[-1],
        notes=NASTY,
        excluded={100 + k: name for k, name in enumerate(NASTY)},
    ),
    "one": lambda: many(12, 1),
    "hundred": lambda: many(40, 100),
    "objectives": lambda: {"loss": tuning_run(16), "time": tuning_run(20, direction="maximize")},
    "ten": lambda: many(30, 10),
}


@pytest.fixture(
    scope="module",
    params=[
        "nasty",
        "objectives",
        *(pytest.param(name, marks=pytest.mark.thorough) for name in ("one", "ten", "hundred")),
    ],
)
def address(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / f"{request.param}.html"
    # tabs of whole reports would look no different, and take their time twice
    sections = (*BRIEF, "importance") if request.param == "objectives" else None
    return write(RUNS[request.param](), path, title="A report", sections=sections).as_uri()


def shown(browser, address, screen, scheme="light", media="screen"):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": screen["width"],
            "height": screen["height"],
            "deviceScaleFactor": screen["pixelRatio"],
            "mobile": screen is PHONE,
        },
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    # the same address again may be a page that is still being read
    browser.get("about:blank")
    browser.get(address)
    WebDriverWait(browser, 60).until(
        lambda at: at.execute_script(
            "return document.readyState === 'complete' && !!document.querySelector('footer');"
        )
    )


def depth(one, other):
    """How deep two convex shapes lie in each other: 0 if an axis separates them."""
    least = np.inf
    for shape in (one, other):
        for side in np.diff(shape[:3], axis=0):
            length = np.hypot(*side)
            if length == 0.0:
                return 0.0
            axis = np.array([-side[1], side[0]]) / length
            a, b = one @ axis, other @ axis
            least = min(least, min(a.max(), b.max()) - max(a.min(), b.min()))
    return max(least, 0.0)


@pytest.mark.parametrize("screen", [DESKTOP, TABLET, PHONE], ids=["desktop", "tablet", "phone"])
def test_the_page_fits_the_screen_and_does_not_complain(browser, address, screen):
    shown(browser, address, screen)
    wide, visible = browser.execute_script(
        "const page = document.documentElement; return [page.scrollWidth, page.clientWidth];"
    )
    assert screen["width"] - 20 <= visible <= screen["width"]  # a scroll bar for the height
    assert wide <= visible
    assert browser.execute_script(BEYOND) == []
    assert browser.get_log("browser") == []


def test_the_five_lines_stand_on_the_first_screen(browser, address):
    if "nasty" in address:
        pytest.skip("names of 200 characters take their room")
    shown(browser, address, LAPTOP)
    lowest = browser.execute_script(
        "return [...document.querySelectorAll('#summary dd')]"
        ".map(part => part.getBoundingClientRect().bottom);"
    )
    assert len(lowest) == 5
    assert max(lowest) <= LAPTOP["height"]


def unreadable(plots):
    """The texts of plots that are cut off, that stand on others, or that are smaller than 8 pt."""
    found = []
    for plot in plots:
        left, top, right, bottom = plot["frame"]
        name, shapes = plot["plot"][:40], []
        for text in plot["texts"]:
            said, shape = text["text"], np.array(text["corners"])
            low, high = shape.min(axis=0), shape.max(axis=0)
            beyond = (low < (left - 2.0, top - 2.0)).any()
            if beyond or (high > (right + 2.0, bottom + 2.0)).any():
                found.append(f"{name}: {said[:30]!r} is cut off")
            if text["size"] < READ:
                found.append(f"{name}: {said[:30]!r} has {text['size']} px")
            line = min(np.hypot(*side) for side in np.diff(shape[:3], axis=0))
            # a text's box is taller than its letters: four pixels of lines may touch
            found += [
                f"{name}: {said[:30]!r} on {other[:30]!r}"
                for other, behind in shapes
                if depth(shape, behind) > 0.35 * line
            ]
            shapes.append((said, shape))
    return found


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_texts_of_plots_are_whole_apart_and_large_enough(browser, address, screen):
    shown(browser, address, screen)
    plots = browser.execute_script(CORNERS)
    assert len(plots) >= 3
    assert unreadable(plots) == []


def luminance(color):
    """The relative luminance of a color as a browser writes it (WCAG 2)."""
    parts = [float(part) for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    values = np.array(parts) / 255.0
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser, address, scheme):
    shown(browser, address, DESKTOP, scheme)
    texts = browser.execute_script(COLORS)
    assert len(texts) > 20
    assert (luminance(texts[0][2]) < 0.2) == (scheme == "dark")
    for text, color, ground in texts:
        dark, light = sorted([luminance(color), luminance(ground)])
        assert (light + 0.05) / (dark + 0.05) >= 4.5, text


def test_paper_shows_all_of_it_in_dark_ink(browser, address):
    shown(browser, address, PAPER, "dark", "print")
    wide, visible, hidden = browser.execute_script(
        "const page = document.documentElement;"
        "return [page.scrollWidth, page.clientWidth,"
        " [...document.querySelectorAll('section, .tab')].filter(part => !part.checkVisibility())"
        " .length];"
    )
    assert wide <= visible
    assert hidden == 0
    assert browser.execute_script(FOLDED) == 0
    texts = browser.execute_script(COLORS)
    assert len(texts) > 20
    for text, color, _ in texts:
        assert 1.05 / (luminance(color) + 0.05) >= 4.5, text  # grounds are not printed
    for text, width, letters in browser.execute_script(CELLS):
        assert width >= 6.0 * min(letters, 12), text  # no word is a column of letters


HOSTILE = (
    "</script><script>document.title = 'run'</script>",
    "<!--<script>",
    "<img src=x onerror=\"document.title = 'run'\">",
    "line\u2028and\u2029paragraph",
    "nul\x00 &lt; & \\u003c ]]> \"'`${1}",
    "b" * 200,
)


def test_hostile_names_neither_run_nor_break_the_data(browser, tmp_path):
    run = tuning_run(
        12,
        names=HOSTILE[:4],
        choices=HOSTILE[4:],
        objective_name=HOSTILE[0],
        excluded={12: HOSTILE[1]},
    )
    address = write(run, tmp_path / "h.html", title="Safe", sections=["history"]).as_uri()
    shown(browser, address, DESKTOP)
    WebDriverWait(browser, 60).until(lambda at: at.find_elements("css selector", ".table"))
    for trial in range(13):
        browser.execute_script(
            f"document.querySelector('.trial[data-trial=\"{trial}\"]')"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}));"
        )
        text = browser.execute_script("return document.querySelector('.trials').textContent;")
        assert f"Trial {trial}" in text
        for name in run.space.names:
            assert printable(name) in text
        assert HOSTILE[1] in text
    assert browser.title == "Safe"
    assert browser.find_elements("css selector", "main img, main script:not([type])") == []
    assert browser.get_log("browser") == []


@pytest.fixture
def without_scripts(browser):
    """The browser, which runs no script of a page for this time."""
    switch = "Emulation.setScriptExecutionDisabled"
    browser.execute_cdp_cmd(switch, {"value": True})
    yield browser
    browser.execute_cdp_cmd(switch, {"value": False})


def test_without_a_script_the_history_and_the_lines_stand_there(without_scripts, tmp_path):
    run = tuning_run(14, excluded={14: "failed"})
    driver = without_scripts
    driver.get("about:blank")
    driver.get(write(run, tmp_path / "trials.html").as_uri())
    for picture in (".history svg", ".profile-plot"):
        assert driver.find_element("css selector", picture).is_displayed()
    assert driver.find_elements("css selector", ".explanation") == []
    best = driver.find_element("css selector", "#explain-proposal")
    assert best.get_attribute("open") is None
    assert hx.explain_proposal(run).headline in best.text
    best.find_element("css selector", "summary").send_keys(Keys.ENTER)
    assert best.find_element("css selector", "figure svg").is_displayed()
