"""Style sheets without what nothing in the site can match: most of a theme's rules are for parts that this book does not have.

A rule is left out where each of its selectors names a class, an id or an element that stands nowhere in the site: in no
page, in no script. Words are looked for, wherever they stand, rather than elements, since scripts set states (`show`,
`active`) and make elements: a rule too many may be kept, and none is lost that could apply. Variables that nothing reads
go as well.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import tinycss2

_WORD = re.compile(r"[\w-]+")
# "bs-tooltip-" + side: the start of a name that a script completes
_BEGUN = re.compile(r"([A-Za-z][\w-]*-)(?=[\"'`]|\$\{)")
_READ = re.compile(r"var\(\s*(--[\w-]+)")
_LINK = re.compile(r'(?<=href=")([^":?]*?([^"/:?]+\.css))(?:\?[^"]*)?(?=")')
_GROUPS = ("media", "supports", "layer", "container")  # at-rules with rules in them


def shorten(folder: Path) -> None:
    """Rewrite the style sheets of a rendered site in place, and the versions in its pages' links to them.

    Parameters
    ----------
    folder : Path
        Of the site: all its pages and scripts are read, and nothing else may load its sheets.
    """
    sheets, scripts, pages = (
        {path: path.read_text(encoding="utf-8") for path in folder.rglob(f"*.{kind}")} for kind in ("css", "js", "html")
    )
    versions = {}
    for path, text in shortened(sheets, [*scripts.values(), *pages.values()]).items():
        path.write_text(text, encoding="utf-8")
        versions[path.name] = f"{zlib.crc32(text.encode()):x}"  # a browser that has kept an older one must ask anew
    for path, text in pages.items():
        path.write_text(_LINK.sub(lambda link: f"{link[1]}?v={versions[link[2]]}", text), encoding="utf-8")


def shortened(sheets: dict[Path, str], files: Iterable[str]) -> dict[Path, str]:
    """Style sheets without rules that match nothing in `files`, and without variables that neither these nor the sheets read.

    Parameters
    ----------
    sheets : dict
        Name -> text; all that are loaded, since one may read another's variables.
    files : iterable of str
        Texts of the pages and scripts.

    Examples
    --------
    >>> shortened({"a.css": ".b{--c:1px;--d:2px;top:var(--c)}.e,.b:hover{left:0}"}, ['<p class="b">'])
    {'a.css': '.b{--c:1px;top:var(--c);}.b:hover{left:0}'}
    """
    words = {"html", "head", "body", "colgroup", "tbody"}  # a browser adds them where a page has none
    begun: set[str] = set()
    for text in files:
        words.update(_WORD.findall(text))
        begun.update(_BEGUN.findall(text))
    starts = tuple(begun)

    def known(name: str) -> bool:
        return name in words or name.startswith(starts)

    kept = {name: _sheet(text, partial(_matching, known=known)) for name, text in sheets.items()}
    while True:  # a variable may be read for the sake of another that nothing reads
        read = words.union(*(_READ.findall(text) for text in kept.values()))
        fewer = {name: _sheet(text, partial(_declaring, read=read)) for name, text in kept.items()}
        if fewer == kept:
            return kept
        kept = fewer


def _sheet(text: str, change: Callable[[Any], Any]) -> str:
    return tinycss2.serialize(_rules(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), change))


def _rules(rules: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    """The rules as `change` leaves them (None: left out), also those within a group; a group of none is left out."""
    left = []
    for rule in rules:
        if rule.type == "qualified-rule":
            rule = change(rule)
        elif rule.type == "at-rule" and rule.lower_at_keyword in _GROUPS and rule.content is not None:
            rule.content = _rules(tinycss2.parse_rule_list(rule.content, True, True), change)
            rule = rule if rule.content else None
        left += [rule] if rule else []
    return left


def _matching(rule: Any, known: Callable[[str], bool]) -> Any:
    """A rule with those of its selectors all whose names are known; None where there is no such selector."""
    selectors: list[list[Any]] = [[]]
    for token in rule.prelude:
        if token.type == "literal" and token.value == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    kept = [selector for selector in selectors if all(map(known, _names(selector)))]
    if len(kept) < len(selectors):
        comma = tinycss2.parse_component_value_list(",")
        rule.prelude = [token for selector in kept for token in (*comma, *selector)][1:]
    return rule if kept else None


def _names(selector: list[Any]) -> list[str]:
    """Classes, ids and elements that must be there; of what stands in brackets (`:not(...)`, `[...]`) nothing is asked."""
    names, before = [], None
    for token in selector:
        if token.type in ("ident", "hash") and before != ":":  # after a colon: a state or a part of an element
            names.append(token.value)
        before = token
    return names


def _declaring(rule: Any, read: set[str]) -> Any:
    """A rule without the variables that are not read; None where it declared nothing else."""
    parts = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
    kept = [part for part in parts if part.type != "declaration" or not part.name.startswith("--") or part.name in read]
    if len(kept) < len(parts):
        rule.content = kept
    return rule if kept else None
