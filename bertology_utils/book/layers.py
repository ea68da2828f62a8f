"""The page "Look into layers": a word's nearest neighbours layer by layer, and what a probe reads off its vector.

Stored in `book/_static/layers.json`, since it takes mpnet and a treebank; ``python -m bertology_utils.book look`` makes it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..data import load as load_data
from ..data.items import Sentence
from ..files import write as put
from ..probes import linear
from ..settings import Settings
from ..subject import models
from ..subject.encode import hidden_states
from ..vectors.geometry import cosines
from .stage import ROOT
from .templates import rendered

STORED = ROOT / "book" / "_static" / "layers.json"
NETWORKS = ("mpnet", "mini")
TREES = "ud_english_ewt"
WORDS = (  # (sentence, place of the word, its part of speech)
    ("They sat on the bank of the river and watched the boats .", 4, "NOUN"),
    ("The bank raised its interest rates again .", 1, "NOUN"),
    ("We will book a room for two nights .", 2, "VERB"),
    ("She read the whole book on the train .", 4, "NOUN"),
    ("The suitcase was light enough to carry .", 3, "ADJ"),
    ("A light was still on in the kitchen .", 1, "NOUN"),
    ("He left the office early on Friday .", 1, "VERB"),
    ("Turn left after the second bridge .", 1, "ADV"),
)
CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV")
NEIGHBOURS, LONGEST = 5, 25
SENTENCES = 2_000  # beside those that have one of the words
TRAINED, TESTED = 5_000, 3_000  # words that the probe learns from and is tested on
AROUND = 3  # words of context on either side


def look(name: str, trees: Sequence[Sentence], settings: Settings) -> dict[str, Any]:
    """What a network shows of `WORDS`, layer by layer.

    Returns
    -------
    dict
        ``sha256``; ``accuracy`` of the probe on words of other sentences, per layer; ``words``: per word and layer its nearest
        ``neighbours`` (words before, word, words after), and ``tag`` and ``p``, the probe's answer and its probability.

    Notes
    -----
    Cosines are of vectors less the layer's mean: without it all words of upper layers are near one another.
    """
    subject = models.load(name, settings)
    forms = {text.split()[at].lower() for text, at, _ in WORDS}
    draw = np.random.default_rng(settings.seed)
    whole = [tree for tree in trees if tree.split != "test" and len(tree.words) <= LONGEST]
    whole = [whole[k] for k in draw.permutation(len(whole))]
    with_forms = [tree for tree in whole if forms.intersection(map(str.lower, tree.words))]
    short = list({tree.id: tree for tree in (*with_forms, *whole[:SENTENCES])}.values())
    places = [(s, w) for s, tree in enumerate(short) for w in range(len(tree.words))]
    order = draw.permutation(len(places))
    pool = [(s, w) for s, w in places if short[s].upos[w] in CONTENT]
    held = set(draw.permutation(len(short))[: len(short) // 4].tolist())  # sentences the probe is tested on
    learnt = [places[k] for k in order if places[k][0] not in held][:TRAINED]
    tested = [places[k] for k in order if places[k][0] in held][:TESTED]
    vectors = _vectors(subject, short, [*pool, *learnt, *tested], settings)
    asked = _vectors(
        subject, [text.split() for text, _, _ in WORDS], [(i, at) for i, (_, at, _) in enumerate(WORDS)], settings
    )
    near, train, test = np.split(vectors, [len(pool), len(pool) + len(learnt)], axis=1)
    tags = np.array([short[s].upos[w] for s, w in learnt])
    gold = np.array([short[s].upos[w] for s, w in tested])
    probes = linear.fit_each(train.astype(np.float32), tags)
    words: list[list[dict[str, Any]]] = [[] for _ in WORDS]
    accuracy = []
    for layer, probe in enumerate(probes):
        mean = near[layer].astype(np.float32).mean(0)
        close = cosines(asked[layer].astype(np.float32) - mean, near[layer].astype(np.float32) - mean)  # (words, pool)
        said = np.exp(probe.log_probs(asked[layer].astype(np.float32)))
        accuracy.append(round(float((probe.predict(test[layer].astype(np.float32)) == gold).mean()), 3))
        for k in range(len(WORDS)):
            best = np.argsort(-close[k], kind="stable")[:NEIGHBOURS]
            words[k].append(
                {
                    "neighbours": [_within(short[s].words, w) for s, w in (pool[i] for i in best)],
                    "tag": str(probe.classes[said[k].argmax()]),
                    "p": round(float(said[k].max()), 2),
                }
            )
    return {"sha256": subject.sha256, "accuracy": accuracy, "words": words}


def _vectors(subject, sentences, places: Sequence[tuple[int, int]], settings: Settings) -> np.ndarray:
    """Vectors (layers, N, H) of words at (sentence, word), in half precision: a pool of them is large."""
    rows: dict[int, list[tuple[int, int]]] = {}
    for n, (s, w) in enumerate(places):
        rows.setdefault(s, []).append((n, w))
    known = sorted(rows)
    out = None
    for i, states in hidden_states(
        subject, [getattr(sentences[s], "words", sentences[s]) for s in known], settings=settings
    ):
        if out is None:
            out = np.empty((len(states), len(places), states.shape[-1]), np.float16)
        for n, w in rows[known[i]]:
            out[:, n] = states[:, w]
    assert out is not None
    return out


def _within(words: Sequence[str], at: int) -> list[str]:
    return [" ".join(words[max(0, at - AROUND) : at]), words[at], " ".join(words[at + 1 : at + 1 + AROUND])]


def store() -> Path:
    """Make the stored neighbours again; errors as of `models.load` and of the data, where either is not here."""
    settings = Settings.of()
    trees = load_data("treebank", TREES, settings=settings)["treebank"]
    words = [{"words": text.split(), "at": at, "tag": tag} for text, at, tag in WORDS]
    networks = {name: look(name, trees, settings) for name in NETWORKS}
    return put(STORED, json.dumps({"words": words, "networks": networks}, ensure_ascii=False) + "\n")


def page() -> str:
    """The page's controls, what is stored, and the table of the first word."""
    stored = json.loads(STORED.read_text("utf-8"))
    return rendered("layers.html", stored, stored=stored, first=NETWORKS[0])
