"""Agreement: does the masked LM prefer the verb form that the subject asks for?"""

from __future__ import annotations

import random
from collections import defaultdict

import pandas as pd

from ...claims.registry import claim
from ...data.items import ForcedChoice
from ...scores import intervals
from ...scores.choices import by_class
from ...settings import Settings
from ...subject import cloze
from . import planted

MOST = 600  # items of a condition and number of attractors
BETWEEN = "across"  # Marvin & Linzen: only there does the other noun stand between subject and verb


def number(item: ForcedChoice) -> str:
    """Whether the right form is the singular one: of *is, are* the one with an s, of *pass, passes* the longer one."""
    both = item.good.endswith("s") == item.bad.endswith("s")
    return "singular" if (len(item.good) > len(item.bad) if both else item.good.endswith("s")) else "plural"


def kinds(item: ForcedChoice) -> list[str]:
    """Which parts of the claim an item is about: with or without a distractor, and nonce or not; none for reflexives.

    A distractor is a noun of the other number between subject and verb.
    """
    if item.condition.startswith("reflexive"):
        return []
    between = item.meta.get("set") != "marvin_linzen" or item.condition.startswith(BETWEEN)
    found = ["nonce"] if item.meta.get("nonce") else []
    if not item.meta.get("attractors"):
        return [*found, "no distractor"]
    return [*found, "distractor"] if between else found


def frame_of(item: ForcedChoice) -> str:
    """What an item shares with others that differ in words only: its template, or else the sentence around the verb."""
    if item.meta.get("set") == "gulordava":
        return item.id.rpartition("-")[0]  # one original and its nonce versions
    return str(item.meta["template"]) if item.meta.get("set") == "builtin" else item.text


def _drawn(items: list[ForcedChoice], settings: Settings) -> tuple[list[ForcedChoice], str]:
    """At most `MOST` of each condition and number of attractors: data sets have 140 of one and 20,000 of another."""
    groups = defaultdict(list)
    for item in items:
        groups[item.condition, item.meta.get("nonce"), item.meta.get("attractors")].append(item)
    drawn = [
        item
        for key, group in sorted(groups.items(), key=lambda g: str(g[0]))
        for item in random.Random(f"{settings.seed} {key}").sample(group, min(MOST, len(group)))
    ]
    return drawn, f"at most {MOST} items of each condition and number of attractors: {len(drawn)} of {len(items)}"


@claim(
    "syn.agreement.goldberg2019",
    tasks="agreement",
    n=1800,
    nulls=("untrained", "frequency", "constant", "coin", "nearest"),
    planted=planted.choices,
)
def agreement(subject, data, settings):
    """P(right form) > P(wrong form) at the masked verb, by construction and by number of attractors (goldberg2019).

    Items whose two forms are not single vocabulary items are left out and counted, as in the study. What decides is
    `balanced accuracy`: singular and plural subjects count alike, so that a model which always prefers *is* has one
    half. Verbs and sentence frames are crossed in the intervals.
    """
    items, note = cloze.single_piece(subject, data["agreement"])
    items, drawn = _drawn(items, settings)
    frame = pd.DataFrame(
        {
            "condition": [i.condition for i in items],
            "items": [kinds(i) for i in items],
            "number": [number(i) for i in items],
            "attractors": [i.meta.get("attractors") for i in items],
            "verb": [" ".join(sorted((i.good, i.bad))) for i in items],
            "frame": [frame_of(i) for i in items],
            "right": cloze.choose(subject, items, settings) > 0,
        }
    )
    units = ["verb", "frame"]
    frames = [
        intervals.means(frame, "right", by="condition", measure="accuracy", settings=settings, groups=units, note=note)
    ]
    parts = frame.explode("items").dropna(subset="items")
    frames.append(by_class(parts, settings=settings, gold="number", by="items", groups=units))
    counted = frame[frame["attractors"].notna() & (frame["items"].str.len() > 0)].astype({"attractors": int})
    if counted.attractors.nunique() > 1:
        along = by_class(counted, settings=settings, gold="number", by="attractors", groups=units)
        along = along[along["measure"] == "balanced accuracy"]
        frames.append(along.assign(measure="balanced accuracy by attractors"))
    found = intervals.combine(*frames)
    found.attrs["notes"].append(drawn)
    return found
