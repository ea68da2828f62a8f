"""Where a claim stands: one object that cards, scoreboard, pages, the command line and the tables are made from.

Headline data are the study's own: the row's original sources pooled, clause by clause (`rules.pooled`). Generated
sentences are a demonstration; they stand in the headline only where a row has no other data, or, of runs of training, where
these have nearly learnt them (``few_words``), and the slot says so.
The real BERT comes first: our rerun of it where there is one, else what the authors (or others who repeated the study)
released, scored by the same clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ..calibration import table
from ..claims import ledger
from ..claims.checks import Check
from ..claims.evidence import SHIPPED, Evidence, is_real, shelves, together
from ..claims.ledger import Row
from ..claims.reported import Figure, figures
from ..claims.rules import FAILS, HOLDS, NOT_RERUN, OPEN, UNTESTABLE, Decision
from ..settings import TWIN, Settings

BUILTIN = "builtin"
GENERATED = {BUILTIN, "few_words"}
FAMILY = "family"  # recorded runs of training stand in our slot where a claim compares such runs
RUNS = "our runs"  # what readers call them
TOY = "toy"
RELATIVE, MINILM = "all-MiniLM-L6-v2", "MiniLM"  # a trained network that comes as a package, and what readers call it
# others, nearer to BERT-base's size, and what readers call them
SIZED = {"mpnet": "mpnet", **dict.fromkeys(("me5", "me5-q4", "me5-mlm", "me5-mlm-q4"), "me5")}
LARGER = {"mpnet": "a network of BERT's size", "me5": "a relative for 100 languages"}
NAMES = {"mpnet": "all-mpnet-base-v2", "me5": "multilingual-e5-small", MINILM: RELATIVE}  # by which others know them
SHOWN = (
    "mini",
    "mini-multi",
    TOY,
    FAMILY,
    RELATIVE,
    *SIZED,
)  # models whose records have a place of their own on a card
RELEASED, REPORTED, RELATED, NOTHING = "released", "reported", "related", "none"  # what there is of the real BERT
STANCES = ("supports", "qualifies", "contradicts")  # of released outputs, as we read them


@dataclass(frozen=True)
class Slot:
    """What one kind of subject says of a claim.

    Attributes
    ----------
    label : str
        As `rules.LABELS`.
    decision : Decision or None
        Pooled over the records; None where nothing was rerun.
    records : tuple of Evidence
        What it rests on.
    """

    label: str = NOT_RERUN
    decision: Decision | None = None
    records: tuple[Evidence, ...] = ()

    @property
    def data(self) -> list[str]:
        return list(dict.fromkeys(r.data for r in self.records))

    @property
    def demonstration(self) -> bool:
        """Whether generated sentences are all there is."""
        return bool(self.data) and GENERATED.issuperset(self.data)

    @property
    def n(self) -> int:
        """Items scored, over all records."""
        return sum(r.n for r in self.records)

    @property
    def clusters(self) -> int | None:
        known = [r.clusters for r in self.records if r.clusters is not None]
        return sum(known) if known else None

    @property
    def leading(self) -> Check | None:
        """The figure that stands beside the outcome: the first that came out as the claim did, in a clause that did."""
        if self.decision is None:
            return None
        wanted = {FAILS: False, OPEN: None}.get(self.decision.outcome, True)
        every = [(c.outcome, k) for c in self.decision.clauses for k in c.checks]
        alike = [k for outcome, k in every if outcome == self.decision.outcome and k.holds is wanted]
        return next(iter([*alike, *(k for _, k in every)]), None)

    def plain(self) -> dict[str, Any]:
        """As JSON's own types."""
        return {"label": self.label, "data": self.data, "n": self.n, "clusters": self.clusters}


@dataclass(frozen=True)
class Standing:
    """A claim with everything that was found of it.

    Attributes
    ----------
    row : Row
    records : tuple of Evidence
        All that counts, of every kind.
    ours : str
        The name of the model in our slot: ``mini``, or what stands for it in the claim's section, or ``family`` where
        the claim compares runs of training.
    beside : tuple of Evidence
        The reader's own quick tries and runs under other conditions, which never count, and full runs of models that
        have no column here: shown below the others.
    refused : tuple of str
        Why the model that the reader chose has no rows, a line each.
    """

    row: Row
    records: tuple[Evidence, ...]
    ours: str = "mini"
    beside: tuple[Evidence, ...] = ()
    refused: tuple[str, ...] = ()

    @cached_property
    def calibration(self) -> dict[str, Any]:
        """What lacks the property (``nulls``) and what has it (``planted``), each with the outcome the clauses gave it."""
        return table.plain(self.row.id)

    @cached_property
    def real(self) -> Slot:
        """The real BERT."""
        mine = [r for r in self.records if r.kind == "rerun" and is_real(r.model) and _published(r) and r.decision]
        others = [r for r in self.records if r.kind == "released" and r.stance and is_real(r.model) and r.decides]
        return _slot(_headline(mine) or others)

    @cached_property
    def related(self) -> tuple[str, ...]:
        """How released outputs that bear on the claim speak, where none of the real BERT's decides it: stances, each once."""
        if self.real.decision is not None:
            return ()
        said = {r.stance for r in self.records if r.kind == "released"}
        return tuple(stance for stance in STANCES if stance in said)

    @cached_property
    def reported(self) -> tuple[Figure, ...]:
        """What studies reported, of whatever network; those of BERT first. It decides nothing."""
        return tuple(sorted(figures(self.row.id), key=lambda f: f.network != "BERT"))

    @property
    def known(self) -> str:
        """The best of what there is of the real BERT: ``released`` (or rerun), ``reported``, ``related`` or ``none``."""
        if self.real.decision is not None:
            return RELEASED
        if any(f.network == "BERT" for f in self.reported):
            return REPORTED
        return RELATED if self.related else NOTHING

    @cached_property
    def mini(self) -> Slot:
        """Our own model."""
        return _slot(_headline(self._reruns(self.ours)))

    @cached_property
    def sized(self) -> Slot:
        """A network of BERT-base's depth that others have trained: `mpnet` with our mask adapter, or `me5` of many languages."""
        return self._trained(*(model for model, name in SIZED.items() if name == self.larger))

    @property
    def own(self) -> str:
        """What readers call what is in our slot."""
        return RUNS if self.ours == FAMILY else self.ours

    @property
    def twin(self) -> str:
        """What readers call the untrained network beside ours."""
        return f"{'mini' if self.ours == FAMILY else self.ours}, untrained"

    @property
    def larger(self) -> str:
        """What readers call the network in the slot `sized`."""
        return ledger.subject(self.row.id, "mpnet")

    @cached_property
    def relative(self) -> Slot:
        """A smaller network of BERT's architecture that others have trained; it fills no masks."""
        return self._trained(RELATIVE)

    def _trained(self, *models: str) -> Slot:
        """The slot of the first of some networks that was measured."""
        return _slot(_headline(next(filter(None, map(self._reruns, models)), [])))

    @cached_property
    def untrained(self) -> Slot:
        """Its untrained twin."""
        return _slot(_headline(self._reruns(self.ours + TWIN)))

    @cached_property
    def demonstration(self) -> Slot:
        """Our model on generated sentences."""
        return _slot([r for r in self._reruns(self.ours) if r.data == BUILTIN])

    @cached_property
    def taught(self) -> Slot:
        """A small BERT that has learnt the generated language, on sentences of that language."""
        return _slot([r for r in self._reruns(TOY) if r.data == BUILTIN])

    @property
    def slots(self) -> tuple[tuple[str, Slot], ...]:
        """The slots in the order of a card, by the names that readers see; the relatives' only where they were measured."""
        relatives = [(name, s) for name, s in ((self.larger, self.sized), (MINILM, self.relative)) if s.decision]
        twin = () if self.ours == FAMILY else ((self.twin, self.untrained),)  # runs are compared with one another
        return ("real BERT", self.real), *relatives, (self.own, self.mini), *twin

    @cached_property
    def nearest(self) -> tuple[str, Slot, Slot]:
        """The network nearest to BERT's size that was put to the claim: what readers call it, its slot, its untrained twin's."""
        for name, slot in ((self.larger, self.sized), (MINILM, self.relative)):
            if slot.decision:
                return name, slot, self._trained(f"{slot.records[0].model}{TWIN}")
        return self.own, self.mini, self.untrained

    def _reruns(self, model: str) -> list[Evidence]:
        return [r for r in self.records if r.kind == "rerun" and r.model == model]

    @property
    def disagree(self) -> bool:
        """Whether the real BERT and ours came out on different sides."""
        pair = (self.real.label, self.mini.label)
        return FAILS in pair and any(label.startswith(HOLDS) for label in pair)

    def plain(self) -> dict[str, Any]:
        """The contract of ``bertology list --json``."""
        return {
            "id": self.row.id,
            "section": self.row.section,
            "title": self.row.title,
            "how": self.row.how,
            "clauses": [{"says": c.says, "kind": c.kind} for c in self.row.clauses],
            "outcomes": {
                name: getattr(self, name).plain() for name in ("real", "sized", "relative", "mini", "untrained")
            },
            "related": list(self.related),
            "known": self.known,
            "reported": [{**asdict(f), "confirmed": f.confirmed} for f in self.reported],
            **self.calibration,
            "evidence": [
                {
                    "model": r.model,
                    "data": r.data,
                    "kind": r.kind,
                    "label": r.decision.label if r.decision else r.stance or None,
                    "n": r.n,
                }
                for r in self.records
            ],
        }


def _published(record: Evidence) -> bool:
    """Whether a rerun was of the Hub's weights: a folder may have any name."""
    return str(record.provenance.get("subject_source", "")).startswith("hub@")


def standing(id: str, settings: Settings | None = None) -> Standing:
    """Where the claim of a ledger row stands, from the evidence at hand.

    Raises
    ------
    KeyError
        If the ledger has no such row.
    """
    counting, beside = shelves(id, settings)
    ours = FAMILY if any(r.model == FAMILY for r in counting) else ledger.subject(id, "mini")
    return Standing(ledger.row(id), tuple(counting), ours, (*beside, *filter(_without_column, counting)))


def _without_column(record: Evidence) -> bool:
    """Whether a record is the reader's own full run of a model that is neither a published BERT nor one shown here."""
    shown = record.model.removesuffix(TWIN) in SHOWN or (SHIPPED / record.file).is_file()
    return record.kind == "rerun" and not shown and not (is_real(record.model) and _published(record))


def standings(section: str | None = None, settings: Settings | None = None) -> list[Standing]:
    """Every claim, or a section's, in the ledger's order."""
    return [standing(row.id, settings) for row in ledger.rows(section)]


def _headline(records: Iterable[Evidence]) -> list[Evidence]:
    records = list(records)
    return [r for r in records if r.data != BUILTIN] or records


def _slot(records: Sequence[Evidence]) -> Slot:
    decided = [(r, r.decision) for r in records if r.decision]
    if not decided:
        return Slot()
    able = [(r, d) for r, d in decided if d.outcome != UNTESTABLE] or decided
    decision = together(r for r, _ in decided)
    return Slot(decision.label, decision, tuple(r for r, _ in able))
