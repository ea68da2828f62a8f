"""The glossary at hand: its words, where they are first used under a heading, lead to it and say it on hover.

Works on rendered pages, so that prose, what was found and cards are treated alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from html import escape, unescape

GLOSSARY = "book/glossary.html"
OFTEN = 8  # uses on a page
_ENTRY = re.compile(r'<dt id="(term-[^"]+)">(.*?)</dt>\s*<dd>(.*?)</dd>', re.DOTALL)
_TAG = re.compile(r"(<!--.*?-->|<[^>]+>)", re.DOTALL)
_NAME = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_LEFT_ALONE = {"a", "button", "code", "pre", "script", "style", "summary", "svg", "math", "th", "dt", "b", "strong"} | {
    f"h{k}" for k in range(1, 7)
}


def read(page: str) -> dict[str, tuple[str, str]]:
    """The words of a rendered glossary: word -> (its anchor, what it means in plain text)."""
    return {_plain(word): (anchor, _plain(meaning)) for anchor, word, meaning in _ENTRY.findall(page)}


def _plain(html: str) -> str:
    without = re.sub(r'<a class="headerlink".*?</a>', "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", without)).split())


def pattern(words: Mapping[str, object]) -> re.Pattern[str]:
    """What finds the words, longest first, with or without a plural; words with capitals only as they are written.

    >>> found = pattern({"probe": 0, "UUAS": 0, "control labels": 0})
    >>> [m.group() for m in found.finditer("Probes and control labels: the UUAS, not uuas, of a probe")]
    ['Probes', 'control labels', 'UUAS', 'probe']
    """
    ordered = sorted(words, key=lambda w: (-len(w), w))
    any_case = [f"(?i:{re.escape(w)})s?" if w == w.lower() else re.escape(w) for w in ordered]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(any_case)})(?![\w-])")


@cache
def _words(find: re.Pattern[str]) -> Callable[[str], list[str]]:
    """What gives the words in a piece of a page, none in a tag; pages have many pieces in common."""
    return cache(lambda piece: [] if piece.startswith("<") else [m.lower() for m in find.findall(piece)])


def explain(page: str, glossary: Mapping[str, tuple[str, str]], address: str) -> str:
    """A page with the first use of each word under a heading, or on a card, made a link to the glossary.

    Parameters
    ----------
    page : str
        HTML; only its article is changed.
    glossary : mapping
        As `read` gives it.
    address : str
        Of the glossary's page, from this one.

    >>> explain("<article><p>A probe, a probe</p></article>", {"probe": ("term-probe", "A small one.")}, "g.html")
    '<article><p>A <a class="term" href="g.html#term-probe" title="A small one.">probe</a>, a probe</p></article>'
    """
    start, end = page.find("<article"), page.rfind("</article>")
    if start < 0 or not glossary:
        return page
    by_word = {word.lower(): entry for word, entry in glossary.items()}
    find = pattern(glossary)
    words = _words(find)
    article = page[start:end]
    pieces = _TAG.split(article)
    # a word that is all over the page is explained once, not under each heading
    often = {w for w, n in Counter(m for piece in pieces for m in words(piece)).items() if n > OFTEN}
    used: set[str] = set()
    closed: list[str] = []  # elements we are in and whose text is left alone

    def link(match: re.Match[str]) -> str:
        text = match.group()
        word = text.lower() if text.lower() in by_word else text.lower().removesuffix("s")
        if word in used:
            return text
        used.add(word)
        anchor, meaning = by_word[word]
        return f'<a class="term" href="{address}#{anchor}" title="{escape(meaning)}">{text}</a>'

    out = []
    for piece in pieces:
        tag = _NAME.match(piece)
        if tag:
            closing, name = tag.group(1), tag.group(2).lower()
            if re.match(r"h[1-6]$", name) or "claim-card" in piece:
                used &= often
            if name in _LEFT_ALONE and not piece.endswith("/>"):
                if not closing:
                    closed.append(name)
                elif closed and closed[-1] == name:
                    closed.pop()
        out.append(find.sub(link, piece) if not closed and words(piece) else piece)
    return page[:start] + "".join(out) + page[end:]
