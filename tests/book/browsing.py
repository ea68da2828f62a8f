"""A headless Chromium on pages served locally: how it is started, sized and waited for."""

from __future__ import annotations

import http.server
import re
import time
from itertools import pairwise

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESK = (375, 812), (1280, 900)


class Silent(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps its log to itself."""

    # come after the page was drawn, as over a network
    LATE = re.compile(r"/_static/(?:(?:heads|layers|scoreboard|try)\.js|logo\.svg)")
    PART = 4096  # bytes of the beginning of an article that come at once

    def do_GET(self) -> None:
        """Answer; with a page's own script or its mark after a fifth of a second."""
        if self.LATE.match(self.path):
            time.sleep(0.2)
        super().do_GET()

    def copyfile(self, source, outputfile) -> None:
        """A file; the beginning of a page's article in parts, as over a network."""
        whole = source.read()
        start = whole.find(b"<article")
        cuts = [start + part * self.PART for part in range(1, 5)] if start >= 0 else []
        for begin, end in pairwise([0, *cuts, len(whole)]):
            outputfile.write(whole[begin:end])
            outputfile.flush()
            time.sleep(0.05 * (end in cuts))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Running:
    """A browser that can be started anew: on a small machine a tab may crash, and all later pages with it."""

    def __init__(self, start) -> None:
        self.start, self.driver = start, start()

    def anew(self):
        self.driver.quit()
        self.driver = self.start()
        return self.driver


def resize(browser, size: tuple[int, int]) -> None:
    """The page's own size (a window is wider than a phone, even without a frame)."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False},
    )


def soon(browser, by: str, what: str):
    """The first such element, waited for: after a jump within a page the driver may answer before the next is there."""
    return wait(browser).until(lambda _: browser.find_element(by, what))


def wait(browser):
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, 20)
