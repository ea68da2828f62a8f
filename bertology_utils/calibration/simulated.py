"""Simulated runs: scores by seed and item for claims whose subjects are runs of training, and for the rules as such.

Training hundreds of models to try a rule is out of reach; but a rule sees scores only. Here they are drawn: normal,
a part shared by all items of a seed, a part of each item, as noisy as the shipped evidence is where there is any. A null
has no effect and a planted run one of so many times the smallest that matters; the twin never has any. The least effect
that is found in most draws is part of the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from ..claims import evidence, ledger
from ..claims.believable import LOWEST
from ..claims.clauses import ABSENCE, Clause, Test
from ..scores import intervals
from ..scores.pairs import over
from ..settings import Settings
from .harness import trial
from .trials import NULL, PLANTED, Trial

SEEDS, ITEMS = 5, 200
DRAWS, POWER = 10, 0.8
NULLS, LEVEL = 200, 0.05  # draws of a null, and in how many of them a clause may hold: by chance it does in 2.5 %
QUICK = 200  # resamples per interval of a null's draws: its limits are Student's t, which more resamples do not move
TIMES = (2, 3, 4, 6, 9, 15, 25)  # the smallest effects of interest that a planted run is tried with
SPREAD = 0.5  # of a seed, in smallest effects of interest, where no evidence says how noisy runs are
WIDE = 4.0  # of an item, likewise
GATE = "gate"
COMPETENT = 6.0  # smallest effects by which gates are passed
MOST = 400  # items that are drawn; a row that rests on more keeps its n and the width of its interval


@dataclass(frozen=True)
class Slot:
    """A row to be simulated: its measure, keys and n, and the half-width of its shipped interval (None: unknown)."""

    measure: str
    keys: tuple[tuple[str, object], ...]
    n: int = ITEMS
    half: float | None = None


def slots(clauses: Sequence[Clause], rows: pd.DataFrame | None = None) -> list[Slot]:
    """The rows that clauses speak of: those of a shipped record in which something was scored, else as tests name them."""
    tests = [t for c in clauses for t in (*c.tests, *c.gates)]
    found: dict[Slot, None] = {}
    for record in [] if rows is None else rows.to_dict("records"):
        if record["measure"] in {t.measure for t in tests} and record["n"] > 0:
            keys = {k: v for k, v in record.items() if k not in intervals.COLUMNS and v is not None and v == v}
            half = (record["high"] - record["low"]) / 2
            found[Slot(record["measure"], tuple(keys.items()), int(record["n"]), half)] = None
    known = {slot.measure for slot in found}
    for test in (t for t in tests if t.measure not in known):
        columns = {k: v if isinstance(v, (list, tuple)) else [v] for k, v in test.where.items()}
        if isinstance(test.need, int):
            columns["row"] = list(range(test.need + 1))
        for values in product(*columns.values()):
            found[Slot(test.measure, tuple(zip(columns, values)))] = None
    return list(found)


def rows_of(
    clauses: Sequence[Clause], slots: Sequence[Slot], times: float, rng: np.random.Generator, settings: Settings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of a simulated subject with an effect of `times` the smallest that matters, and of its twin without any.

    An absence is the other way round: a planted one is exactly there where the effect is none, and a null (`times` 0) has
    the effect. Gates are passed by `COMPETENT` smallest effects, by the twin too.
    """
    mine: list[dict] = []
    other: list[dict] = []
    for slot in slots:
        found = _speak(clauses, slot)
        least = min((test.by for _, test in found if test.by), default=0.05)
        n = min(slot.n, MOST)
        if slot.half is None:
            of_seed, of_item = SPREAD * least, WIDE * least
            if any(test.unit.startswith("share") for _, test in found):
                of_item = min(of_item, 0.5)  # as of coins: no share varies more
        else:  # the same interval, with no spread of seeds
            of_seed, of_item = 0.0, slot.half / 1.96 * np.sqrt(n)
        shared = rng.normal(0, of_item * 0.7, n)  # items are easy or hard for everybody
        if slot.half == 0:  # a count of parameters, say: exact, and the same in both
            exact = _mean(found, times)
            for rows in (mine, other):
                rows.append(intervals.row(slot.measure, (exact, exact, exact), slot.n, **dict(slot.keys)))
            continue
        for rows, mean in ((mine, _mean(found, times)), (other, _mean([f for f in found if f[0] != ABSENCE], 0.0))):
            scores = mean + shared + rng.normal(0, of_seed, (SEEDS, 1))
            # an item's own part is the same in all seeds, so that more seeds do not make more items
            scores = scores + rng.normal(0, of_item * 0.7, n)
            if slot.measure in LOWEST:  # nobody is right more often than always, however lucky a draw
                scores -= max(0.0, float(scores.mean()) - 1.0)
            interval = intervals.seeds_by_items(scores, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row(slot.measure, interval, slot.n, **dict(slot.keys)))
    return intervals.table(mine), intervals.table(other)


def _speak(clauses: Sequence[Clause], slot: Slot) -> list[tuple[str, Test]]:
    """Kind ("gate" among them) and test of all that look at a row."""
    keys = dict(slot.keys)
    return [
        (kind, test)
        for clause in clauses
        for kind, tests in ((clause.kind, clause.tests), (GATE, clause.gates))
        for test in tests
        if test.measure == slot.measure
        and all(keys.get(k) in (v if isinstance(v, (list, tuple)) else [v]) for k, v in test.where.items())
    ]


def _mean(found: Sequence[tuple[str, Test]], times: float) -> float:
    """The score that does what all the tests of a row ask: between the highest lower and the lowest upper limit."""
    low, high, pinned = [], [], []
    if not times and any(kind not in (GATE, ABSENCE) for kind, _ in found):
        found = [f for f in found if f[0] != ABSENCE]  # no effect is a null of what is said to be there
    for kind, test in found:
        if kind == GATE:
            effect = COMPETENT
        elif kind == ABSENCE:
            effect = 0.0 if times else -COMPETENT
        else:
            effect = times
        if test.side == "within":
            pinned.append(test.threshold - effect * test.by)
        elif test.side == "above":
            most = 1.0 if test.unit.startswith("share") else np.inf  # no share is larger
            low.append(min(test.threshold + effect * (test.by or 0.05), most))
        else:
            high.append(test.threshold - effect * (test.by or 0.05))
    if pinned:
        return float(np.mean(pinned))
    if low and high:
        return (max(low) + min(high)) / 2
    return max(low) if low else min(high) if high else 0.0


def sources(id: str, settings: Settings) -> list[str]:
    """The data that runs are simulated for: those of which there is evidence, else generated ones."""
    return sorted({e.data for e in shipped(id, settings)}) or ["builtin"]


def shipped(id: str, settings: Settings) -> list[evidence.Evidence]:
    """What runs are simulated after: reruns of trained models that score what is asked, and not the gates alone."""
    found = [e for e in evidence.find(id, settings) if e.kind == "rerun" and not e.is_twin]
    clauses = [c for c in ledger.row(id).clauses if c.tests]
    asked = {t.measure for c in clauses for t in c.tests}
    return [e for e in found if any(s.half is not None and s.measure in asked for s in slots(clauses, e.frame))]


def trials(id: str, source: str, settings: Settings) -> Iterator[Trial]:
    """A null and a planted run of a row whose subjects are runs, with the least effect at which it is found.

    Each is drawn several times, since one draw may be a lucky one; notes say how many came out as they must. A null is one
    that passes if some clause holds in more than `LEVEL` of its `NULLS` draws. (To ask that none of ten does is to fail a
    right rule at 2.5 % one time in five.) The least effect is one that is found in `POWER` of `DRAWS` draws; if none is,
    the last that was tried counts as not found.
    """
    clauses = [c for c in (c.on(source) for c in ledger.row(id).clauses) if c.tests]
    record = next((e for e in shipped(id, settings) if e.data == source), None)
    chosen = slots(clauses, None if record is None else record.frame)
    known = f"as noisy as {record.model}" if record else f"{SEEDS} seeds, a seed's spread {SPREAD:g} smallest effects"

    def drawn(role: str, name: str, says: str, times: float) -> Trial:
        """The draw that stands for the rest."""
        null = role == NULL
        how = replace(settings, draws=min(settings.draws, QUICK)) if null else settings
        every = []
        for k in range(NULLS if null else DRAWS):
            rng = np.random.default_rng([settings.seed, int(times * 10), k])
            mine, other = rows_of(clauses, chosen, times, rng, how)
            it = trial(id, role, name, says, mine, over(mine, other), source, how, 0.0, notes=("simulated", known))
            every.append(replace(it, aims=tuple(c.name for c in clauses) if null else ()))
        right = [t for t in every if not t.wrong]
        often = Counter(clause for t in every for clause in t.wrong)
        enough = max(often.values(), default=0) <= LEVEL * NULLS if null else len(right) >= POWER * DRAWS
        kept = right[0] if enough else next(t for t in every if t.wrong)
        notes = (*kept.record.notes, f"{len(right)} of {len(every)} draws come out as they must")
        return replace(kept, record=replace(kept.record, notes=notes))

    yield drawn(NULL, "no effect", "runs that differ from untrained ones by chance alone", 0.0)
    for times in TIMES:
        planted = drawn(PLANTED, PLANTED, f"runs with {times} smallest effects of interest", times)
        if not planted.wrong:
            break
    yield planted
