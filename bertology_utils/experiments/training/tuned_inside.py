"""What tuning changes inside: attention by layer, [SEP], layers put back, the loss about the optimum, heuristics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...attention import relations
from ...claims.registry import claim
from ...data import load, sha256
from ...finetune import surface
from ...finetune.restoring import attention_change, restored, special_mass, thirds
from ...scores import intervals
from ...scores.choice import choose
from ...scores.intervals import mean_row
from ...subject import encode
from . import tuned_runs as runs
from .tuned_runs import LIMIT, QUICK, SEEDS, N, gain_row, plain

PAIRS = ("entailment", "paraphrase")
WEIGHTS = "change of weights, last third - first third, by the mean"
LOOKED_AT = 100  # texts whose attention is compared
MANY = 8  # seeds of how attention to [SEP] changes, in which tuned copies of a network differ much
RADIUS, DIRECTIONS, SHARP = 0.1, 3, 384  # of the sharpness: filter-normalised, both ways each, training texts
PLANE, ALONG = 32, (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5)  # 0: before tuning, 1: after
ACROSS = (-0.6, -0.3, 0.0, 0.3, 0.6)  # of a random direction as long as the weights
TREES = 300  # generated sentences on which syntactic heads are looked for


def _tuned(subject, of, seeds: int = SEEDS) -> list:
    return [plain(subject, of, seed) for seed in range(seeds)]


def _right(tuned, items, settings) -> np.ndarray:
    return np.array([c.right(items, settings) for c in tuned], float)


@claim("trn.last_layers_change.kovaleva2019", PAIRS, n=N, limit=LIMIT, quick=QUICK)
def last_layers_change(subject, data, settings):
    """Cosine distance of attention maps before and after tuning, the last third of the layers less the first.

    By kovaleva2019, who look at maps. A map moves with all layers below it, so how far the weights of each layer move is
    asked as well: the last third less the first, as a share of the mean over layers.
    """
    of = runs.first(subject, data)
    tuned = _tuned(subject, of)
    some = of.held[:LOOKED_AT]
    change = np.array([attention_change(c.subject, subject, some, settings) for c in tuned])  # (seeds, n, L)
    low, high = thirds(subject.n_layers)
    apart = change[..., list(high)].mean(-1) - change[..., list(low)].mean(-1)
    rows = [
        runs.beats_majority(_right(tuned, of.held, settings), of, settings),
        gain_row("change, last third - first third", apart, settings, task=of.name),
        *(
            mean_row("change, by layer", change[..., k], settings, task=of.name, layer=k)
            for k in range(subject.n_layers)
        ),
    ]
    moved = np.array([_weights_moved(c.subject, subject) for c in tuned])  # (seeds, L)
    uneven = (moved[:, high].mean(1) - moved[:, low].mean(1)) / moved.mean(1)
    share = intervals.mean_interval(uneven, seed=settings.seed, draws=settings.draws, signed=True)
    rows.append(intervals.row(WEIGHTS, share, len(uneven), task=of.name))
    for k in range(subject.n_layers):
        rows.append(mean_row("change of weights, by layer", moved[:, k], settings, task=of.name, layer=k))
    return intervals.table(rows, runs.notes(of))


def _weights_moved(tuned, before) -> np.ndarray:
    """How far each layer's weights have moved, as a share of their norm, (L,)."""
    out = []
    for a, b in zip(tuned.layers, before.layers):
        pairs = [(p.double(), q.double()) for p, q in zip(a.parameters(), b.parameters())]
        apart = sum(float(((p - q) ** 2).sum()) for p, q in pairs)
        out.append((apart / sum(float((q**2).sum()) for _, q in pairs)) ** 0.5)
    return np.array(out)


@claim("trn.tuned_sep.kovaleva2019", PAIRS, n=N, limit=LIMIT, quick=QUICK)
def tuned_sep(subject, data, settings):
    """Attention to [CLS] and [SEP] in the last two layers, and how well heads find dependents, before and after tuning.

    By kovaleva2019. The best head of each relation is chosen on half of some generated trees, before tuning and anew after
    it (a relation may move to another head), and scored on the other half.
    """
    of = runs.first(subject, data)
    tuned = _tuned(subject, of, MANY)
    some = of.held[:LOOKED_AT]
    before = special_mass(subject, some, settings)  # (n, L, 2)
    after = np.array([special_mass(c.subject, some, settings) for c in tuned])  # (seeds, n, L, 2)
    gained = after - before
    rows = [
        runs.beats_majority(_right(tuned, of.held, settings), of, settings),
        gain_row("attention to special tokens, tuned - pretrained", gained[:, :, -2:].sum(-1).mean(-1), settings),
    ]
    for k, token in enumerate(("[CLS]", "[SEP]")):
        for layer in range(subject.n_layers):
            keys: dict[str, Any] = {"token": token, "layer": layer}
            rows.append(mean_row("attention, pretrained", before[None, :, layer, k], settings, **keys))
            rows.append(mean_row("attention, tuned", after[:, :, layer, k], settings, **keys))
    found, note = _syntactic_heads(subject, [c.subject for c in tuned], settings)
    return intervals.table(rows + found, [*runs.notes(of, MANY), note])


def _syntactic_heads(subject, tuned, settings) -> tuple[list[dict], str]:
    """Arcs found by the best head of each relation, chosen anew after tuning, and before it against the best fixed offset."""
    trees = load("treebank", "builtin", n=TREES, seed=settings.seed)["treebank"]
    trees = [s for s, ok in zip(trees, encode.fits(subject, [s.words for s in trees])) if ok]
    arcs = relations.upward(relations.arcs(trees))
    words = [s.words for s in trees]
    before = relations.score(subject, words, arcs, settings=settings)
    after = np.array([relations.score(t, words, arcs, settings=settings) for t in tuned])  # (seeds, arcs, heads)
    offsets, dev = relations.offset_hits(arcs), (arcs.sentence % 2 == 0).to_numpy()
    kept, columns = [], []
    for relation in sorted(set(arcs.relation)):
        of = (arcs.relation == relation).to_numpy()
        if min((of & dev).sum(), (of & ~dev).sum()) < 20:
            continue
        kept.append(arcs.sentence[of & ~dev].to_numpy())
        columns.append([x[of & ~dev, choose(x[of & dev].mean(0))] for x in (before, offsets, *after)])
    groups = np.concatenate(kept)
    one, fixed, *two = (np.concatenate(c).astype(float) for c in zip(*columns))
    options = {"seed": settings.seed, "draws": settings.draws, "groups": groups}
    gain = intervals.seeds_by_items(np.array(two) - one, **options, signed=True)
    rows = [
        intervals.row("best syntactic heads, tuned - pretrained", gain, len(one)),
        mean_row("syntactic heads over offset", one - fixed, settings, groups=groups, signed=True),
    ]
    return (
        rows,
        f"syntactic heads: {len(columns)} relations of {len(trees)} generated trees, SHA-256 {sha256(trees)[:12]}",
    )


@claim("trn.restore_lower.hao2019", PAIRS, n=N, limit=LIMIT, quick=QUICK)
def restore_lower(subject, data, settings):
    """Accuracy lost when the lower, or the upper, third of a tuned model's layers is put back, or all are (hao2019).

    The embeddings count as none of them: they stay tuned.
    """
    of = runs.first(subject, data)
    tuned = _tuned(subject, of)
    whole = _right(tuned, of.held, settings)
    rows = [runs.beats_majority(whole, of, settings), mean_row("accuracy", whole, settings, restored="none")]
    lower, upper = thirds(subject.n_layers)
    for name, layers in (("lower third", lower), ("upper third", upper), ("all layers", range(subject.n_layers))):
        back = [runs.replace(c, subject=restored(c.subject, subject, layers)) for c in tuned]
        scores = _right(back, of.held, settings)
        rows.append(gain_row(f"loss of accuracy, {name} restored", whole - scores, settings))
        rows.append(mean_row("accuracy", scores, settings, restored=name))
    return intervals.table(rows, runs.notes(of))


@claim("trn.wide_optima.hao2019", PAIRS, n=N, limit=LIMIT, quick=QUICK)
def wide_optima(subject, data, settings):
    """Sharpness of the training loss about the tuned model, from the pretrained and from a random start (hao2019).

    The same texts, seeds, directions per seed and radius, filter-normalised: a direction is as long as the weights.
    """
    of = runs.first(subject, data)
    some = of.train[:SHARP]
    starts = {"pretrained": subject, "random": subject.twin(settings.seed + 1)}
    sharp, rows = {}, []
    for name, start in starts.items():
        losses, sharp[name], hits, plane = _landscape(start, of, some, settings, name)
        rows.append(mean_row("training loss", losses, settings, start=name))
        rows.append(gain_row("sharpness", sharp[name], settings, start=name))
        rows += plane
        if name == "pretrained":
            rows.append(runs.beats_majority(hits, of, settings))
    apart = sharp["random"] - sharp["pretrained"]
    rows.append(gain_row("sharpness, random - pretrained", apart, settings))
    return intervals.table(rows, [*runs.notes(of), f"{DIRECTIONS} directions, both ways, at radius {RADIUS}"])


def _landscape(start, of, some, settings, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict]]:
    """Of each seed's model the loss and its sharpness (seeds, texts), right answers (seeds, held); the first's plane.

    One model after the other: those of a random start serve no other claim, and five of BERT-base are 2 GB.
    """
    make, found = (plain if name == "pretrained" else runs.afresh), []
    plane: list[dict] = []
    for seed in range(SEEDS):
        tuned = make(start, of, seed)
        sharp = _rises(tuned, some, seed, settings)
        found.append((surface.losses(tuned, some, settings), sharp, tuned.right(of.held, settings)))
        plane = plane or _plane(tuned, start, of, settings, name)
    losses, sharp, hits = (np.array(x, float) for x in zip(*found))
    return losses, sharp, hits, plane


def _plane(tuned, start, of, settings, name: str) -> list[dict]:
    """The training loss of the first seed's model on a plane through where it began (hao2019), for the picture."""
    begun = runs.learn(start, of, runs.recipe(start, of.train, 0, epochs=0))
    some = of.train[:PLANE]
    found = surface.surface(tuned, begun, some, ALONG, ACROSS, settings=settings)
    return [
        mean_row("training loss on a plane", found[None, i, k], settings, start=name, along=a, across=b)
        for i, a in enumerate(ALONG)
        for k, b in enumerate(ACROSS)
    ]


def _rises(classifier, items, seed: int, settings) -> np.ndarray:
    def loss() -> np.ndarray:
        return surface.losses(classifier, items, settings)

    weights = surface.matrices(classifier)
    return surface.rises(loss, weights, radius=RADIUS, directions=DIRECTIONS, seed=seed)


@claim("trn.heuristics.mccoy2019b", "entailment", n=N, limit=LIMIT, quick=QUICK)
def heuristics(subject, data, settings):
    """Accuracy where word overlap gives the right answer less that where it misleads (mccoy2019b).

    A source without such items lends its training texts; the items are then generated, and the notes say so. Who says
    "entailment" of whatever is new has the same figure, so that it is also asked of generated pairs that bring in other words.
    """
    of, said = runs.task(subject, data, "entailment"), []
    made = load("entailment", "builtin", n=N, seed=settings.seed)["entailment"]
    beyond = of.beyond
    if not beyond:
        beyond = tuple(i for i in made if "contradicts" in i.meta)
        said = [f"heuristics: {len(beyond)} generated items, SHA-256 {sha256(beyond)[:12]}"]
    learnt = {i.id for i in of.train}
    other = [i for i in made if "contradicts" not in i.meta and i.label != "entailment" and i.id not in learnt]
    tuned = _tuned(subject, of)
    known = _right(tuned, of.held, settings)
    scores = _right(tuned, beyond, settings)
    misled = np.array([i.meta["contradicts"] for i in beyond])
    lead = scores[:, _side_by_side(beyond, False)] - scores[:, _side_by_side(beyond, True)]
    rows = [
        mean_row("accuracy, in domain", known, settings, condition="held out"),
        gain_row("accuracy, consistent - contradicting", lead, settings, condition="all"),
    ]
    errors = {"overlap": 1 - scores[:, misled], "other words": 1 - _right(tuned, other, settings)}
    said_of = {k: intervals.seeds_by_items(x, seed=settings.seed, draws=settings.draws) for k, x in errors.items()}
    rows += [intervals.row("entailment said wrongly", said_of[k], x.shape[1], of=k) for k, x in errors.items()]
    more = intervals.unpaired(said_of["overlap"], said_of["other words"])
    rows.append(intervals.row("entailment said wrongly, overlap - other words", more, len(other)))
    for name in sorted({i.condition for i in beyond}):
        for wrong in (False, True):
            those = np.array([i.condition == name for i in beyond]) & (misled == wrong)
            says = f"{name.replace('_', ' ')}, heuristic {'wrong' if wrong else 'right'}"
            rows.append(mean_row("accuracy", scores[:, those], settings, condition=says))
    return intervals.table(rows, [*runs.notes(of), *said])


def _side_by_side(items, misled: bool) -> list[int]:
    """Places of the items that a heuristic gets right, or wrong, by heuristic, as many of the one as of the other."""
    places: list[int] = []
    for name in sorted({i.condition for i in items}):
        both = [
            [k for k, i in enumerate(items) if i.condition == name and i.meta["contradicts"] is w]
            for w in (True, False)
        ]
        places += both[not misled][: min(map(len, both))]
    return places
