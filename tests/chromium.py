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
_AT_FIRST = {
    "Emulation.clearDeviceMetricsOverride": {},
    "Emulation.setEmulatedMedia": {"media": "", "features": []},
    "Emulation.setScriptExecutionDisabled": {"value": False},
    "Storage.clearDataForOrigin": {"origin": "*", "storageTypes": "all"},
}


def opened():
    """A browser whose complaints are noted, which who opens it ends."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
    if not (BROWSER and DRIVER):
        pytest.skip("chromium or chromedriver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for switch in _SWITCHES:
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def as_new(browser):
    """Close what is open in a browser, and have it forget what it was told and has noted."""
    first, *others = browser.window_handles
    for window in others:
        browser.switch_to.window(window)
        browser.close()
    browser.switch_to.window(first)
    for command, settings in _AT_FIRST.items():
        browser.execute_cdp_cmd(command, settings)
    browser.get("about:blank")
    browser.get_log("browser")
