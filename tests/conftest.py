"""What several tests share: the rendered book, built once a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from filelock import FileLock

from bertology_utils.book import stage
from bertology_utils.book.__main__ import build

ADDRESS = "https://github.com/example/bertology-rerun"  # an address that leads nowhere, for the buttons


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book as readers get it: stored outputs rendered, any warning an error."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # several processes build it once, and all look at it
        shared = shared.parent
    html = shared / "book" / "html"
    with FileLock(shared / "book.lock"), pytest.MonkeyPatch.context() as patch:
        if not (html / "index.html").is_file():
            patch.setenv(stage.REPOSITORY, ADDRESS)
            patch.delenv(stage.SITE, raising=False)
            build(html)
    return html
