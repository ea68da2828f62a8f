"""Where the parts of a chapter's units stand on its page: the answer first, and how it was got behind folds.

A figure stands beside question and live answer, with what is folded under it, and the card below both. Claims that nobody
decided have a line each in a table at the chapter's end, and under it, folded, what was run. Of a claim whose card is tagged
`brief`, since it varies a question that the chapter asks elsewhere, all but the card is folded under it. Steps in code come
last. A method is drawn where a page first needs it, and later claims link there. The notebooks themselves keep their order: they
are read by running.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Any

from docutils.nodes import Element, Node, container, document, literal_block, paragraph, raw, section, title

from ..cards import undecided
from ..cards.standing import standing
from ..claims import ledger
from .folding import CARD, FIGURE, LIVE, UNDECIDED, answered
from .methods import Method, folded, link, of

FOLDED, BRIEF = "hide-cell", "brief"
WIDTH, ROWS = 60, 8  # characters of a line of an answer, and lines that are seen at once
MOST = 12  # lines that are seen of an item whose answers are longer
MORE = 2  # lines that are too few for a fold
CLAIM = re.compile(r'class="claim-card" id="([^"]+)"')
TITLE = "Not decided here"
SHORT = 450  # characters of a question that has room beside a figure


def arrange(app: Any, tree: document) -> None:
    """Give the parts of every unit of a page their places (a `doctree-read` handler).

    Examples
    --------
    >>> cells = [container("", classes=["cell", f"tag_{part}"]) for part in (LIVE, FIGURE, CARD)]
    >>> unit = section("", paragraph("", "Does it?"), *cells)
    >>> arrange(None, unit)
    >>> [child["classes"] for child in unit.children]
    [['unit'], ['cell', 'tag_unit-card']]
    """
    for unit in tree.findall(section):
        _steps_last(unit)
        while (span := _span(unit)) is not None:
            unit[span] = [_beside(unit[span])]
        if _seen(unit) and any(UNDECIDED in _parts(child) for child in unit.children):
            card = next(k for k, child in enumerate(unit.children) if CARD in _parts(child))
            shown = [*takewhile(lambda child: isinstance(child, paragraph), unit[1:card]), *_seen(unit)]
            rest = [child for child in unit[1:card] if child not in shown]
            unit[1 : card + 1] = [*shown, unit[card], *(_details("What was run", rest) if rest else [])]
        _shorten(unit)
    _draw_methods(tree)
    _gather_undecided(tree)


def _parts(child: Node) -> set[str]:
    """The tags of a cell; none of anything else."""
    return {name.removeprefix("tag_") for name in child.get("classes", ())} if isinstance(child, Element) else set()


def _seen(unit: section) -> list[Node]:
    """The cells of a unit that are neither folded nor a card."""
    return [child for child in unit.children if {"cell", FOLDED, CARD} & _parts(child) == {"cell"}]


def _span(unit: section) -> slice | None:
    """A unit's next pair of columns: from a short question, or the live answer, to the next card, or the figure's folds."""
    at = next((k for k, child in enumerate(unit.children) if FIGURE in _parts(child)), None)
    if at is None:
        return None
    start = next((k for k in range(at - 1, -1, -1) if LIVE in _parts(unit[k])), at)
    while start and isinstance(unit[start - 1], paragraph) and len(unit[start - 1].astext()) < SHORT:
        start -= 1
    last = next((k for k in range(at + 1, len(unit.children)) if FOLDED not in _parts(unit[k])), len(unit.children))
    return slice(start, next((k for k in range(at, len(unit.children)) if CARD in _parts(unit[k])), last))


def _beside(cells: list[Node]) -> container:
    """Two columns: the words, and the figure with all that is folded under it behind one line."""
    right = [cell for cell in cells if {FIGURE, FOLDED} & _parts(cell)]
    left = [cell for cell in cells if cell not in right]
    for text in [t for cell in left if LIVE in _parts(cell) for t in cell.findall(literal_block)]:
        _cut(text)
    figure, *rest = sorted(right, key=lambda cell: FIGURE not in _parts(cell))
    rest = rest if len(rest) < 2 else _details("Numbers and further figures", rest)
    columns = container("", *left, classes=["unit-words"]), container("", figure, *rest, classes=["unit-picture"])
    return container("", *columns, classes=["unit"])


def _cut(text: literal_block) -> None:
    """Fold what is beyond the first lines of a long answer; one item at least is seen with what was answered to it.

    Of answers to one item that are very long themselves those are seen that fit.
    """
    lines = text.astext().splitlines(keepends=True)
    rows = list(accumulate(1 + len(line) // WIDTH for line in lines))
    if not rows or rows[-1] <= ROWS + MORE:
        return
    fits, most = (sum(row <= many for row in rows) for many in (ROWS, MOST))
    ends = answered(lines) or [fits]
    end = max((k for k in ends if k <= fits), default=min(ends[0], most))
    if end < len(lines):
        parts = "".join(lines[:end]), "".join(lines[end:])
        first, rest = (literal_block(part, part, **{**text.attributes, "ids": []}) for part in parts)
        text.parent.replace(text, [first, *_details("More of the answer", [rest])])


def _steps_last(unit: section) -> None:
    """Fold the steps of a claim that is taken apart in code, with the words between them, under its card.

    The steps before the first claim of a part of a chapter are folded where they stand.
    """
    figure = next((k for k, child in enumerate(unit.children) if FIGURE in _parts(child)), 0)
    parts = next((k for k, child in enumerate(unit.children) if isinstance(child, section)), 0)
    card = next((k for k in range(figure, len(unit.children)) if CARD in _parts(unit[k])), None)
    steps = [k for k in range(figure if card else parts) if _parts(unit[k]) == {"cell"}]
    if steps and (card or parts):
        first = steps[0] - isinstance(unit[steps[0] - 1], paragraph)
        cells = unit[first : steps[-1] + 1]
        at = card + 1 if card else steps[-1] + 1
        unit[at:at] = _details("The same step by step, in code" if card else "Step by step, in code", cells)
        del unit[first : steps[-1] + 1]


def _shorten(unit: section) -> None:
    """Fold what leads to a card that is tagged so, from the card before it or the heading, under the card."""
    for card in [child for child in unit.children if {BRIEF, UNDECIDED} & _parts(child) == {BRIEF}]:
        end = unit.index(card)
        start = max(k for k, child in enumerate(unit[:end]) if isinstance(child, title) or CARD in _parts(child)) + 1
        unit[start : end + 1] = [card, *_details("Question, item and figure", unit[start:end])]


@dataclass(frozen=True)
class _Shown:
    """A card on a page: its claim and method, the columns of its unit, if it has any, and what stands before and after it."""

    card: Element
    row: ledger.Row
    method: Method
    columns: Element | None
    before: list[Node]
    after: list[Node]

    @property
    def question(self) -> paragraph | None:
        """The last paragraph of the question: at the head of the columns or before them, else in the fold under the card."""
        inside = list(takewhile(lambda node: isinstance(node, paragraph), self.columns[0])) if self.columns else []
        folded_in = [p for node in self.after for p in node.findall(paragraph)][:1]
        return next(reversed(inside or [n for n in self.before if isinstance(n, paragraph)] or folded_in), None)


def _draw_methods(tree: document) -> None:
    """Draw each method with the first claim of a page that shows more than its card, and link the others there."""
    shown = [one for unit in tree.findall(section) for one in _shown(unit)]
    first: dict[Method, _Shown] = {}
    for one in sorted(shown, key=lambda one: one.columns is None):
        first.setdefault(one.method, one)
    for one in shown:
        if first[one.method] is not one:
            if one.question is not None:
                one.question.append(raw("", f" {link(one.method)}", format="html"))
            continue
        drawn = raw("", folded(one.method, one.row.section), format="html")
        if one.columns:
            one.columns.append(drawn)  # the stylesheet finds it the place where the columns leave room
        else:  # in the fold under the card, if there is one
            one.card.parent.insert(one.card.parent.index(one.card) + 1 + bool(one.after), drawn)


def _id(card: Node) -> str | None:
    """The claim that a card is of."""
    return next((found[1] for text in card.findall(raw) if (found := CLAIM.search(text.astext()))), None)


def _shown(unit: section) -> list[_Shown]:
    """The cards of a unit whose claims have a method."""
    at = [k for k, child in enumerate(unit.children) if CARD in _parts(child)]
    out = []
    for start, k, end in zip([0, *(j + 1 for j in at)], at, [*at[1:], len(unit.children)], strict=False):
        id = _id(unit[k])
        row = ledger.row(id) if id else None
        method = row and of(row)
        columns = next((node for node in unit[start:k] if "unit" in _parts(node)), None)
        if row and method:
            out.append(_Shown(unit[k], row, method, columns, unit[start:k], unit[k + 1 : end]))
    return out


def _gather_undecided(tree: document) -> None:
    """Move the units of claims that nobody decided, and that show nothing else, under one table at the chapter's end."""
    units = [
        unit
        for unit in tree.findall(section)
        if any(UNDECIDED in _parts(child) for child in unit.children) and not _seen(unit)
    ]
    if not units:
        return
    chapter = next(tree.findall(section))
    last = max(k for k, child in enumerate(chapter.children) if any(CARD in _parts(n) for n in child.findall(Element)))
    ids = [id for unit in units for card in unit.children if CARD in _parts(card) and (id := _id(card))]
    lines = raw("", undecided.table(map(standing, ids)), format="html")
    gathered = section("", title("", TITLE), lines, ids=["undecided"], names=["undecided"])
    chapter.insert(last + 1, gathered)
    for unit in units:
        unit.parent.remove(unit)
        unit.children = [child for child in unit.children if CARD not in _parts(child)]
    # in a container: the page's list of contents has the table alone
    gathered += _details("Questions, items and figures of these claims", [container("", *units)])


def _details(words: str, inside: list[Node]) -> list[Node]:
    opening = f'<details class="unit-fold"><summary>{words}</summary>'
    return [raw("", opening, format="html"), *inside, raw("", "</details>", format="html")]
