"""The last layers and the pretraining task (liu2019a)."""

from __future__ import annotations

import numpy as np

from ...claims.registry import claim
from ...probes import mlm_heads
from ...scores import intervals
from ...scores.profiles import Profile, best_in, curve_rows, lead_rows, zones
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from . import plants
from .fits import SHARED
from .transfer import task_scores

ALIKE = ("POS", "chunks", "dependencies", "entities")  # tasks of the mean probe
SENTENCES = 1600  # of running text, at most
MASKS, HEAD_FITS = 1000, 4  # masked pieces that the heads of a fit rest on, fits


@claim(
    "lay.task_specific.liu2019a",
    ("sentences", "treebank"),
    n=1600,
    limit=1600,
    planted=plants.words_at_the_top,
    nulls=("untrained", "layer 0", "frequency", "positions"),
)
def task_specific(subject, data, settings):
    """Masked words told through a fitted head on every layer, against the mean of up to four probes (liu2019a).

    A masked word counts as right if its piece is the likeliest of the whole vocabulary. `high - rest` sets the last
    layers (above `profiles.MIDDLE`) against those below them, `rest - high` the other way round.
    """
    right, dev, groups, usual = masked_words(subject, data, settings)
    words, keys = Profile.of(right, groups, settings), {"task": "masked words"}
    high = zones(words.depth)["high"]
    below = list(range(high[0]))
    rows = curve_rows(words, **keys) + lead_rows(words, dev, {"high - rest": (high, below)}, **keys)
    most, best = Profile.of(usual[None], groups, settings), rows[-1]["layer"]
    rows.append(intervals.row("high - majority", words.over(best, most), words.n, **keys, layer=best))
    rows.append(intervals.row("majority", most.scores()[0], words.n, **keys))
    found = task_scores(subject, data, settings, only=ALIKE)
    profiles = {task: s.profile(settings) for task, (s, _) in found.items()}
    for task, profile in profiles.items():
        rows += curve_rows(profile, task=task) + found[task][0].control_rows(settings, task=task)
    mean, keys = Profile.mean(list(profiles.values())), {"task": "mean of probes"}
    dev = np.mean([s.dev for s, _ in found.values()], 0)
    rows += curve_rows(mean, **keys) + lead_rows(mean, dev, {"rest - high": (below, high)}, **keys)
    best = best_in(dev, below)
    word = Profile.mean([s.baselines(settings)["word alone"] for s, _ in found.values()])
    rows.append(intervals.row("rest - word alone", mean.over(best, word), mean.n, **keys, layer=best))
    return intervals.table(rows, [f"the mean of probes is over {', '.join(found)}", SHARED])


def masked_words(subject: Subject, data, settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whether the masked piece is the likeliest.

    Returns
    -------
    right : bool array (R, L + 1, N)
        Through the heads of R fits on half the sentences, at the masks of a quarter of them.
    dev : float array (L + 1,)
        The share in the last quarter.
    groups : array (N,)
        The sentence.
    usual : bool array (N,)
        Whether the commonest of these pieces would have been right: the best constant answer that there is.
    """
    every = list(dict.fromkeys(s.words for s in data["sentences"]))
    text = [every[k] for k in np.sort(np.random.default_rng(0).permutation(len(every))[:SENTENCES])]
    text = fitting_text(subject, text)
    heads = fitted_heads(subject, [s for n, s in enumerate(text) if n % 4 > 1], settings)
    right, groups, answers = [], [], []
    for part in (0, 1):  # dev, test
        rows, positions, pieces = mlm_heads.mask_rows(subject, text[part::4], seed=settings.seed + 1)
        states = mlm_heads.states_at(subject, rows, positions, settings)
        flat = np.array([p for row in pieces for p in row])
        right.append(np.array([[head.top(state) == flat for head, state in zip(of, states)] for of in heads]))
        answers.append(flat)
        groups.append(np.repeat(np.arange(len(rows)), [len(p) for p in positions]))
    usual = answers[1] == np.bincount(answers[1]).argmax()
    return right[1], right[0].mean((0, 2)), groups[1], usual


def fitted_heads(subject: Subject, sentences: list, settings: Settings) -> list[list[mlm_heads.LayerHead]]:
    """Masked-LM heads for each layer, fitted on running text: a list per fit, each on other sentences."""
    rows, positions, pieces = mlm_heads.mask_rows(subject, sentences, seed=settings.seed)
    out = []
    for k in range(HEAD_FITS):
        part = range(k, len(rows), HEAD_FITS)
        used = part[: int(np.searchsorted(np.cumsum([len(pieces[i]) for i in part]), MASKS)) + 1]
        states = mlm_heads.states_at(subject, [rows[i] for i in used], [positions[i] for i in used], settings)
        out.append(mlm_heads.fit_heads(subject, states, [p for i in used for p in pieces[i]], settings))
    return out


def fitting_text(subject: Subject, sentences: list) -> list:
    """The sentences that the model takes whole."""
    fit = encode.fits(subject, sentences)
    return [s for s, ok in zip(sentences, fit) if ok]
