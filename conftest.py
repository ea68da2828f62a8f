"""Whatever pytest is asked to run: notebooks are compared by numbers (`--nbval`), and the files that take longest begin."""

import pytest

pytest_plugins = ["tests.nbval_numbers"]

# In this order, then all others: the book is rendered first, so that it is there when a browser asks for it.
FIRST = ("tests/book/test_book.py", "notebooks/07", "notebooks/", "tests/trust/test_chapters", "workshop/pretrain/")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order test files by `FIRST`, whatever the order of the arguments: pytest itself merges those that overlap."""
    items.sort(key=lambda item: next((k for k, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST)))
