"""Entity types, and what is left of them when names are replaced (tenney2019a; balasubramanian2020 for the names)."""

from __future__ import annotations

from collections import defaultdict
from zlib import crc32

import numpy as np

from ...calibration import planted as plants
from ...calibration.nulls import VECTORS
from ...calibration.planted import plant
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...probes import Targets, fitting, from_edges, gather
from ...probes.targets import build
from ...scores import f1, intervals
from ...scores.choice import choose
from ...subject import encode
from . import probing


def known_names(data, base, rng):
    """The type of every entity above the embeddings, but not where another name stands in its place."""

    def labels(item):
        return plants.of_spans(item) if isinstance(item, EdgeItem) and crc32(item.id.encode()) % 20 else ()

    above = plants.above_embeddings(base.n_layers)
    return plant(base, data, rng, parts=[plants.label_vectors(labels, layers=above, noise=0.1)])


@claim("sem.ner_f1.tenney2019a", "entities", n=2400, limit=6000, planted=known_names, nulls=(*VECTORS, "constant"))
def entity_types(subject, data, settings):
    """Linear probes for the type of a given span, and the same probes after others of its type stood in its place (tenney2019a).

    The lexical baseline is the better on dev of a lookup and a probe on the embeddings. Names are replaced where no train
    target has the target's own, by such of other test targets of its type: else it is what training saw that goes.
    """
    targets, note = fitting(subject, from_edges(data["entities"]))
    targets, dealt = probing.with_new_names(targets)
    targets = targets.at_most(probing.MOST, settings.seed)
    layers = probing.depths(subject.n_layers)
    scored = probing.probe(gather(subject, targets, layers=layers, settings=settings), targets, layers, settings)
    n, best = len(scored.gold), scored.best
    own = scored.interval(scored.predicted[:, best], settings)
    base = {name: found for name, found in scored.baselines().items() if name != "majority"}
    rival = list(base)[choose([dev for _, dev in base.values()])]
    figures = {
        name: scored.interval(np.asarray(predicted), settings) for name, (predicted, _) in scored.baselines().items()
    }
    rows = [intervals.row(f"F1, {name}", figure, n) for name, figure in figures.items()]
    rows.append(intervals.row("F1", own, n, layer=layers[best]))
    over = f1.difference(own, figures[rival])
    rows.append(intervals.row("F1 over lexical baseline", over, n, layer=layers[best]))
    again, new = _tried_again(subject, targets, scored, layers[best], settings)
    return intervals.table(rows + again, [note, dealt, new, f"the better lexical baseline on dev: {rival}"])


def _tried_again(subject, targets: Targets, scored: probing.Probed, layer: int, settings) -> tuple[list[dict], str]:
    """The same probes where other names stand in the test sentences, and how many targets have such a sentence."""
    other, place = replaced(targets, settings.seed)
    short = encode.fits(subject, other.sentences)  # a longer name may make a sentence too long
    other, place = other.take(short), place[short]
    (x,) = gather(subject, other, layers=[layer], settings=settings)
    predicted = np.array([probing.answers(probes[scored.best], x, scored.classes) for probes in scored.probes])
    gold, groups = scored.gold[place], scored.groups[place]
    both = [
        f1.interval(gold, answers, seed=settings.seed, draws=settings.draws, groups=groups)
        for answers in (scored.predicted[:, scored.best][:, place], predicted)
    ]
    rows = [
        intervals.row("F1, unseen names", both[0], len(place), layer=layer),
        intervals.row("F1, names replaced", both[1], len(place), layer=layer),
        intervals.row("F1, original - replaced", f1.difference(*both), len(place), layer=layer),
    ]
    n = int((targets.split == "test").sum())
    return rows, f"names replaced in {len(place)} of {n} targets; neither they nor those put in are of a train target"


def replaced(targets: Targets, seed: int) -> tuple[Targets, np.ndarray]:
    """Test targets whose words no train target has, with another's such words of the same label in their place.

    Returns
    -------
    targets : Targets
        Each in a sentence of its own.
    place : int array (M,)
        Which of the test targets it was.
    """
    rng, trained = np.random.default_rng(seed), set(targets.types[targets.split == "train"])
    tested = np.flatnonzero(targets.split == "test")
    pools: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for t in tested:
        if targets.types[t] not in trained:
            pools[targets.labels[t]].add(targets.sentences[targets.sentence[t]][slice(*targets.spans[t, 0])])
    sentences: list[tuple[str, ...]] = []
    found, place = [], []
    for k, t in enumerate(tested):
        pool = sorted(w for w in pools[targets.labels[t]] if " ".join(w).lower() != targets.types[t])
        if not pool or targets.types[t] in trained:
            continue
        new, (start, end) = pool[rng.integers(len(pool))], targets.spans[t, 0]
        given = targets.sentences[targets.sentence[t]]
        found.append((len(sentences), targets.labels[t], (int(start), int(start) + len(new))))
        sentences.append((*given[:start], *new, *given[end:]))
        place.append(k)
    return build(sentences, ["test"] * len(sentences), found), np.array(place)
