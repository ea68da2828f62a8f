"""What is worked out once a build gives what is worked out for each page."""

from __future__ import annotations

from bertology_utils.book.once import HERE, LINK, _marked

PAGES = ("one", "two", "three")


def made(page):
    """As the theme makes the sidebar of a page."""
    calls.append(page)
    links = (HERE if p == page else LINK.format(f"{p}.html") for p in PAGES)
    return "".join(f'<li class="toctree-l1{link}{p}</a></li>' for p, link in zip(PAGES, links))


calls: list[str] = []


def test_sidebars_of_a_list_are_made_once_and_each_page_is_marked():
    kept: dict = {}
    found = [_marked(kept, "list", page, lambda page=page: made(page))() for page in PAGES]
    assert calls == ["one"]
    assert found == [made(page) for page in PAGES]


def test_a_sidebar_without_the_mark_is_not_kept_and_a_page_without_its_link_has_its_own():
    kept: dict = {}
    assert _marked(kept, "list", "genindex", lambda: "no mark")() == "no mark" and not kept
    _marked(kept, "list", "one", lambda: made("one"))()
    assert _marked(kept, "list", "elsewhere", lambda: "another")() == "another"
