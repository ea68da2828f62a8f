"""Agreement: does the masked LM prefer the verb form that the subject asks for?"""

from __future__ import annotations

import random
from collections import defaultdict

import pandas as pd

from ...calibration.nulls import GAPS
from ...claims.registry import claim
from ...data.items import ForcedChoice
from ...scores import intervals
from ...scores.choices import by_class
from ...settings import Settings
from ...subject import cloze
from . import planted

MOST, OF_VERB = 300, 40  # items of a condition and number of attractors; of a verb among them
VERBS = 8  # with fewer, verbs are taken as given: of two, no interval over verbs can be had
SEVERAL = "several distractors"
BETWEEN = "across"  # Marvin & Linzen: only there does the other noun stand between subject and verb


def number(item: ForcedChoice) -> str:
    """Whether the right form is the singular one: of *is, are* the one with an s, of *pass, passes* the longer one."""
    both = item.good.endswith("s") == item.bad.endswith("s")
    return "singular" if (len(item.good) > len(item.bad) if both else item.good.endswith("s")) else "plural"


def kinds(item: ForcedChoice) -> list[str]:
    """Which parts of the claim an item is about: with or without a distractor, and nonce or not; none for reflexives.

    A distractor is a noun of the other number between subject and verb. With one between, sentences of different data sets
    are alike; one set has up to four and another seldom two, and no figure over all of them compares models. So several
    are a part of their own.
    """
    if item.condition.startswith("reflexive"):
        return []
    if (item.meta.get("attractors") or 0) > 1:
        return [SEVERAL]
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


def verb(item: ForcedChoice) -> str:
    """Both forms, whichever is right."""
    return " ".join(sorted((item.good, item.bad)))


def _drawn(items: list[ForcedChoice], settings: Settings) -> tuple[list[ForcedChoice], str]:
    """At most `MOST` of each condition and number of attractors, and `OF_VERB` of each verb among them.

    Data sets have 140 of one condition and 20,000 of another, and *is, are* in most of their sentences: figures would be
    about that one verb.
    """
    groups = defaultdict(list)
    for item in items:
        groups[item.condition, item.meta.get("nonce"), item.meta.get("attractors")].append(item)
    drawn = []
    for key, group in sorted(groups.items(), key=lambda g: str(g[0])):
        left: defaultdict[str, int] = defaultdict(lambda: OF_VERB)
        taken = 0
        for item in random.Random(f"{settings.seed} {key}").sample(group, len(group)):
            if left[verb(item)] and taken < MOST:
                left[verb(item)] -= 1
                taken += 1
                drawn.append(item)
    note = f"at most {MOST} items of each condition and number of attractors, {OF_VERB} of a verb"
    return drawn, f"{note}: {len(drawn)} of {len(items)}"


@claim("syn.agreement.goldberg2019", "agreement", n=1800, nulls=(*GAPS, "nearest"), planted=planted.choices)
def agreement(subject, data, settings):
    """P(right form) > P(wrong form) at the masked verb, by construction and by number of attractors (goldberg2019).

    Items whose two forms are not single vocabulary items are left out and counted, as in the study. In `balanced
    accuracy` singular and plural subjects count alike, so that a model which always prefers *is* has one half; `evenly
    balanced` counts sentences without and with one distractor alike too, so that agreeing with the nearest noun has one
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
            "verb": [verb(i) for i in items],
            "frame": [frame_of(i) for i in items],
            "right": cloze.choose(subject, items, settings) > 0,
        }
    )
    several = frame["verb"].nunique() >= VERBS
    units = ["verb", "frame"] if several else ["frame"]
    frames = [
        intervals.means(frame, "right", by="condition", measure="accuracy", settings=settings, groups=units, note=note)
    ]
    parts = frame.explode("items").dropna(subset="items")
    frames.append(by_class(parts, settings=settings, gold="number", by="items", groups=units))
    frames.append(evenly(frame, settings, units))
    counted = frame[frame["attractors"].notna() & (frame["items"].str.len() > 0)].astype({"attractors": int})
    if counted.attractors.nunique() > 1:
        along = by_class(counted, settings=settings, gold="number", by="attractors", groups=units)
        along = along[along["measure"] == "balanced accuracy"]
        frames.append(along.assign(measure="balanced accuracy by attractors"))
    found = intervals.combine(*frames)
    found.attrs["notes"].append(drawn)
    if not several:
        found.attrs["notes"].append(f"{frame['verb'].nunique()} verbs: intervals are about these")
    return found


def evenly(frame: pd.DataFrame, settings: Settings, units: list[str]) -> pd.DataFrame:
    """Balanced accuracy of all items and of the nonce ones, with singular and plural subjects, and distracted and plain
    sentences, counted alike: who agrees with the nearest noun has one half.

    Parameters
    ----------
    frame : data frame
        A row per item: `right`, `number`, `items` (list of kinds), and the columns `units` to be resampled.
    """
    rows = []
    cell = [f"{n}, {'distractor' if 'distractor' in k else 'plain'}" for n, k in zip(frame["number"], frame["items"])]
    frame = frame.assign(cell=cell)[[SEVERAL not in k for k in frame["items"]]]
    for name in ("all", "nonce"):
        part = frame[[bool(k) and (name == "all" or "nonce" in k) for k in frame["items"]]]
        if len(part):
            found = by_class(part, settings=settings, gold="cell", groups=units)
            rows.append(found[found["measure"] == "balanced accuracy"].assign(measure="evenly balanced", items=name))
    return intervals.combine(*rows)
