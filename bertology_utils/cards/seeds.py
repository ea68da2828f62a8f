"""What several networks say of a claim: in how many seeds of a smaller model it holds, and how far their figures lie apart."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..claims.checks import Check
from ..claims.evidence import Evidence
from ..claims.rules import FAILS, HOLDS, MIXED, NOT_FOUND, OPEN, TAUGHT, UNTESTABLE, UNTRAINED_TOO
from ..claims.seeds import Seed
from ..scores.sameness import decimals
from .standing import Slot, Standing

MEANT = 5  # seeds that a claim is put to
GOOD, BAD = (HOLDS, TAUGHT, UNTRAINED_TOO), (FAILS, NOT_FOUND)
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
OTHERS = {  # outcomes that do not count as holding, in the order in which they are said
    MIXED: "mixed in",
    FAILS: "not found in",
    NOT_FOUND: "not found in",
    OPEN: "open in",
    UNTESTABLE: "not testable in",
}
ALONE = {  # of the only seed there is
    TAUGHT: "it holds",
    HOLDS: "it holds",
    UNTRAINED_TOO: "it holds, but no better than without training",
    MIXED: "parts of it hold and parts do not",
    FAILS: "it is not found",
    NOT_FOUND: "it is not found",
    OPEN: "it stays open",
    UNTESTABLE: "it cannot be tested",
}


class Range(NamedTuple):
    """A figure over seeds: the least, the greatest, and of how many seeds; what it is, and on which data."""

    low: float
    high: float
    seeds: int
    measure: str
    data: str

    def __str__(self) -> str:
        """``0.52 to 0.61``, with more decimals where the two lie close together."""
        digits = decimals(self.low, self.high, 2)
        return f"{self.low:.{digits}f} to {self.high:.{digits}f}"


def in_words(n: int) -> str:
    """A small number in words.

    >>> in_words(0), in_words(5), in_words(12)
    ('none', 'five', '12')
    """
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def holding(standing: Standing) -> int:
    """In how many seeds the claim holds, no better than without training or better."""
    return sum(s.label in GOOD for s in standing.seeds)


def count(standing: Standing) -> str:
    """``3 of 5`` for a narrow column; empty where no seed was measured."""
    return f"{holding(standing)} of {len(standing.seeds)}" if standing.seeds else ""


def against(standing: Standing) -> list[int]:
    """Seeds that came out on the other side than our own model: it holds for one and is not found in the other."""
    ours = standing.mini.label
    other = BAD if ours in GOOD else GOOD if ours in BAD else ()
    return [s.network.seed for s in standing.seeds if s.label in other]


def split(standing: Standing) -> bool:
    """Whether the claim holds in some seeds and is not found in others: then the outcome hangs on the seed."""
    labels = {s.label for s in standing.seeds}
    return bool(labels & {*GOOD}) and bool(labels & {*BAD})


def borne_out(standing: Standing) -> bool:
    """Whether all seeds that a claim is put to have been measured and came out as our own model did."""
    ours = standing.mini.label
    same = next((side for side in (GOOD, BAD) if ours in side), (ours,))
    return len(standing.seeds) >= MEANT and all(s.label in same for s in standing.seeds)


def sentence(standing: Standing) -> str:
    """In how many seeds the claim holds, what the others say, and whether they disagree with our model.

    Empty where no seed was measured.
    """
    if not standing.seeds:
        return ""
    return f"{_counted(standing.seeds)}.{_disagreement(standing)}"


def _counted(seeds: tuple[Seed, ...]) -> str:
    labels = Counter(s.label for s in seeds)
    model = f"a smaller model ({seeds[0].network.shape})"
    if len(seeds) == 1:
        return f"In the one seed of {model} that was measured so far {ALONE[seeds[0].label]}"
    so_far = "" if len(seeds) >= MEANT else " measured so far"
    of = f"{in_words(len(seeds))} seeds{so_far} of {model}"
    if len(labels) == 1 and seeds[0].label not in GOOD:
        return f"In each of {of} {ALONE[seeds[0].label]}"
    good = sum(labels[x] for x in GOOD)
    told = [f"It holds in {in_words(good)} of {of}"]
    if labels[UNTRAINED_TOO]:
        told[0] += f", in {in_words(labels[UNTRAINED_TOO])} no better than without training"
    told += [f"{says} {in_words(labels[label])}" for label, says in OTHERS.items() if labels[label]]
    return "; ".join(told)


def _disagreement(standing: Standing) -> str:
    odd, ours = against(standing), standing.ours
    if not odd:
        return ""
    if len(odd) == len(standing.seeds):
        return f" All of them disagree with {ours}." if len(odd) > 1 else f" It disagrees with {ours}."
    who = f"{', '.join(map(str, odd[:-1]))} and {odd[-1]}" if len(odd) > 1 else str(odd[0])
    return f" Seed{'s' if len(odd) > 1 else ''} {who} disagree{'s' if len(odd) == 1 else ''} with {ours}."


def spread(standing: Standing) -> Range | None:
    """The first deciding figure of our model over the seeds: how far networks lie apart, where its interval tells of items.

    The same row of the same data in each; None where fewer than two seeds have it.
    """
    if (place := _place(standing.mini)) is None:
        return None
    data, clause, number, measure = place
    values = []
    for seed in standing.seeds:
        found = [c for r in seed.records if r.data == data for c in _checks(r, clause)[number : number + 1]]
        values += [c.value for c in found if c.measure == measure and c.value == c.value]
    return Range(min(values), max(values), len(values), measure, data) if len(values) > 1 else None


def _place(slot: Slot) -> tuple[str, str, int, str] | None:
    """Where the figure that a card shows first stands: data, clause, number among the clause's figures, measure."""
    checks = slot.decision.checks if slot.decision else ()
    for record in slot.records if checks else ():
        for clause in record.decision.clauses if record.decision else ():
            for number, check in enumerate(clause.checks):
                if (check.measure, check.key, check.value) == (checks[0].measure, checks[0].key, checks[0].value):
                    return record.data, clause.name, number, check.measure
    return None


def _checks(record: Evidence, clause: str) -> tuple[Check, ...]:
    decided = record.decision.clauses if record.decision else ()
    return next((c.checks for c in decided if c.name == clause), ())
