"""Where chunks live: three studies' measures on the same words (liu2019a, tenney2019a, jawahar2019)."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Data, ItemError, Sentence
from ...probes import Targets, fitting, from_sentences
from ...scores import intervals
from ...scores.profiles import UNDEFINED, best_in, curve_rows, middle_rows, over_fits, zones
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from . import plants, tasks
from .fits import SHARED, fit_layers, measured
from .mixing import depth_rows, mixed, task_rows

WORDS = 2000  # training words per fit of a mixture, and of the probe with a hidden layer
SPANS = 8000  # chunks that are clustered
PARTS = 16  # that they are clustered in, each by itself: k-means ends elsewhere on other spans
LEAST = 10 * PARTS  # chunks of a kind, or the kind is left out


@claim(
    "lay.chunks_conflict.liu2019a",
    ("treebank", "chunks"),
    n=1600,
    limit=8000,
    planted=plants.three_answers,
    nulls=(*VECTORS, "constant"),
)
def chunks_conflict(subject, data, settings):
    """Chunks by the measures of three studies: a probe per layer, what each layer adds, and clusters of spans.

    The probe per layer (liu2019a) also has a form with one hidden layer, and tells parts of speech beside chunks.
    Cumulative scoring (tenney2019a) says how much of what the layers add to the embeddings the lowest third adds.
    Clusters of the chunks' vectors (jawahar2019) are compared with the kinds of chunk by normalised mutual information;
    sources without kinds of chunk have none.
    """
    found = tasks.available(data, only=("POS", "chunks"))
    rows, notes = [], [tasks.note(data, found), SHARED]
    for task, (scores, said) in measured(subject, found, settings, fit_layers).items():
        profile, keys = scores.profile(settings), {"task": task, "probe": "linear"}
        rows += curve_rows(profile, **keys) + scores.control_rows(settings, **keys)
        rows += middle_rows(profile, scores.dev, scores.baselines(settings), **keys)
        notes.append(said)
    only = {"chunks": found["chunks"]}
    for scores, _ in measured(subject, only, settings, with_hidden_layer, most=WORDS).values():
        profile, keys = scores.profile(settings), {"task": "chunks", "probe": "one hidden layer"}
        rows += curve_rows(profile, **keys) + middle_rows(profile, scores.dev, scores.baselines(settings), **keys)
    for mixture, _ in measured(subject, only, settings, mixed, most=WORDS).values():
        rows += task_rows("chunks", mixture, settings) + depth_rows("chunks", mixture, settings)
    try:
        spans = chunk_spans(data)
    except ItemError as error:
        if data.items.get("chunks"):  # with kinds, but too few of them
            rows.append(intervals.row("low - middle", UNDEFINED, 0, task="chunks", probe="clusters"))
        return intervals.table(rows, [*notes, f"no clusters of spans: {error}"])
    return intervals.table([*rows, *cluster_rows(subject, spans, settings)], notes)


def with_hidden_layer(x: np.ndarray, targets: Targets, settings: Settings):
    """`fit_layers` with a probe of one hidden layer, for `fits.measured`."""
    return fit_layers(x, targets, settings, hidden=True)


def chunk_spans(data: Data) -> Targets:
    """Chunks as spans labelled with their kind (NP, VP, ...), from sentences annotated with them.

    Raises
    ------
    ItemError
        If there is none, or fewer than two kinds have `LEAST` chunks.
    """

    def spans(s: Sentence) -> list[tuple]:
        starts = [i for i, tag in enumerate(s.chunks) if tag.startswith("B-")]
        ends = [next((j for j in range(i + 1, len(s.chunks)) if not s.chunks[j].startswith("I-")), len(s.chunks))
                for i in starts]  # fmt: skip
        return [(s.chunks[a][2:], (a, b)) for a, b in zip(starts, ends)]

    sentences = [s for task in ("treebank", "chunks") for s in data.items.get(task, []) if s.chunks]
    drawn = np.random.default_rng(0).permutation(len(sentences))
    targets = from_sentences([sentences[k] for k in drawn], spans)
    targets = targets.take(np.arange(len(targets)) < SPANS)
    kinds, counts = np.unique(targets.labels, return_counts=True)
    if (counts >= LEAST).sum() < 2:
        raise ItemError(f"kinds of chunk are {dict(zip(kinds, counts))}: fewer than two have {LEAST}")
    return targets.take(np.isin(targets.labels, kinds[counts >= LEAST]))


def span_vectors(subject: Subject, targets: Targets, settings: Settings) -> np.ndarray:
    """First and last word's vector, their product and their difference (jawahar2019): float32 (L + 1, N, 4 H)."""
    used = np.unique(targets.sentence)
    out = np.empty((subject.n_layers + 1, len(targets), 4 * subject.hidden_size), np.float32)
    for k, states in encode.hidden_states(subject, [targets.sentences[i] for i in used], settings=settings):
        for n in np.flatnonzero(targets.sentence == used[k]):
            (a, b), = targets.spans[n]  # fmt: skip
            first, last = states[:, a], states[:, b - 1]
            out[:, n] = np.concatenate([first, last, first * last, first - last], -1)
    return out


def cluster_rows(subject: Subject, targets: Targets, settings: Settings) -> list[dict]:
    """Normalised mutual information of k-means clusters and kinds of chunk by layer; `low - middle`.

    As many clusters as kinds, found in each of `PARTS` parts of the sentences. Every other part chooses the layer of each
    zone, the rest are scored: an interval has what other sentences and other clusters would change.
    """
    targets, _ = fitting(subject, targets)
    x, kinds = span_vectors(subject, targets, settings), len(set(targets.labels))
    part = np.unique(targets.sentence, return_inverse=True)[1] % PARTS

    def scores(of: np.ndarray) -> list[float]:
        found = (KMeans(kinds, n_init=4, random_state=settings.seed).fit_predict(layer[of]) for layer in x)
        return [normalized_mutual_info_score(targets.labels[of], clusters) for clusters in found]

    every = np.array([scores(part == k) for k in range(PARTS)])  # (parts, L + 1)
    dev, test, of = every[::2].mean(0), every[1::2], zones(len(x) - 1)
    low, middle = (best_in(dev, of[z]) for z in ("low", "middle"))
    keys, n = {"task": "chunks", "probe": "clusters"}, int((part % 2 == 1).sum())
    rows = [
        intervals.row("mutual information", over_fits(v, settings), n, **keys, layer=k) for k, v in enumerate(test.T)
    ]
    gap = over_fits(test[:, low] - test[:, middle], settings)
    return [*rows, intervals.row("low - middle", gap, n, **keys, layer=low)]
