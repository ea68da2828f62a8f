"""What objects are like, what they afford, and how the two go together (forbes2019, da2019)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...calibration import planted as plants_of
from ...calibration.nulls import Null
from ...claims.registry import claim
from ...data.items import ForcedChoice, Labelled
from ...probes.statements import judge
from ...scores import intervals
from ...scores.discrimination import f1, f1_columns, f1_difference, f1_interval
from ...scores.intervals import Resample, bootstrap_sums
from ...settings import Settings
from ...subject import cloze
from . import plants

DEV = 0.2  # share of the training objects where the source has no dev split
CATEGORIES = {"encyclopedic": "encyclopedic and functional", "functional": "encyclopedic and functional",
              "perceptual": "perceptual", "visual": "perceptual"}  # fmt: skip
EASY, HARD = "encyclopedic and functional", "perceptual"
TASKS = {"properties": "object-property", "affordances": "object-affordance",
         "property_affordance": "affordance-property"}  # fmt: skip
ATTRIBUTE = {"properties": "property", "affordances": "affordance", "property_affordance": "property"}


def judged(subject, items: list[Labelled], task: str, settings: Settings) -> tuple[pd.DataFrame, str]:
    """A row per test statement: what the probe says, what the embeddings and the attribute's majority say."""
    unit = [str(i.meta["object"] or i.meta["property"]) for i in items]
    has_dev = any(i.split == "dev" for i in items)
    split = [
        "dev" if i.split == "train" and not has_dev and plants.lucky(u, DEV) else i.split for i, u in zip(items, unit)
    ]
    train, dev, test = ([k for k, s in enumerate(split) if s == name] for name in ("train", "dev", "test"))
    learn, pick, ask = ([items[k] for k in part] for part in (train, dev, test))
    found = judge(subject, learn, pick, ask, settings)
    key = ATTRIBUTE[task]
    known = pd.DataFrame({"a": [items[k].meta[key] for k in train], "y": [items[k].label == "1" for k in train]})
    usual = (known.groupby("a")["y"].mean() >= 0.5).to_dict()
    fallback = bool(known["y"].mean() >= 0.5)
    frame = pd.DataFrame(
        {
            "unit": [unit[k] for k in test],
            "kind": [items[k].condition for k in test],
            "true": [items[k].label == "1" for k in test],
            "said": found.said,
            "static": found.static,
            "majority": [bool(usual.get(items[k].meta[key], fallback)) for k in test],
        }
    )
    note = f"{TASKS[task]}: {len(train)} statements to learn from, {len(test)} judged; layer {found.layer}"
    return frame, note


def scored(frame: pd.DataFrame, settings: Settings, **keys) -> list[dict]:
    """F1 of probe, embeddings and majority, and the probe's lead over both; objects are resampled."""
    options = dict(seed=settings.seed, draws=settings.draws, groups=frame["unit"])
    n, true = len(frame), frame["true"]
    single = {"F1": "said", "F1, embeddings alone": "static", "F1, majority": "majority"}
    rows = [intervals.row(m, f1_interval(frame[c], true, **options), n, **keys) for m, c in single.items()]
    pairs = {"F1 over majority": "majority", "F1 over embeddings": "static"}
    rows += [
        intervals.row(m, f1_difference(frame["said"], frame[c], true, **options), n, **keys) for m, c in pairs.items()
    ]
    return rows


def easier(frame: pd.DataFrame, settings: Settings) -> intervals.Interval:
    """F1 over majority of encyclopedic and functional attributes less that of perceptual ones."""
    columns = []
    for name in (EASY, HARD):
        inside = (frame["category"] == name).to_numpy(float)[:, None]
        columns += [f1_columns(frame[c], frame["true"]) * inside for c in ("said", "majority")]
    sample = Resample(len(frame), frame["unit"], seed=settings.seed, draws=settings.draws)

    def statistic(sums):
        easy, easy_bottom, hard, hard_bottom = (f1(sums[..., 3 * k : 3 * k + 3]) for k in range(4))
        return easy - easy_bottom - (hard - hard_bottom)

    return bootstrap_sums(np.concatenate(columns, 1), statistic, sample)


def _told(share: dict[str, float], name: str):
    """A maker of stand-ins that tell true statements by the share of their kind, sizes by a coin."""

    def make(data, base, rng):
        def label(item) -> str | None:
            if not isinstance(item, Labelled):
                return None
            task = "relation" if item.meta.get("property") and item.meta.get("affordance") else item.condition
            right = plants.lucky(item.id, share.get(task, share.get("other", 0.95)))
            return item.label if right else str(1 - int(item.label))

        layers = plants_of.above_embeddings(base.n_layers)
        parts = [plants_of.word_vectors(), plants_of.text_vectors(label, layers=layers)]
        more = [
            (ask.text.split(), None, ask, "text") for i in data.items.get("size_comparison", []) for ask in [told(i)]
        ]
        return plants_of.plant(
            base, data, rng, parts=parts, logits=plants_of.choice_logits(base, right=0.5), more=more, name=name
        )

    return make


def perceptual_hard(data, base, rng):
    """Attributes are told from the statement in 97 cases of 100, perceptual ones in 60."""
    return _told({"perceptual": 0.6, "visual": 0.6, "other": 0.97}, "planted")(data, base, rng)


ALL_ALIKE = Null("all alike", "All attributes are told in nine cases of ten.", _told({"other": 0.9}, "all alike"))


@claim(
    "wld.attributes.da2019",
    tasks="properties",
    n=496,
    limit=4000,
    nulls=("untrained", "layer 0", "constant", "bag of words", ALL_ALIKE),
    planted=perceptual_hard,
)
def attributes(subject, data, settings):
    """F1 of a probe for true attributes by category, each over the majority of its attributes (da2019).

    A linear probe reads the vector of a statement ("A coin is made of metal"); no object is in two splits.
    """
    frame, note = judged(subject, data["properties"], "properties", settings)
    frame["category"] = [CATEGORIES.get(k, k) for k in frame["kind"]]
    rows = [r for name, part in frame.groupby("category") for r in scored(part, settings, category=name)]
    rows += [r for name, part in frame.groupby("kind") for r in _by_kind(part, name, settings)]
    rows.append(intervals.row(f"F1 over majority, {EASY} - {HARD}", easier(frame, settings), len(frame)))
    return intervals.table(rows, [note])


def _by_kind(part: pd.DataFrame, name: str, settings) -> list[dict]:
    """F1 of a single kind, for the figure."""
    options = dict(seed=settings.seed, draws=settings.draws, groups=part["unit"])
    found = {"F1, by kind": part["said"], "F1, majority, by kind": part["majority"]}
    return [intervals.row(m, f1_interval(v, part["true"], **options), len(part), kind=name) for m, v in found.items()]


def told(item: ForcedChoice) -> ForcedChoice:
    """The comparison with its answer said before it: who cannot copy that cannot be asked."""
    said = item.text.replace("[MASK]", item.good)
    text = f"{said} {item.text}"
    return ForcedChoice(id=f"{item.id}-told", condition=item.condition, text=text, good=item.good, bad=item.bad)


def known_apart(data, base, rng):
    """Properties and affordances are told in 19 cases of 20; how they go together, and sizes, by a coin."""
    return _told({"relation": 0.5, "other": 0.95}, "planted")(data, base, rng)


RELATED = Null(
    "relates them", "Properties, affordances and how they go together are told in 19 cases of 20.",
    _told({"other": 0.95}, "relates them"), ("not_related",),
)  # fmt: skip


@claim(
    "wld.affordances.forbes2019",
    tasks=("properties", "affordances", "property_affordance", "size_comparison"),
    n=432,
    limit=4000,
    nulls=("untrained", "layer 0", "constant", "bag of words", RELATED),
    planted=known_apart,
)
def affordances(subject, data, settings):
    """F1 of probes for properties, affordances and their relation, over the majority; sizes as a gap (forbes2019).

    Linear probes read the vector of a statement; no object (of generated relations: no property) is in two splits. A
    comparison is also asked with its answer said before: where that is not copied, a wrong answer says nothing.
    """
    rows, notes = [], []
    for task, name in TASKS.items():
        if task in data.items:
            frame, note = judged(subject, data[task], task, settings)
            rows += scored(frame, settings, task=name)
            notes.append(note)
    if sizes := data.items.get("size_comparison"):
        sizes, note = cloze.single_piece(subject, sizes)
        notes.append(f"sizes: {note}")
        for measure, asked in (("accuracy", sizes), ("planted", [told(i) for i in sizes])):
            right = (cloze.choose(subject, asked, settings) > 0).astype(float)
            units = pd.DataFrame({"a": [i.meta["a"] for i in sizes], "b": [i.meta["b"] for i in sizes]})
            found = intervals.mean_interval(right, groups=units, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row(f"size comparison, {measure}", found, len(right)))
    return intervals.table(rows, notes)
