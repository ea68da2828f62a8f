"""What objects are like, what they afford, and how the two go together (forbes2019, da2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...calibration import planted as plants_of
from ...calibration.nulls import Null
from ...claims.registry import claim
from ...data.items import ForcedChoice, Labelled
from ...probes.statements import best_cut, judge
from ...scores import intervals
from ...scores.discrimination import auc_within, f1_difference, f1_interval
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
    """A row per test statement: what the probe says, what the embeddings and what the attribute alone says."""
    unit = [str(i.meta["object"] or i.meta["property"]) for i in items]
    has_dev = any(i.split == "dev" for i in items)
    split = [
        "dev" if i.split == "train" and not has_dev and plants.lucky(u, DEV) else i.split for i, u in zip(items, unit)
    ]
    train, dev, test = ([k for k, s in enumerate(split) if s == name] for name in ("train", "dev", "test"))
    learn, pick, ask = ([items[k] for k in part] for part in (train, dev, test))
    found = judge(subject, learn, pick, ask, settings)
    key = ATTRIBUTE[task]
    known, held, asked = (
        pd.DataFrame({"attribute": [str(i.meta[key]) for i in part], "true": [i.label == "1" for i in part]})
        for part in (learn, pick, ask)
    )
    rate, cut = rates(known, asked), by_rate(known, held)
    frame = asked.assign(
        unit=[unit[k] for k in test],
        kind=[i.condition for i in ask],
        said=found.predicted,
        lead=found.lead,
        static=found.static,
        static_lead=found.static_lead,
        majority=rate >= 0.5,
        rate=rate > cut,
    )
    note = f"{TASKS[task]}: {len(train)} statements to learn from, {len(test)} judged; layer {found.layer}"
    return frame, note


def rates(known: pd.DataFrame, asked: pd.DataFrame) -> np.ndarray:
    """How often the attribute of each statement asked is true of the objects known; of a new attribute, of all."""
    return asked["attribute"].map(known.groupby("attribute")["true"].mean()).fillna(known["true"].mean()).to_numpy()


def by_rate(known: pd.DataFrame, held: pd.DataFrame) -> float:
    """The rate above which an attribute is best said to be true, by F1 on dev: the freedom that the probe has too.

    "Always true" is among the answers. The commoner answer is none to beat: of rare attributes it is always "no", whose
    F1 is 0.
    """
    dev = rates(known, held)
    return best_cut(dev, held["true"].to_numpy(), np.unique(dev) - 1e-9)[0]


def scored(frame: pd.DataFrame, settings: Settings, **keys) -> list[dict]:
    """F1 of probe, embeddings and what the attribute alone gives, and the probe's leads; objects are resampled."""
    options = dict(seed=settings.seed, draws=settings.draws, groups=frame["unit"])
    n, true = len(frame), frame["true"]
    single = {
        "F1": "said",
        "F1, embeddings alone": "static",
        "F1, majority": "majority",
        "F1, attribute's rate": "rate",
    }
    rows = [intervals.row(m, f1_interval(frame[c], true, **options), n, **keys) for m, c in single.items()]
    pairs = {"F1 over majority": "majority", "F1 over attribute's rate": "rate", "F1 over embeddings": "static"}
    rows += [
        intervals.row(m, f1_difference(frame["said"], frame[c], true, **options), n, **keys) for m, c in pairs.items()
    ]
    return rows


def areas(
    frame: pd.DataFrame, settings: Settings, categories: Sequence[str] = (), *, over_words: bool = False
) -> intervals.Interval:
    """Mean over attributes of the area under the curve within each; of two `categories` that of the first less the other's.

    `over_words` takes off that of the embeddings alone, which add up what a statement's words say one by one.

    Within an attribute, how often it is true tells nothing, so rare and common attributes can be compared. Other objects
    might have been asked for, and other attributes: both are resampled, crossed.
    """
    if frame.empty:
        return intervals.Interval(np.nan, np.nan, np.nan)
    codes, names = pd.factorize(frame["attribute"], sort=True)
    asked = np.bincount(codes)
    of = frame.groupby("attribute")["category"].first().to_numpy() if categories else np.zeros(len(names))

    def statistic(true: np.ndarray, attribute: np.ndarray, lead: np.ndarray, *words: np.ndarray) -> float:
        each, many = np.full(len(names), np.nan), np.bincount(attribute, minlength=len(names))
        each[: attribute.max() + 1] = auc_within(lead, true, attribute) - sum(
            auc_within(w, true, attribute) for w in words
        )
        told = [(of == name) & ~np.isnan(each) for name in categories or (0,)]
        # an attribute drawn twice counts twice
        means = [np.average(each[t], weights=many[t] / asked[t]) if t.any() else np.nan for t in told]
        return means[0] - sum(means[1:])

    arrays = [frame["true"], codes, frame["lead"], *([frame["static_lead"]] if over_words else [])]
    bounds = (-1.0, 1.0) if categories or over_words else (0.0, 1.0)
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000), groups=frame[["unit", "attribute"]])
    return intervals.bootstrap(arrays, statistic, **options, bounds=bounds)


def within(frame: pd.DataFrame, settings: Settings) -> dict[str, intervals.Interval]:
    """`areas` of easy attributes, of perceptual ones, and their difference."""
    parts = {name: frame[frame["category"] == name] for name in (EASY, HARD)}
    both = areas(pd.concat(parts.values()), settings, (EASY, HARD))
    return {**{name: areas(part, settings) for name, part in parts.items()}, f"{EASY} - {HARD}": both}


def _by_share(share: dict[str, float], name: str):
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
            (ask.text.split(), None, ask, "text")
            for i in data.items.get("size_comparison", [])
            for ask in [with_answer(i)]
        ]
        return plants_of.plant(
            base, data, rng, parts=parts, logits=plants_of.choice_logits(base, right=0.5), more=more, name=name
        )

    return make


def perceptual_hard(data, base, rng):
    """Attributes are told from the statement in 97 cases of 100, perceptual ones in 60."""
    return _by_share({"perceptual": 0.6, "visual": 0.6, "other": 0.97}, "planted")(data, base, rng)


ALL_ALIKE = Null("all alike", "All attributes are told in nine cases of ten.", _by_share({"other": 0.9}, "all alike"))


@claim(
    "wld.attributes.da2019",
    "properties",
    n=496,
    limit=4000,
    nulls=("untrained", "layer 0", "constant", "bag of words", ALL_ALIKE),
    planted=perceptual_hard,
)
def attributes(subject, data, settings):
    """How well a probe tells of which objects an attribute is true, by category of the attribute (da2019).

    A linear probe reads the vector of a statement ("A coin is made of metal"); no object is in two splits. Categories are
    compared by areas under the curve within an attribute: F1 is the greater, the more often an attribute is true.
    """
    frame, note = judged(subject, data["properties"], "properties", settings)
    frame["category"] = [CATEGORIES.get(k, k) for k in frame["kind"]]
    rows = [r for name, part in frame.groupby("category") for r in scored(part, settings, category=name)]
    for name, part in frame.groupby("kind"):
        options = dict(seed=settings.seed, draws=settings.draws, groups=part["unit"])
        for measure, said in (("F1, by kind", part["said"]), ("F1, attribute's rate, by kind", part["rate"])):
            rows.append(intervals.row(measure, f1_interval(said, part["true"], **options), len(part), kind=name))
    for name, found in within(frame, settings).items():
        n = int(frame["category"].isin(name.split(" - ")).sum())
        both = name not in (EASY, HARD)
        key = {} if both else {"category": name}
        rows.append(intervals.row("AUC within attributes" + both * f", {name}", found, n, **key))
    return intervals.table(rows, [note])


def with_answer(item: ForcedChoice) -> ForcedChoice:
    """The comparison with its answer said before it: who cannot copy that cannot be asked."""
    said = item.text.replace("[MASK]", item.good)
    text = f"{said} {item.text}"
    return ForcedChoice(id=f"{item.id}-told", condition=item.condition, text=text, good=item.good, bad=item.bad)


def known_apart(data, base, rng):
    """Properties and affordances are told in 19 cases of 20; how they go together, and sizes, by a coin."""
    return _by_share({"relation": 0.5, "other": 0.95}, "planted")(data, base, rng)


RELATED = Null(
    "relates them", "Properties, affordances and how they go together are told in 19 cases of 20.",
    _by_share({"other": 0.95}, "relates them"), ("not_related",),
)  # fmt: skip


@claim(
    "wld.affordances.forbes2019",
    ("properties", "affordances", "property_affordance", "size_comparison"),
    n=432,
    limit=4000,
    nulls=("untrained", "layer 0", "constant", "bag of words", RELATED),
    planted=known_apart,
)
def affordances(subject, data, settings):
    """Probes for properties, affordances and their relation within each attribute; sizes as a gap (forbes2019).

    Within an attribute, how often it is true tells nothing; F1, beside it, mixes both. Linear probes read the vector of a
    statement; no object (of generated relations: no property) is in two splits. A comparison is also asked with its answer
    said before: where that is not copied, a wrong answer says nothing.
    """
    rows, notes = intervals.Rows(settings), []
    for task, name in TASKS.items():
        if task in data.items:
            frame, note = judged(subject, data[task], task, settings)
            rows += scored(frame, settings, task=name)
            for measure, over_words in (("AUC within attributes", False), ("AUC within attributes over words", True)):
                rows.add(measure, areas(frame, settings, over_words=over_words), len(frame), task=name)
            notes.append(note)
    if sizes := data.items.get("size_comparison"):
        sizes, note = cloze.single_piece(subject, sizes)
        notes.append(f"sizes: {note}")
        for measure, asked in (("accuracy", sizes), ("planted", [with_answer(i) for i in sizes])):
            right = (cloze.choose(subject, asked, settings) > 0).astype(float)
            units = pd.DataFrame({"a": [i.meta["a"] for i in sizes], "b": [i.meta["b"] for i in sizes]})
            rows.mean(f"size comparison, {measure}", right, groups=units)
    return intervals.table(rows, notes)
