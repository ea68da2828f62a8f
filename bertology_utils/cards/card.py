"""A claim's card: the same facts as HTML for readers and as plain text for terminals and for the tests of notebooks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..claims.refused import latest
from ..settings import Settings
from . import layout, reported, tiers, words
from .findings import verdict
from .rows import deciding, headline
from .rule import conditions
from .standing import REPORTED, Standing, standing


@dataclass(frozen=True)
class Card:
    """A claim with what came of it; a notebook shows it by itself.

    Attributes
    ----------
    standing : Standing
    whole : bool
        With every row of every record and its folds open, as on the claim's own page; else with the rows that decided.
    """

    standing: Standing
    whole: bool = False

    def __repr__(self) -> str:
        s = self.standing
        out = [f"{s.row.title}  [{s.row.id}]", f"CLAIM      {s.row.claim}", f"VERDICT    {verdict(s)}"]
        out.append(f"FOUND      {words.sentence(s)}")
        for name, slot in s.slots:
            why = f" ({without})" if slot is s.untrained and (without := layout.without_twin(s)) else ""
            why += f"; related outputs {words.related(s)}" if slot is s.real and s.related else ""
            said = slot.label
            if slot is s.real and (known := reported.slot(s)):
                said = known if s.known == REPORTED else f"{said}; {known}"
            out.append(f"{name.upper():10} {said}{why}" + (f": {headline(slot)}" if slot.decision else ""))
        out += [f"TIERS      {both}"] if (both := tiers.in_words(s)) else []
        for clause in s.row.clauses:
            out.append(f"CLAUSE     {clause.says} [{clause.kind}]" + (f": {clause.reason}" if clause.reason else ""))
            out += [f"  holds {part}" for part in conditions(clause)]
            out += [f"  - {r.who} | {r.what} | {r.figure} | n = {r.n} | {r.data}" for r in deciding(s, clause.name)]
        out += [f"REPORTED   {reported.line(figure)}" for figure in s.reported]
        out += [f"YOUR RUN   {words.own_run(record)}" for record in s.beside]
        out += [f"YOUR RUN   {line}" for line in s.refused]
        return "\n".join(out)

    def _repr_html_(self) -> str:
        return layout.html(self.standing, self.whole)


def card(id: str, settings: Settings | None = None, *, whole: bool = False) -> Card:
    """The card of a ledger row, from the evidence at hand.

    Parameters
    ----------
    id : str
    settings : Settings, optional
        Its evidence folder is read beside what comes with the package.
    whole : bool
        With every row of every record.

    Raises
    ------
    KeyError
        If the ledger has no such row; the nearest ids are named.

    Examples
    --------
    >>> card("syn.agreement.goldberg2019").standing.row.section
    'syntax'
    """
    refused = tuple(str(r) for r in latest.get(id, ()))
    return Card(replace(standing(id, settings), refused=refused), whole)
