"""Structure or position: is a word found where the two disagree? (lin2019)"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import probes
from ...calibration import planted as plants
from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Ambiguity
from ...probes import Means, Targets
from ...probes.linear import fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject.models import Subject
from . import planted
from .fitted import FOLDS, PENALTIES, jackknifed, refitted, with_luck


@claim(
    "syn.hierarchical.lin2019",
    "ambiguity",
    n=800,
    limit=1000,
    nulls=(*VECTORS, planted.neighbours),
    planted=planted.targets,
)
def hierarchical(subject, data, settings):
    """Is the main auxiliary, or the subject's head noun, found where position and structure disagree? (lin2019)

    A linear classifier of words (is this the one?) is trained on sentences in which the first candidate is right, and
    tested on sentences in which it is not: it generalises if the right word scores above the first. The dev split is
    as ambiguous as the train split; the penalty is chosen on it, and it shows whether the task was learnt at all. The
    layer is chosen on every other test sentence and scored on the rest.

    No structure is needed for what a coin, the embeddings or the words beside a word tell, up to two on each side: an
    auxiliary after *who* is none of the main clause's. The best of these on the sentences that choose the layer is the
    `best rival`.
    """
    frames = []
    for condition in sorted({i.condition for i in data["ambiguity"]}):
        items = [i for i in data["ambiguity"] if i.condition == condition]
        items = [i for i in items if i.split != "test" or i.linear != i.target]
        frames.append(_one(subject, items, condition, settings))
    return intervals.combine(*frames)


def _one(subject: Subject, items: list[Ambiguity], condition: str, settings: Settings):
    found = [
        (n, str(w == i.target), w)
        for n, i in enumerate(items)
        for w in ((i.target, i.linear) if i.split == "test" else range(len(i.words)))
    ]
    targets, note = probes.fitting(
        subject, probes.targets.build([i.words for i in items], [i.split for i in items], found)
    )
    x = probes.gather(subject, targets, settings=settings)
    right, agree, penalty = _told_apart(x, targets, settings)  # (L + 1, test), (L + 1, dev), (L + 1,)
    score = np.arange(right.shape[1]) % 2 == 1  # every other test sentence; the layer is chosen on the others
    best = choose(right[1:, ~score].mean(1)) + 1
    again = refitted(x[[0, best]], targets, penalty[[0, best]], settings, above)  # (folds, 2, test)
    rivals = {"layer 0": (right[0], again[:, 0]), **_without_structure(targets, score, settings)}
    rival = list(rivals)[choose([values[~score].mean() for values, _ in rivals.values()])]
    figures = {"generalisation": (right[best], again[:, 1]), "right by best rival": rivals[rival]}
    for name, (values, refits) in (("layer 0", rivals["layer 0"]), ("best rival", rivals[rival])):
        figures[f"gain over {name}"] = right[best] - values, again[:, 1] - refits
    rows = _rows({m: (v[score], r[:, score]) for m, (v, r) in figures.items()}, subject, best, condition, settings)
    mean, n = Means(np.arange(score.sum()), seed=settings.seed, draws=settings.draws), int(score.sum())
    rows += [
        intervals.row("right by layer", mean(s), n, condition=condition, layer=k) for k, s in enumerate(right[:, score])
    ]
    learnt = Means(np.arange(agree.shape[1]), seed=settings.seed, draws=settings.draws)(agree[best])
    rows.append(intervals.row("found where the rules agree", learnt, agree.shape[1], condition=condition, layer=best))
    return intervals.table(rows, [note, f"{condition}: the best rival without structure is {rival}"])


def _rows(figures: dict[str, tuple], subject: Subject, layer: int, condition: str, settings: Settings) -> list[dict]:
    """Rows of item values (N,) with the values of the refits (folds, N), by measure; gains may be negative."""
    rows = intervals.Rows(settings)
    for measure, (values, refits) in figures.items():
        mean = Means(np.arange(len(values)), seed=settings.seed, draws=settings.draws)
        key = f"{subject.name} {measure} {condition}"
        found = mean(values, signed=measure.startswith("gain"))
        figure = with_luck(found, jackknifed(refits.mean(1)), key, settings)
        rows.add(measure, figure, len(values), condition=condition, layer=layer)
    return rows


def _without_structure(targets: Targets, score: np.ndarray, settings: Settings) -> dict[str, tuple]:
    """What a coin says of test sentences, and what a word and those beside it do: values (N,) and refits (folds, N)."""
    name, right, near, penalty = by_window(targets, score, settings)
    again = refitted(near[None], targets, penalty[None], settings, above)[:, 0]
    coin = np.full(len(score), 0.5)
    return {"a coin": (coin, np.tile(coin, (FOLDS, 1))), name: (right, again)}


WINDOWS = (
    ("and the one before", (-1, 0)),
    ("and the one after", (0, 1)),
    ("and both beside", (-1, 0, 1)),
    ("and two on each side", (-2, -1, 0, 1, 2)),
)
CODE = 64  # dimensions of a word's code


def by_window(targets: Targets, score: np.ndarray, settings: Settings) -> tuple[str, np.ndarray, np.ndarray, Any]:
    """What a word and those beside it tell, by the window that is best on the test sentences that are not scored.

    Returns
    -------
    name : str
    right : float array (test sentences,)
        Whether the right word scores above the first candidate.
    near : float array (N, F)
        The codes of the window, as `beside` makes them.
    penalty : float
        The l2 that was chosen on dev.
    """
    near = beside(targets)
    right, _, penalty = _told_apart(near, targets, settings)
    best = choose(right[:, ~score].mean(1))
    return f"the word {WINDOWS[best][0]}", right[best], near[best], penalty[best]


def beside(targets: Targets) -> np.ndarray:
    """Codes of each target's word and of words beside it, nothing of places or of the rest: (`WINDOWS`, N, 5 CODE)."""
    codes: dict[str, np.ndarray] = {}
    out = np.zeros((len(WINDOWS), len(targets), 2 * planted.REACH + 1, CODE), np.float32)
    for n, (sentence, span) in enumerate(zip(targets.sentence, targets.spans)):
        words, at = targets.sentences[sentence], int(span[0, 0])
        for w, (_, window) in enumerate(WINDOWS):
            for step in window:
                if 0 <= at + step < len(words):
                    word = words[at + step].lower()
                    if word not in codes:
                        codes[word] = CODE**0.5 * plants.code(word, CODE)
                    out[w, n, step + planted.REACH] = codes[word]
    return out.reshape(len(WINDOWS), len(targets), -1)


def _told_apart(x: np.ndarray, targets: Targets, settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Does the right word score highest? On test against the first candidate alone, on dev against all words.

    Returns
    -------
    right, agree, penalty : float arrays (L + 1, test sentences), (L + 1, dev sentences), (L + 1,)
    """
    train, dev, test = (targets.split == s for s in ("train", "dev", "test"))
    device, layers = settings.torch_device(), np.arange(len(x))
    grid = fit_grid(x[:, train], targets.labels[train], PENALTIES, device=device)
    gold = targets.labels[dev] == "True"
    chance = np.array([[p.log_probs(v)[:, 1] for p, v in zip(probes_, x[:, dev])] for probes_ in grid])
    # log-likelihood tells penalties apart where accuracy, of one word in ten, would not
    fit = np.where(gold, chance, np.log1p(-np.exp(np.minimum(chance, -1e-9)))).mean(-1)  # (P, L + 1)
    which = np.array([choose(layer) for layer in fit.T])
    best = [grid[w][layer] for w, layer in zip(which, layers)]
    sentence = targets.sentence[dev]
    found = np.array([_highest(chance[w, layer], gold, sentence) for w, layer in zip(which, layers)])
    return np.array([above(p, v) for p, v in zip(best, x[:, test])]), found, np.array(PENALTIES)[which]


def above(probe, x: np.ndarray) -> np.ndarray:
    """Whether the first of each two rows scores above the second."""
    odds = np.diff(probe.logits(x).cpu().numpy(), axis=1)[:, 0]  # classes: False, True
    first, second = odds.reshape(-1, 2).T
    return (first > second).astype(float)


def _highest(score: np.ndarray, gold: np.ndarray, sentence: np.ndarray) -> np.ndarray:
    """For each sentence, whether its gold word scores highest."""
    return np.array([gold[of][score[of].argmax()] for of in (sentence == s for s in np.unique(sentence))], float)
