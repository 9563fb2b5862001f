"""The browser in which pages are looked at."""

import shutil

import pytest

BROWSER, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
SWITCHES = (
    "headless=new",
    "no-sandbox",
    "disable-gpu",
    "disable-dev-shm-usage",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "no-first-run",
)


@pytest.fixture(scope="module")
def browser():
    """A browser whose complaints are noted."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="selenium drives the browser"
    )
    if not (BROWSER and DRIVER):
        pytest.skip("chromium or chromedriver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for switch in SWITCHES:
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(DRIVER)
    )
    yield driver
    driver.quit()
