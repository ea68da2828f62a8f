"""What the tests in a browser share: the rendered book served locally, and a browser that looks at it."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import BROWSERS, FLAGS, Running, Silent


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Running]:
    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium or chromedriver is not installed")
    from selenium import webdriver

    def start():
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        made.set_script_timeout(120)  # axe on a long page, while something else has the processor
        # a page that nobody has clicked on yet is told of a focus too
        made.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        return made

    started = Running(start)
    yield started
    started.driver.quit()


@pytest.fixture
def browser(running):
    from selenium.common.exceptions import WebDriverException

    try:
        running.driver.execute_script("return 1")
    except WebDriverException:
        running.anew()
    return running.driver
