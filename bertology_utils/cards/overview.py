"""A chapter at a glance: its claims, a line each, and what came of each for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import pandas as pd

from ..claims.rules import NOT_RERUN
from ..settings import Settings
from . import reported
from .layout import UNDER
from .markup import table
from .standing import MINILM, REPORTED, Slot, Standing, standings
from .words import OWN, SIGNS, badge, drawn, key, related_badge, related_label, squares

SAID = "What came of each claim for whom. The cards say why."


@dataclass(frozen=True)
class Overview:
    """A line per claim, a column per network; a notebook shows it by itself, with links to its cards."""

    of: tuple[Standing, ...]

    @property
    def columns(self) -> dict[str, str]:
        """Slot -> what readers see: the relatives' columns only where a claim was put to it."""
        (ours, *others) = dict.fromkeys(s.ours for s in self.of)
        known = (("sized", self.of[0].larger), ("relative", MINILM))
        relatives = {slot: name for slot, name in known if any(getattr(s, slot).decision for s in self.of)}
        name = "ours" if others else ours
        return {"real": "real BERT", **relatives, "mini": name, "untrained": f"{name}, untrained"}

    def _slots(self, s: Standing) -> Iterator[tuple[str, Slot]]:
        return ((name, getattr(s, key)) for key, name in self.columns.items())

    def __repr__(self) -> str:
        rows = [{"claim": s.row.title} | {name: _label(s, slot) for name, slot in self._slots(s)} for s in self.of]
        return pd.DataFrame(rows).to_string(index=False)

    def _repr_html_(self) -> str:
        shown = "".join(
            squares(name, (drawn(s, getattr(s, key)) for s in self.of)) for key, name in self.columns.items()
        )
        known = {
            "ours": "our small models",
            **UNDER,
            self.columns["untrained"]: "a copy with random weights",
            "real BERT": OWN,
        }
        who = ", ".join(f"<b>{name}</b> is {known[name]}" for name in self.columns.values())
        rows = (
            f'<tr><th scope="row"><a href="#{escape(s.row.id)}">{escape(s.row.title)}</a></th>'
            + "".join(f'<td data-label="{name}">{cell(s, name, slot)}</td>' for name, slot in self._slots(s))
            + "</tr>"
            for s in self.of
        )
        return (
            f'<figure class="overview-squares"><div role="img" aria-label="{SAID}">{shown}</div>'
            f"<figcaption>{key()}</figcaption></figure>"
            f'<p class="overview-names">A square per claim, in the order of the chapter. {who}.</p>'
            f'<details class="overview-fold"><summary>The {len(self.of)} claims of this chapter, a line each</summary>'
            f"{table('scoreboard overview', ('claim', *self.columns.values()), rows, SAID)}</details>"
        )


def _label(s: Standing, slot: Slot) -> str:
    if slot is s.real and s.known == REPORTED:
        return REPORTED
    return (slot is s.real and related_label(s)) or slot.label


def cell(s: Standing, name: str, slot: Slot, reason: str = "") -> str:
    """An outcome's badge, or what bears on the claim; what was not rerun is a dash, so that the eye goes to what was."""
    if slot is s.real and (beside := reported.badge(s) or related_badge(s)):
        return beside
    if slot.label == NOT_RERUN:
        return f'<span title="{NOT_RERUN}">{SIGNS[NOT_RERUN]}</span>'
    return badge(slot.label, reason, who=name)


def overview(section: str, settings: Settings | None = None) -> Overview:
    """What came of the claims of a section, in the order of the ledger.

    Errors as of `ledger.rows`.

    Examples
    --------
    >>> print(str(overview("semantics")).splitlines()[0].split())
    ['claim', 'real', 'BERT', 'mpnet', 'MiniLM', 'mini', 'mini,', 'untrained']
    """
    return Overview(tuple(standings(section, settings)))
