"""Pictures to look at: ``python -m tests.looked FOLDER``, and then ``FOLDER/index.html``.

Every figure by both renderers, and a page of twenty hyperparameters with long names, one of twelve
categories: as wide as a phone, a laptop and a large screen, in light and dark, and on paper.
"""

import base64
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from markupsafe import Markup

from hpo_explain.reporting import Content, Report, Section, Status
from hpo_explain.reporting._render import drawn
from tests.base.test_result import MADE
from tests.chromium import opened
from tests.draw.test_widths import wide_run
from tests.handmade import tuning_run
from tests.reporting.test_browser import PAPER, shown

WIDTHS = (400, 1300, 2000)
# whether a page of each has what plotly draws in place of what is drawn in it
RENDERERS = {"matplotlib": False, "plotly": True}
_HIGH = 30_000  # pixels, in which all is seen at once: figures of plotly are drawn when they are


def results(names=MADE):
    """One result of each kind."""
    run = tuning_run(20)
    return {name: MADE[name](run) for name in names}


def galleries(found, folder):
    """Write a page of every figure of some results for each renderer; return their addresses."""
    sections = [
        Section(f"r{k}", name, "", partial(_content, result))
        for k, (name, result) in enumerate(found.items())
    ]
    run = tuning_run(4)
    drawn = Report.of({"loss": run}, sections=sections, interactive=True)
    failed = [card.title for card in drawn.cards if card.status is not Status.SHOWN]
    assert failed == []
    return {
        name: replace(drawn, interactive=answers).write(folder / f"{name}.html").as_uri()
        for name, answers in RENDERERS.items()
    }


def _content(result, _):
    plots = [
        drawn(
            result.described(view), f"{result.headline} {view}", f"{result.headline} {view}", True
        )
        for view in result.views_of
    ]
    return Content("", Markup("").join(plots))


def screen(width, high=_HIGH):
    return {"width": width, "height": high, "pixelRatio": 1.0}


def picture(browser, address, path, width, scheme="light", media="screen"):
    """Write a picture of a whole page, with all that is folded."""
    shown(browser, address, screen(width, 900), scheme, media)
    browser.execute_script(
        "document.querySelectorAll('details').forEach(part => { part.open = true; });"
    )
    high = browser.execute_script("return document.documentElement.scrollHeight;")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": high, "deviceScaleFactor": 1.0, "mobile": False},
    )
    browser.execute_async_script("setTimeout(arguments[0], 1500);")
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    path.write_bytes(base64.b64decode(taken["data"]))


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages = galleries(results(), folder)
    run = wide_run()
    report = Report.of({run.objective_name: run})
    pages["page"] = report.write(folder / "page.html").as_uri()
    browser, pictures = opened(), []
    try:
        for name, address in pages.items():
            looks = [(width, "light", "screen") for width in WIDTHS]
            looks += [(WIDTHS[1], "dark", "screen")]
            looks += [(PAPER["width"], "light", "print")]
            for width, scheme, media in looks:
                file = f"{name}-{width}-{scheme}-{media}.png"
                picture(browser, address, folder / file, width, scheme, media)
                pictures.append(file)
    finally:
        browser.quit()
    images = [f"<h2>{file}</h2><img src={file}>" for file in pictures]
    (folder / "index.html").write_text("<!doctype html>" + "".join(images), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
