"""Commonsense triples, true and false, by what each end tells of the other (davison2019)."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from ...calibration.nulls import GAPS
from ...claims.registry import claim
from ...data.items import Labelled
from ...data.text import an, capital, words_and_spans
from ...scores import intervals
from ...scores.choice import choose
from ...scores.discrimination import auc, auc_difference, auc_interval, f1_interval
from ...settings import Settings
from ...subject import encode, retrieval, spans
from ...vectors.geometry import unit
from . import plants

WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0)  # of the conditional terms, beside the unconditional ones
TUNED = 0.5  # share of the relations that weight and threshold are chosen on
MOST = 1200  # triples on either side
FOLDS = 5  # of the dev triples, to see which rival is best
LONG = 4  # words: ends are as long, or longer


@dataclass(frozen=True)
class Reading:
    """A triple in words: which of them are its head and its tail."""

    item: Labelled
    words: tuple[str, ...]
    head: tuple[int, int]
    tail: tuple[int, int]


def readings(item: Labelled) -> list[Reading]:
    """The triple as it is written, and with articles before its ends: candidates to rank by how well they read."""
    relation, head, tail = item.meta["template"], item.meta["head"], item.meta["tail"]
    if _cut(item.text, head, tail, relation) is None:
        return []
    out = []
    for first in _with_article(head):
        for second in _with_article(tail):
            text = item.text
            if (first, second) != (head, tail):
                text = capital(relation.replace("[X]", first).replace("[Y]", second))
            places = _cut(text, head, tail, relation)
            if places is not None:
                words, (a, b) = words_and_spans(text, places)
                out.append(Reading(item, words, a, b))
    return out


def _with_article(phrase: str) -> list[str]:
    return [phrase] if phrase[:1].isupper() else [phrase, f"{an(phrase)} {phrase}"]


def _cut(text: str, head: str, tail: str, template: str) -> list[tuple[int, int]] | None:
    """Characters of head and tail in a text; None where they are not there, or overlap."""
    low, forward = text.lower(), template.index("[X]") < template.index("[Y]")
    first, second = (head, tail) if forward else (tail, head)
    a, b = low.find(first.lower()), low.rfind(second.lower())
    if a < 0 or b < a + len(first):
        return None
    places = [(a, a + len(first)), (b, b + len(second))]
    return places if forward else places[::-1]


def best_readings(subject, items: list[Labelled], settings) -> list[Reading]:
    """Of each triple the reading whose pieces are likeliest where they stand, without masks: one pass per candidate."""
    every = [r for item in items for r in readings(item)]
    every = [r for r, ok in zip(every, encode.fits(subject, [r.words for r in every])) if ok]
    rows = encode.tokenize(subject, [r.words for r in every])
    wanted = [spans.pieces_of(row, range(row.n_words)) for row in rows]
    found = spans.log_probabilities(subject, rows, wanted, [[]] * len(rows), settings)
    best: dict[str, tuple[float, Reading]] = {}
    for reading, logs in zip(every, found):
        score = round(float(logs.mean()), 6)
        if reading.item.id not in best or score > best[reading.item.id][0]:
            best[reading.item.id] = score, reading
    return [best[i.id][1] for i in items if i.id in best]


def terms(subject, chosen: list[Reading], settings) -> np.ndarray:
    """(n, 2): what the other end adds to log P of head and tail; what they have without each other. Means per piece."""
    rows = encode.tokenize(subject, [r.words for r in chosen])
    head, tail = ([spans.pieces_of(row, range(*getattr(r, end))) for row, r in zip(rows, chosen)] for end in
                  ("head", "tail"))  # fmt: skip
    both = [a + b for a, b in zip(head, tail)]
    given = [
        [float(x.mean()) for x in spans.log_probabilities(subject, rows, end, settings=settings)]
        for end in (head, tail)
    ]
    alone = spans.log_probabilities(subject, rows, both, settings=settings)
    lone = [[float(x[: len(a)].mean()), float(x[len(a) :].mean())] for x, a in zip(alone, head)]
    return np.stack([np.array(given).sum(0), np.array(lone).sum(1)], 1)


def tune(parts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """The weight with the greatest area under the curve, and the threshold with the greatest accuracy there."""
    areas = [auc(w * parts[:, 0] - parts[:, 1], labels) for w in WEIGHTS]
    weight = WEIGHTS[int(np.flatnonzero(np.array(areas) >= max(areas) - 1e-4)[0])]
    scores = np.sort(weight * parts[:, 0] - parts[:, 1])
    cuts = (scores[1:] + scores[:-1]) / 2 if len(scores) > 1 else scores
    right = [((weight * parts[:, 0] - parts[:, 1] > c) == labels).mean() for c in cuts]
    return weight, float(cuts[int(np.argmax(right))])


@claim("wld.triples.davison2019", "triples", n=240, nulls=(*GAPS, "bag of words"), planted=plants.true_triples)
def triples(subject, data, settings):
    """Weighted PMI of head and tail under the masked LM; weight and threshold from half of the relations (davison2019).

    The score is ``w (log P(t | h) + log P(h | t)) - log P(t) - log P(h)``, a mean over pieces, each end masked whole. The
    best-reading of several wordings is scored. `held-out templates` are those of the other relations. Both sets are
    triples of test; rivals learn from all triples of dev, for the held-out templates from those of the tuned relations.
    """
    items = _drawn(data["triples"], settings)
    chosen = best_readings(subject, items, settings)
    parts = terms(subject, chosen, settings)
    labels = np.array([r.item.label == "1" for r in chosen])
    relations = [r.item.condition for r in chosen]
    names = sorted(set(relations))
    seen = set(random.Random(settings.seed).sample(names, max(1, int(TUNED * len(names)))))
    tuned = np.array([r in seen for r in relations])
    groups = np.array([f"{r.item.condition} {r.item.meta['head']}" for r in chosen])
    dev = np.array([r.item.split in ("train", "dev") for r in chosen])
    dev = dev if dev.any() else np.array([plants.lucky(g, 0.5) for g in groups])
    weight, cut = tune(parts[tuned & dev], labels[tuned & dev])
    scores = weight * parts[:, 0] - parts[:, 1]
    pool = [i for i in data["triples"] if i.split in ("train", "dev")] or [r.item for r, d in zip(chosen, dev) if d]
    asked = [r.item for r in chosen]
    rows, best_of = intervals.Rows(settings), []
    for name, at, learn in (
        ("all", ~dev, pool),
        ("held-out templates", ~tuned & ~dev, [i for i in pool if i.condition in seen]),
    ):
        options = dict(seed=settings.seed, draws=min(settings.draws, 1000), groups=groups[at])
        of, true, n = scores[at], labels[at], int(at.sum())
        rows.add("AUC", auc_interval(of, true, **options), n, set=name)
        found, best = rivals(subject, learn, asked)
        for other, values in found.items():
            rows.add(f"AUC, {other}", auc_interval(values[at], true, **options), n, set=name)
            over = auc_difference(of, values[at], true, **options)
            rows.add(f"AUC over {other}", over, n, set=name)
            if other == best:
                rows.add("AUC over the best rival", over, n, set=name)
        rows.add("F1", f1_interval(of > cut, true, **options), n, set=name)
        best_of.append(f"of {name} {best}")
    note = f"{len(chosen)} of {len(items)} triples scored; weight {weight:g}, chosen on {len(seen)} relations"
    return intervals.table(rows, [note, f"the best rival on dev: {', '.join(best_of)}"])


def rivals(subject, learn: list[Labelled], asked: list[Labelled]) -> tuple[dict[str, np.ndarray], str]:
    """What tells true triples without knowing which ends go together by a relation: log-odds (n,), and which is best.

    A logistic regression each: on how frequent the words are, on how like the ends' embeddings, on which words fit
    which end of a relation (`slots`), and on all of these. The best is so on `learn`, of folds that share no head.
    """
    both, n = [*learn, *asked], len(learn)
    ends = [(i.meta["head"], i.meta["tail"]) for i in both]
    frequent = [retrieval.log_frequency(subject, list(pair)).sum() for pair in ends]
    scores = np.stack([frequent, static_likeness(subject, ends)], 1)
    scores = (scores - scores[:n].mean(0)) / np.maximum(scores[:n].std(0), 1e-9)
    fitting = DictVectorizer().fit_transform([slots(i) for i in both])
    features = {
        "frequency of words": scores[:, :1],
        "static embeddings": scores[:, 1:],
        "slot fit": fitting,
        "rivals together": sparse.hstack([scores, fitting]).tocsr(),
    }
    labels = np.array([i.label == "1" for i in learn])
    heads = [f"{i.condition} {i.meta['head']}" for i in learn]
    folds = GroupKFold(min(FOLDS, len(set(heads))))
    out, areas = {}, []
    for name, x in features.items():
        model = LogisticRegression(tol=1e-8, max_iter=1000)
        said = cross_val_predict(model, x[:n], labels, groups=heads, cv=folds, method="decision_function")
        areas.append(auc(said, labels))
        out[name] = model.fit(x[:n], labels).decision_function(x[n:]).round(6)
    return out, list(out)[choose(areas)]


def slots(item: Labelled) -> dict[str, int]:
    """First and last word and length of each end, beside the relation: what fits a slot, without what stands in the other.

    >>> item = Labelled(id="x", text="", label="1", condition="IsA", meta={"head": "dog", "tail": "loyal pet"})
    >>> sorted(slots(item))[:3]
    ['IsA head first dog', 'IsA head last dog', 'IsA head length 1']
    """
    out = {}
    for end in ("head", "tail"):
        words = item.meta[end].lower().split()
        for feature in (f"first {words[0]}", f"last {words[-1]}", f"length {min(len(words), LONG)}"):
            out[f"{item.condition} {end} {feature}"] = 1
    return out


def static_likeness(subject, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Cosine of the mean input embeddings of two phrases' pieces, (n,): association that needs no sentence and no layer."""
    table = subject.base.get_input_embeddings().weight.detach().float().cpu().numpy()

    def mean(phrase: str) -> np.ndarray:
        return table[subject.tokenizer(phrase, add_special_tokens=False)["input_ids"]].mean(0)

    return np.array([float(unit(mean(a)) @ unit(mean(b))) for a, b in pairs])


def _drawn(items: list[Labelled], settings: Settings) -> list[Labelled]:
    """At most `MOST` of the train and dev splits together, and of the test split, in their order."""
    out = []
    for side in (("train", "dev"), ("test",)):
        places = [k for k, i in enumerate(items) if i.split in side]
        out += sorted(random.Random(settings.seed).sample(places, min(MOST, len(places))))
    return [items[k] for k in out]
