"""Who did what: graded fillers and reversed roles (ettinger2019)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd

from ...calibration.nulls import Null
from ...calibration.planted import plant
from ...claims.registry import claim
from ...data.items import Cloze, ForcedChoice
from ...scores import intervals
from ...subject import cloze

GRADES = ("right", "related", "unrelated")
TOP = (1, 5, 20)


def scenes(data, base, rng, *, roles: bool = False):
    """Knows which words belong to a scene, and nothing of who did what in it."""
    known: dict[str, int | None] = {}

    def piece(word: str) -> int | None:
        if word not in known:
            known[word] = cloze.filler_id(base, word)
        return known[word]

    def logits(seen, own):
        gains: dict[int, float] = {}
        for item, part in seen.golds:
            if part == "text" and isinstance(item, ForcedChoice):
                grades = {item.good: 2.5 * roles, item.bad: -5.0 * (item.condition == "unrelated")}
            elif part == "text" and isinstance(item, Cloze) and "related" in item.meta:
                grades = dict(zip((item.meta[g] for g in GRADES), (2.5 * roles, 0.0, -2.5)))
            else:
                continue
            for word, gain in grades.items():
                if (p := piece(word)) is not None and p not in gains:
                    gains[p] = 12 + gain + own.standard_normal()
        return {int(t): gains for t in np.flatnonzero(seen.masked)} if gains else {}

    return plant(base, data, rng, logits=logits, name="planted" if roles else "scenes")


def who_did_what(data, base, rng):
    """The word that fits its role leads another of the scene by 2.5 nats, and that an unrelated one; with noise of 1 nat."""
    return scenes(data, base, rng, roles=True)


SCENES = Null("scenes", scenes.__doc__.strip(), scenes, ("right_over_related", "roles_not_topics"))


@claim(
    "sem.roles.ettinger2019", tasks=("plausibility", "roles"), n=2000,
    planted=who_did_what, nulls=("untrained", "frequency", "coin", "bag of words", SCENES),
)  # fmt: skip
def roles(subject, data, settings):
    """Right against related against unrelated fillers, and verbs in both orders of the roles (ettinger2019).

    With the prior taken off, a filler's odds are those above its mean odds in the other sentences, so that a filler likely
    everywhere gains nothing. Of a pair of reversed roles a bag of words gets one right for each it gets wrong: sensitivity
    is the share of pairs with both right, less that with both wrong.
    """
    rows, notes = [], []
    if data.items.get("plausibility"):
        found, note = _fillers(subject, data["plausibility"], settings)
        rows, notes = rows + found, [*notes, note]
    if data.items.get("roles"):
        found, note = _verbs(subject, data["roles"], settings)
        rows, notes = rows + found, [*notes, note]
    return intervals.table(rows, notes)


def _fillers(subject, items: list[Cloze], settings) -> tuple[list[dict], str]:
    kept = [i for i in items if all(cloze.filler_id(subject, i.meta[g]) is not None for g in GRADES)]
    note = f"{len(kept)} of {len(items)} items have three fillers that are single pieces of {subject.name}'s vocabulary"
    if not kept:
        raise ValueError(note)
    odds = filler_odds(subject, kept, settings)  # (3, n, n): grade, fillers of, in the text of
    groups = [" ".join(i.meta[g] for g in GRADES) for i in kept]
    own = np.diagonal(odds, axis1=1, axis2=2)  # (3, n)
    above = own - prior(odds, groups)
    rows, options = [], dict(seed=settings.seed, draws=settings.draws, groups=groups)
    for better, worse in (("right", "related"), ("related", "unrelated"), ("right", "unrelated")):
        a, b = GRADES.index(better), GRADES.index(worse)
        for name, values in ((f"{better} over {worse}", own), (f"{better} over {worse}, prior taken off", above)):
            won = intervals.mean_interval(values[a] > values[b], **options)
            rows.append(intervals.row(name, won, len(kept), items="fillers"))
    return rows, note


def filler_odds(subject, items: list[Cloze], settings) -> np.ndarray:
    """Log-probabilities (3, n, n) of each item's right, related and unrelated filler in each item's text."""
    ids = np.array([[cloze.filler_id(subject, i.meta[g]) for i in items] for g in GRADES])
    out = np.empty((len(GRADES), len(items), len(items)), np.float32)
    for k, logs in cloze.log_probabilities(subject, [i.text for i in items], settings):
        out[:, :, k] = logs[ids]
    return out


def prior(odds: np.ndarray, groups: list[str]) -> np.ndarray:
    """Mean log-odds (3, n) of an item's fillers in the texts of other groups; 0 where there is no other.

    Examples
    --------
    >>> odds = np.arange(12.0).reshape(3, 2, 2)
    >>> prior(odds, ["a", "b"]).tolist()
    [[1.0, 2.0], [5.0, 6.0], [9.0, 10.0]]
    """
    other = np.array(groups)[:, None] != np.array(groups)[None]  # (n, n)
    return (odds * other).sum(-1) / np.maximum(other.sum(-1), 1)


def _verbs(subject, items: list[ForcedChoice], settings) -> tuple[list[dict], str]:
    kept, note = cloze.single_piece(subject, items)
    if not kept:
        raise ValueError(note)
    frame = pd.DataFrame({"right": cloze.choose(subject, kept, settings) > 0})
    frame["people"] = [" ".join(sorted(map(str, (i.meta.get("agent", i.meta["pair"]), i.meta.get("patient", ""))))) for i in kept]
    frame["frame"] = [_sentence_frame(i) for i in kept]
    frame["measure"] = [f"right over {i.condition}" for i in kept]
    frame["pair"] = [str(i.meta["pair"]) for i in kept]
    units = ["people", "frame"] if frame["frame"].nunique() > 1 else ["people"]
    options = dict(settings=settings, groups=units)
    rows = []
    for measure, part in frame.groupby("measure"):
        found = intervals.means(part, "right", measure=measure, **options)
        rows += found.assign(items="verbs").to_dict("records")
    related = frame[frame["measure"] == "right over related"]
    sums = related.groupby("pair", sort=True).agg(
        right=("right", "sum"), n=("right", "size"), people=("people", "first"), frame=("frame", "first")
    )
    sums = sums[sums["n"] == 2]
    if len(sums):
        sums["both"] = sums["right"].astype(int) - 1
        found = intervals.means(sums, "both", measure="sensitivity to reversal", signed=True, **options)
        rows += found.assign(items="verbs").to_dict("records")
    return rows + _tops(subject, kept, settings), note


def _sentence_frame(item: ForcedChoice) -> str:
    """The sentence without the two people; "" where it is not said who they are."""
    people = [item.meta.get(k) for k in ("agent", "patient")]
    if None in people:
        return ""
    return " ".join("_" if w.strip(".,") in people else w for w in item.text.split())


def _tops(subject, items: list[ForcedChoice], settings) -> list[dict]:
    """How often the expected verb, and that of the other order, is among the likeliest."""
    asked = [i for i in items if i.condition == "related"]
    ids = {w: cloze.filler_id(subject, w) for i in asked for w in (i.good, i.bad)}
    places: dict[str, list] = defaultdict(list)
    for k, logs in cloze.log_probabilities(subject, [i.text for i in asked], settings):
        for name, word in (("expected", asked[k].good), ("other order's", asked[k].bad)):
            places[name].append((k, int((logs > logs[ids[word]]).sum())))
    rows = []
    for name, found in places.items():
        ranks = np.array([r for _, r in sorted(found)])
        groups = [str(i.meta["pair"]) for i in asked]
        for top in TOP:
            share = intervals.mean_interval(ranks < top, seed=settings.seed, draws=settings.draws, groups=groups)
            rows.append(intervals.row(f"{name} in top {top}", share, len(asked), items="verbs"))
    return rows
