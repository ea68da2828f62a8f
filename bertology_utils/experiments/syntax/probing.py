"""What a linear probe reads off the vectors: words, relations, ancestors, whole sentences, two formalisms."""

from __future__ import annotations

import numpy as np

from ... import probes
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import Means, from_sentences
from ...scores import intervals
from ...settings import Settings
from ...subject.models import Subject

MOST = 3000  # targets a split: time and memory are bounded


def stranger(subject: Subject, settings: Settings) -> Subject:
    """An untrained network of the subject's shape that is not its twin, so that the twin too has one to beat."""
    return subject.twin(settings.seed + 1)


def few(items: list, a_test: int) -> list:
    """The items with at most `a_test` of the train split for each of the test split: more cost time and show no more."""
    left = iter(range(a_test * sum(i.split == "test" for i in items)))
    return [i for i in items if i.split != "train" or next(left, None) is not None]


def punctuation(item: Sentence) -> list[bool]:
    """Which words are punctuation marks."""
    return [not any(c.isalnum() for c in w) for w in item.words]


def words_with(layer: str):
    """Finder of every word with its tag in a layer of the sentence (upos, xpos, chunks)."""
    return lambda item: [(tag, i) for i, tag in enumerate(getattr(item, layer))]


def arcs(item: Sentence) -> list[tuple]:
    """Every dependency arc with its label; subtypes (nsubj:pass) are cut off."""
    return [(r.split(":")[0], i, h) for i, (r, h) in enumerate(zip(item.deprels, item.heads)) if h >= 0]


@claim(
    "syn.pos_chunks_deps.tenney2019b",
    tasks=("treebank", "chunks"),
    n=300,
    limit=220,
    # a point of accuracy is the least gain worth the name
)
def pos_chunks_deps(subject, data, settings):
    """Linear probes for parts of speech, chunk tags and dependency relations, layer by layer (tenney2019b, liu2019a).

    A relation is told from the vectors of dependant and head and their product. Control labels are drawn by word type
    (hewitt2019control). The layer above the embeddings is chosen on dev; the untrained network answers with that layer
    or its embeddings, whichever is better on dev.
    """
    treebank, chunked = data.items.get("treebank", []), data.items.get("chunks", [])
    chunked = treebank if any(s.chunks for s in treebank) else chunked
    found = {
        "parts of speech": (treebank, words_with("upos" if any(s.upos for s in treebank) else "xpos")),
        "chunks": (chunked, words_with("chunks")),
        "relations": (treebank if any(s.deprels for s in treebank) else [], arcs),
    }
    untrained, frames = stranger(subject, settings), []
    by_source: dict[int, list[str]] = {}
    for task, (items, _) in found.items():
        if items:
            by_source.setdefault(id(items), []).append(task)
    for tasks in by_source.values():
        targets = [from_sentences(few(found[t][0], 4), found[t][1]) for t in tasks]
        targets, notes = zip(*(probes.fitting(subject, t) for t in targets))
        targets = [t.draw(MOST, settings.seed) for t in targets]
        ours, theirs = (probes.gather_all(s, targets, settings=settings) for s in (subject, untrained))
        for task, target, x, y, note in zip(tasks, targets, ours, theirs, notes):
            # a pair of words is hardly met twice: control labels by type make sense for single words only
            scores = probes.score_layers(x, target, settings, control=task != "relations", note=note)
            reference = probes.score_layers(y[[0, scores.best_contextual]], target, settings)
            frames.append(probes.rows(scores, settings, reference=reference, task=task))
    return intervals.combine(*frames)


@claim(
    "syn.hierarchical.lin2019",
    tasks="ambiguity",
    n=600,
    limit=1000,
    # 0.05 above chance and two points above the embeddings are the least that would matter
)
def hierarchical(subject, data, settings):
    """Is the main auxiliary, or the subject's head noun, found where position and structure disagree? (lin2019)

    A linear classifier of words (is this the one?) is trained on sentences in which the first candidate is right, and
    tested on sentences in which it is not: it generalises if the right word scores above the first. The dev split is
    as ambiguous as the train split, so the layer is chosen on every other test sentence and scored on the rest.
    """
    frames = []
    for condition in sorted({i.condition for i in data["ambiguity"]}):
        items = [i for i in data["ambiguity"] if i.condition == condition and i.split != "dev"]
        items = [i for i in items if i.split == "train" or i.linear != i.target]
        found = [
            (n, str(w == i.target), w)
            for n, i in enumerate(items)
            for w in (range(len(i.words)) if i.split == "train" else (i.target, i.linear))
        ]
        targets, note = probes.fitting(
            subject, probes.targets.build([i.words for i in items], [i.split for i in items], found)
        )
        x = probes.gather(subject, targets, settings=settings)
        right = _told_apart(x, targets, settings)
        choose, score = right[:, ::2], right[:, 1::2]
        best = int(choose[1:].mean(1).argmax()) + 1
        mean, n = Means(np.arange(score.shape[1]), seed=settings.seed, draws=settings.draws), score.shape[1]
        rows = [intervals.row("right by layer", mean(s), n, condition=condition, layer=k) for k, s in enumerate(score)]
        rows.append(intervals.row("generalisation", mean(score[best]), n, condition=condition, layer=best))
        gain = mean(score[best] - score[0])
        rows.append(intervals.row("gain over layer 0", gain, n, condition=condition, layer=best))
        frames.append(intervals.table(rows, [note]))
    return intervals.combine(*frames)


def _told_apart(x: np.ndarray, targets, settings: Settings) -> np.ndarray:
    """Does the right word score above the first candidate? (L + 1, test sentences); their targets alternate."""
    train = targets.split == "train"
    fitted = probes.fit_each(x[:, train], targets.labels[train], device=settings.torch_device())
    logits = np.array([p.logits(v).cpu().numpy() for p, v in zip(fitted, x[:, ~train])])  # classes: False, True
    score = (logits[..., 1] - logits[..., 0]).reshape(len(x), -1, 2)
    return (score[..., 0] > score[..., 1]).astype(float)


STEPS = ("parent", "grandparent", "great-grandparent")


def ancestors(item: Sentence) -> list[tuple[int, list[str]]]:
    """Words with three ancestors or more, with the relations of the first three."""
    out = []
    for i in range(len(item.words)):
        line, h = [], item.heads[i]
        while h >= 0 and len(line) < len(STEPS):
            line.append(item.deprels[h].split(":")[0])
            h = item.heads[h]
        if len(line) == len(STEPS):
            out.append((i, line))
    return out


@claim(
    "syn.distant_parents.liu2019a",
    tasks="treebank",
    n=1500,
    limit=600,
    # two points a step at least
)
def distant_parents(subject, data, settings):
    """The relation of a word's parent, grandparent and great-grandparent from the word's own vector (liu2019a).

    All three are asked of the same words (those with three ancestors), so the falls are paired; each has its own layer,
    chosen on dev. `error reduction` is accuracy over majority as a share of what the majority leaves to be gained.
    """
    items = few([i for i in data["treebank"] if i.deprels], 4)
    lines = [ancestors(item) for item in items]
    found = [(n, line[0], i) for n, words in enumerate(lines) for i, line in words]
    targets, note = probes.fitting(
        subject, probes.targets.build([i.words for i in items], [i.split for i in items], found)
    )
    labels = {(n, i): line for n, words in enumerate(lines) for i, line in words}
    targets = targets.draw(MOST, settings.seed)
    x = probes.gather(subject, targets, settings=settings)
    over, rows, mean = [], [], None
    for k, step in enumerate(STEPS):
        task = targets.relabel([labels[n, span[0, 0]][k] for n, span in zip(targets.sentence, targets.spans)])
        scores = probes.score_layers(x, task, settings, note=note)
        mean = mean or Means(scores.groups, seed=settings.seed, draws=settings.draws)
        right, most = scores.right[scores.best], scores.majority
        n, keys = len(right), {"ancestor": step, "layer": scores.best}
        over.append(right.astype(float) - most)
        reduction = mean.draws(over[k]) / np.maximum(1 - mean.draws(most), 1e-9)
        value = over[k].mean() / max(1 - most.mean(), 1e-9)
        rows += [intervals.row("accuracy", mean(right), n, **keys), intervals.row("majority", mean(most), n, **keys)]
        rows += [intervals.row("accuracy over majority", mean(over[k]), n, **keys)]
        rows += [intervals.row("error reduction", intervals.interval(value, reduction), n, **keys)]
        if k:
            fall = mean(over[k - 1] - over[k])
            rows.append(intervals.row("fall of accuracy over majority", fall, n, ancestor=f"{STEPS[k - 1]} to {step}"))
    return intervals.table(rows, [note])
