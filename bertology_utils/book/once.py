"""What Sphinx and its extensions work out again for each page or word, worked out once a build; the pages are the same."""

from __future__ import annotations

import posixpath
from collections.abc import Hashable
from functools import cache
from typing import Any

import pybtex.plugin
from pydata_sphinx_theme import toctree
from sphinx.search.en import SearchEnglish

HERE = ' current active"><a class="current reference internal" href="#">'  # in the sidebar of the page itself
LINK = '"><a class="reference internal" href="{}">'  # in that of another page of the folder
_functions, _plugin, _stem = toctree.add_toctree_functions, pybtex.plugin.find_plugin, SearchEnglish.stem


def once() -> None:
    """Put memory into the functions that take longest; before the theme is loaded, which connects one of them."""
    pybtex.plugin.find_plugin = cache(_plugin)  # reads the entry points of all that is installed, for each citation
    SearchEnglish.stem = cache(_stem)  # type: ignore[method-assign]  # Sphinx remembers the stems of one page
    toctree.add_toctree_functions = _with_memory({}, {})


def _with_memory(lists: dict[str, Hashable], sidebars: dict[Hashable, str]) -> Any:
    """The theme's functions for a page, of which the one for the sidebar takes what is kept for others of its list and folder.

    `lists`, filled here: page -> the list of the sidebar it stands in.
    """

    def functions(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
        _functions(app, pagename, templatename, context, doctree)
        if not lists:
            nodes = [(doc, node) for doc, toc in app.env.tocs.items() for node in toc.findall(toctree.TocTreeNodeClass)]
            lists.update({page: (doc, k) for k, (doc, node) in enumerate(nodes) for page in node["includefiles"]})
        if pagename in lists and not app.env.toctree_includes.get(pagename):  # with none below it
            key = lists[pagename], posixpath.dirname(pagename)
            made = context["generate_toctree_html"]
            context["generate_toctree_html"] = cache(_marked(sidebars, key, posixpath.basename(pagename), made))

    return functions


def _marked(sidebars: dict[Hashable, str], key: Hashable, page: str, made: Any) -> Any:
    """What gives a page's sidebar: from what is kept, if the page has its one link there, else made, and kept if it marks it."""
    link = LINK.format(f"{page}.html")

    def sidebar(**options: Any) -> str:
        kept = key, *sorted(options.items())
        if sidebars.get(kept, "").count(link) == 1:
            return sidebars[kept].replace(link, HERE)
        html = str(made(**options))
        if html.count(HERE) == 1:
            sidebars[kept] = html.replace(HERE, link)
        return html

    return sidebar
