"""Who did what: graded fillers and reversed roles (ettinger2019)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...calibration.nulls import as_null
from ...calibration.planted import plant
from ...claims.registry import claim
from ...data.items import MASK, Cloze, ForcedChoice
from ...scores import intervals
from ...subject import cloze, fillers

GRADES = ("right", "related", "unrelated")
TOP = (1, 5, 20)
OTHERS = 6  # other texts that a filler's prior is the mean of


def scenes(data, base, rng, *, roles: bool = False):
    """Knows which words belong to a scene, and nothing of who did what in it."""
    known: dict[str, list[int]] = {}

    def logits(seen, own):
        gains: dict[int, float] = {}
        for item, _ in seen.golds:
            for word, gain in _deserved(item, roles).items():
                noise = own.standard_normal()
                for piece in known.setdefault(word, fillers.pieces(base, word)):
                    gains.setdefault(piece, gain + noise)
        return {int(t): gains for t in np.flatnonzero(seen.masked)} if gains else {}

    items = [i for found in data.items.values() for i in found]
    more = [(i.text.replace(MASK, w).split(), None, i, "filled") for i in items for w in _deserved(i, roles)]
    return plant(base, data, rng, logits=logits, more=more, name="planted" if roles else "scenes")


def _deserved(item, roles: bool) -> dict[str, float]:
    """Filler -> nats over a word from elsewhere."""
    if isinstance(item, ForcedChoice):
        return {item.good: 2.5 + 2.5 * roles, item.bad: 2.5 * (item.condition == "related")}
    if isinstance(item, Cloze) and "related" in item.meta:
        return dict(zip((item.meta[g] for g in GRADES), (2.5 + 2.5 * roles, 2.5, 0.0)))
    return {}


def who_did_what(data, base, rng):
    """The word that fits its role leads another of the scene by 2.5 nats, and that an unrelated one; with noise of 1 nat."""
    return scenes(data, base, rng, roles=True)


SCENES = as_null("scenes", "right_over_related", "roles_not_topics")(scenes)


@claim(
    "sem.roles.ettinger2019",
    ("plausibility", "roles"),
    n=800,
    planted=who_did_what,
    nulls=("untrained", "frequency", "coin", "bag of words", SCENES),
)
def roles(subject, data, settings):
    """Right against related against unrelated fillers, and verbs in both orders of the roles (ettinger2019).

    Odds are per piece. With the prior taken off, they are those above a filler's mean odds in other sentences: one that is
    likely everywhere gains nothing, one of several pieces loses nothing. Of a pair of reversed roles a bag of words gets
    one right for each it gets wrong: sensitivity is the share of pairs with both right, less that with both wrong.
    """
    rows = []
    if data.items.get("plausibility"):
        rows += _graded(subject, data["plausibility"], settings)
    if data.items.get("roles"):
        rows += _verbs(subject, data["roles"], settings)
    words = {w for i in data.items.get("plausibility", []) for w in (i.meta[g] for g in GRADES)}
    words |= {w for i in data.items.get("roles", []) for w in (i.good, i.bad)}
    several = sum(len(fillers.pieces(subject, w)) > 1 for w in words)
    return intervals.table(rows, [f"{several} of {len(words)} fillers are words of several pieces for {subject.name}"])


def _graded(subject, items: list[Cloze], settings) -> list[dict]:
    """Which of an item's right, related and unrelated fillers is preferred, as it is and with the prior taken off."""
    groups = [i.meta.get("pair") or " ".join(i.meta[g] for g in GRADES) for i in items]  # both orders of one pair
    own, prior = filler_odds(subject, items, groups, settings)  # (3, n) each
    rows = intervals.Rows(settings)
    for better, worse in (("right", "related"), ("related", "unrelated"), ("right", "unrelated")):
        a, b = GRADES.index(better), GRADES.index(worse)
        for name, odds in ((f"{better} over {worse}", own), (f"{better} over {worse}, prior taken off", own - prior)):
            rows.mean(name, odds[a] > odds[b], groups=groups, items="fillers")
    return rows


def filler_odds(subject, items: list[Cloze], groups: list[str], settings) -> tuple[np.ndarray, np.ndarray]:
    """Log-odds per piece (3, n) of each item's right, related and unrelated filler in its text, and their means in others' texts.

    The others are `OTHERS` items of other groups, drawn at random.
    """
    rng, asked = np.random.default_rng(settings.seed), []
    for i, item in enumerate(items):
        away = np.array([k for k, group in enumerate(groups) if group != groups[i]], int)
        texts = [i, *rng.permutation(away)[:OTHERS].tolist()]
        asked += [(t, item.meta[g], i, k, t == i) for k, g in enumerate(GRADES) for t in texts]
    found = fillers.log_odds(subject, [i.text for i in items], [(t, word) for t, word, *_ in asked], settings)
    own, total, count = (np.zeros((len(GRADES), len(items))) for _ in range(3))
    for odds, (_, word, i, k, its_own) in zip(found, asked):
        odds = odds / len(fillers.pieces(subject, word))
        if its_own:
            own[k, i] = odds
        else:
            total[k, i] += odds
            count[k, i] += 1
    return own, total / np.maximum(count, 1)


def _verbs(subject, items: list[ForcedChoice], settings) -> list[dict]:
    """Right verbs against those of the reversed roles and unrelated ones; both orders of a pair together."""
    asked = [(n, word) for n, i in enumerate(items) for word in (i.good, i.bad)]
    odds = fillers.log_odds(subject, [i.text for i in items], asked, settings)
    odds = (odds / [len(fillers.pieces(subject, word)) for _, word in asked]).reshape(-1, 2)
    frame = pd.DataFrame({"right": odds[:, 0] > odds[:, 1]})
    frame["people"] = [_people(i) for i in items]
    frame["frame"] = [_sentence_frame(i) for i in items]
    frame["measure"] = [f"right over {i.condition}" for i in items]
    frame["pair"] = [str(i.meta["pair"]) for i in items]
    options = dict(settings=settings, groups=["people", "frame"] if frame["frame"].nunique() > 1 else ["people"])
    frames = [intervals.means(part, "right", measure=m, **options) for m, part in frame.groupby("measure")]
    related = frame[frame["measure"] == "right over related"]
    first = dict(people=("people", "first"), frame=("frame", "first"))
    pairs = related.groupby("pair", sort=True).agg(right=("right", "sum"), n=("right", "size"), **first)
    pairs = pairs[pairs["n"] == 2].assign(both=lambda p: p["right"].astype(int) - 1)
    if len(pairs):
        frames.append(intervals.means(pairs, "both", measure="sensitivity to reversal", signed=True, **options))
    return [r | {"items": "verbs"} for f in frames for r in f.to_dict("records")] + _tops(subject, items, settings)


def _people(item: ForcedChoice) -> str:
    """The two people, whoever does it; of published pairs the pair."""
    people = [str(item.meta[k]) for k in ("agent", "patient") if item.meta.get(k) is not None]
    return str(item.meta["pair"]) if len(people) < 2 else " ".join(sorted(people))


def _sentence_frame(item: ForcedChoice) -> str:
    """The sentence without the two people; "" where it is not said who they are."""
    people = [item.meta.get(k) for k in ("agent", "patient")]
    return "" if None in people else " ".join("_" if w.strip(".,") in people else w for w in item.text.split())


def _tops(subject, items: list[ForcedChoice], settings) -> list[dict]:
    """How often the expected verb, and that of the other order, is among the likeliest; words of one piece only."""
    asked = [i for i in items if i.condition == "related"]
    ids = {w: cloze.filler_id(subject, w) for i in asked for w in (i.good, i.bad)}
    asked = [i for i in asked if None not in (ids[i.good], ids[i.bad])]
    ranks = np.zeros((2, len(asked)), int)
    for k, logs in cloze.log_probabilities(subject, [i.text for i in asked], settings):
        ranks[:, k] = [(logs > logs[ids[word]]).sum() for word in (asked[k].good, asked[k].bad)]
    rows, groups = intervals.Rows(settings), [_people(i) for i in asked]
    for name, found in zip(("expected", "other order's"), ranks) if asked else ():
        for top in TOP:
            rows.mean(f"{name} in top {top}", found < top, groups=groups, items="verbs")
    return rows
