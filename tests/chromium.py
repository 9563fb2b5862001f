"""Chromium without a window, in which pages and figures are looked at."""

import shutil

import pytest

BROWSER, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
IS_THERE = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="chromium or chromedriver is missing"
)
_SWITCHES = (
    "headless=new",
    "no-sandbox",
    "disable-gpu",
    "disable-dev-shm-usage",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "no-first-run",
)


def opened(**preferences):
    """A browser whose complaints are noted, which who opens it ends."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="selenium drives the browser"
    )
    if not (BROWSER and DRIVER):
        pytest.skip("chromium or chromedriver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for switch in _SWITCHES:
        options.add_argument(f"--{switch}")
    if preferences:
        options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(
        options=options, service=webdriver.ChromeService(DRIVER)
    )
