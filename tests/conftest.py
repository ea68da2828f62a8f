"""What several tests share: the rendered book, built once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertology_utils.book import stage
from bertology_utils.book.__main__ import build

ADDRESS = "https://github.com/example/bertology-rerun"  # an address that leads nowhere, for the buttons


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book as readers get it: stored outputs rendered, any warning an error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(stage.REPOSITORY, ADDRESS)
        patch.delenv(stage.SITE, raising=False)
        return build(tmp_path_factory.mktemp("book") / "html").parent
