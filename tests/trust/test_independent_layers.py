"""Figures of the chapter on layers computed a second time: sklearn and numpy on the same items, and on what records show."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from by_hand import measured, plain, value
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

from bertology_utils import runs
from bertology_utils.claims import evidence
from bertology_utils.claims.sources import load_for
from bertology_utils.experiments.layers import chunks
from bertology_utils.settings import Settings
from bertology_utils.subject import models


def test_the_index_of_a_word():
    """Every tenth sentence is dev, two more of ten are test; a word alone says where it mostly stood in training."""
    rows, data = measured("lay.word_order.lin2019", "builtin", 60)
    told = {"train": [], "dev": [], "test": []}
    for n, words in enumerate(dict.fromkeys(i.words for i in data["ambiguity"])):
        part = told["dev" if n % 10 == 0 else "test" if n % 10 in (1, 2) else "train"]
        states = plain().read(words)[0]
        part += [(n, word.lower(), w, states[:, w]) for w, word in enumerate(words[:16])]
    seen = defaultdict(Counter)
    for _, word, w, _ in told["train"]:
        seen[word][w] += 1
    alone = {word: min(c, key=lambda w: (-c[w], w)) for word, c in seen.items()}
    test = np.array([w for *_, w, _ in told["test"]])
    assert value(rows, "majority", task="word order") == pytest.approx(np.bincount(test).max() / len(test))
    usual = np.bincount([w for *_, w, _ in told["train"]]).argmax()
    guessed = [alone.get(word, usual) for _, word, *_ in told["test"]]
    assert value(rows, "word alone") == pytest.approx(np.mean(guessed == test))
    quarter = np.random.default_rng(1).integers(0, 4, 1000)  # of the training sentences, a probe for each
    for layer in (1, 8):
        right = []
        for part in range(4):
            own = [(x[layer], w) for n, _, w, x in told["train"] if quarter[n] == part]
            scale = StandardScaler().fit([x for x, _ in own])
            probe = LogisticRegression(max_iter=300, C=1 / 0.01 / len(own))
            probe.fit(scale.transform([x for x, _ in own]), [w for _, w in own])
            right.append(probe.score(scale.transform([x[layer] for *_, x in told["test"]]), test))
        assert value(rows, "accuracy", layer=layer) == pytest.approx(np.mean(right), abs=0.06), layer


def test_clusters_of_chunks():
    """First and last word, their product and difference, clustered in each part; every other part is scored."""
    settings = Settings.of(n=400, draws=20)
    data = load_for(runs.get("lay.chunks_conflict.liu2019a"), "builtin", settings)
    rows = chunks.cluster_rows(models.load("mini", settings), chunks.chunk_spans(data), settings)
    spans, kinds = [], []
    sentences = list(dict.fromkeys(s for task in ("treebank", "chunks") for s in data.items.get(task, []) if s.chunks))
    for n in np.random.default_rng(0).permutation(len(sentences)):
        item = sentences[n]
        states, tags = plain().read(item.words)[0], [*item.chunks, "O"]
        for a in (a for a, tag in enumerate(tags) if tag.startswith("B-")):
            b = next(b for b in range(a, len(tags)) if not tags[b + 1].startswith("I-"))
            one, two = states[:, a], states[:, b]
            spans.append(np.concatenate([one, two, one * two, one - two], -1))
            kinds.append((tags[a][2:], n))
    often = Counter(kind for kind, _ in kinds)
    kept = [k for k, (kind, _) in enumerate(kinds) if often[kind] >= 160]
    rank = {n: k % 16 for k, n in enumerate(dict.fromkeys(kinds[k][1] for k in kept))}
    gold, part = np.array([kinds[k][0] for k in kept]), np.array([rank[kinds[k][1]] for k in kept])
    for row in rows[:-1:4]:
        x, scores = np.stack([spans[k][row["layer"]] for k in kept]).astype(np.float32), []
        for one in range(1, 16, 2):
            found = KMeans(len(set(gold)), n_init=4, random_state=0).fit_predict(x[part == one])
            scores.append(normalized_mutual_info_score(gold[part == one], found))
        assert row["n"] == (part % 2 == 1).sum()
        assert row["value"] == pytest.approx(np.mean(scores), abs=0.02)


CURVES = [
    e
    for id in ("lay.pipeline.tenney2019a", "lay.semantics_spread.tenney2019a", "lay.chunks_conflict.liu2019a")
    for e in evidence.find(id, Settings(evidence=evidence.SHIPPED))
    if any(row["measure"] == "cumulative accuracy" for row in e.rows)
]


@pytest.mark.parametrize("record", CURVES, ids=lambda e: f"{e.claim} {e.model} {e.data}")
def test_expected_layers_are_those_of_the_cumulative_scores_beside_them(record):
    """A layer weighs what it adds to the best score so far (tenney2019a); the thirds' gains are differences of the same."""
    checked = 0
    for task in dict.fromkeys(row["task"] for row in record.rows if row["measure"] == "cumulative accuracy"):
        own = [row for row in record.rows if row.get("task") == task]
        curve = np.array([row["value"] for row in own if row["measure"] == "cumulative accuracy"])
        adds = np.diff(np.maximum.accumulate(curve))
        for row in own:
            if row["measure"] == "expected layer" and not np.isnan(row["value"]):
                assert row["value"] == pytest.approx(adds @ np.arange(1, len(curve)) / adds.sum(), abs=1e-3)
                checked += 1
            elif row["measure"] == "gain of the lowest third":
                assert row["value"] == pytest.approx(curve[int(row["layer"])] - curve[0], abs=1e-5)
                checked += 1
    assert checked
