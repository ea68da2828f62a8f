"""Where trees, agreement and the pretraining task are best read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ...calibration import planted as plants
from ...claims.registry import claim
from ...data.items import MASK
from ...probes import fit_structural_each, mlm_heads, spanning_tree, uuas
from ...probes.structural import distances, without
from ...scores import intervals
from ...scores.profiles import Profile, peak_rows
from ...settings import Settings
from ...subject import cloze, encode
from ...subject.models import Subject
from . import tasks
from .transfer import task_scores

MASKS = 1000  # masked pieces that the heads are fitted on
ALIKE = ("POS", "chunks", "dependencies", "entities")  # tasks of the mean probe


def trees_in_the_middle(data, base, rng):
    """Static word vectors, and trees as distances whose strength is a bell around the middle layer, with noise."""
    trees = plants.tree_vectors(layers=plants.bump(base.n_layers, peak=0.5, width=0.2), noise=0.3)
    return plants.plant(base, data, rng, parts=[plants.word_vectors(), trees])


@claim(
    "lay.tree_depth.hewitt2019",
    tasks="treebank",
    n=800,
    limit=150,
    # one point of UUAS is the least lead worth the name
    planted=trees_in_the_middle,
    nulls=("untrained", "layer 0", "positions"),
)
def tree_depth(subject, data, settings):
    """UUAS of a structural distance probe on every layer; punctuation left out (hewitt2019).

    The inner layer is the best on dev; its leads over both ends are scored on test.
    """
    items = [s for s in data["treebank"] if 3 < len(s.words) <= 40]
    items = [*[s for s in items if s.split == "train"][:150], *[s for s in items if s.split != "train"]]
    fit = encode.fits(subject, [s.words for s in items])
    items = [s for s, ok in zip(items, fit) if ok]
    cut = [without(s.heads, [not any(c.isalnum() for c in w) for w in s.words]) for s in items]
    vectors = dict(encode.hidden_states(subject, [s.words for s in items], settings=settings))
    split = np.array([s.split for s in items])
    scores = np.full((subject.n_layers + 1, len(items)), np.nan)
    at = [vectors[n][:, cut[n][0]] for n in range(len(items))]  # (L + 1, W, H) each
    train = np.flatnonzero(split == "train")
    probes = fit_structural_each(
        [at[n] for n in train],
        [cut[n][1] for n in train],
        rank=min(64, subject.hidden_size),
        seed=settings.seed,
        device=settings.torch_device(),
    )
    for n in np.flatnonzero(split != "train"):
        for layer, probe in enumerate(probes if len(cut[n][1]) > 1 else ()):
            scores[layer, n] = uuas(spanning_tree(distances(probe, at[n][layer])), cut[n][1])
    scored = ~np.isnan(scores[0])
    test, dev = scores[:, scored & (split == "test")], scores[:, scored & (split == "dev")]
    rows = peak_rows(Profile.of(test, np.arange(test.shape[1]), settings), dev.mean(1), measure="UUAS")
    chain = [_in_chain(cut[n][1]) for n in np.flatnonzero((split == "test") & scored)]
    rows.append(
        intervals.row("UUAS, neighbours joined", intervals.mean_interval(chain, seed=settings.seed), len(chain))
    )
    note = f"{(~fit).sum()} of {len(fit)} sentences are too long for {subject.name}" if not fit.all() else ""
    return intervals.table(rows, [note])


def _in_chain(heads: Sequence[int]) -> float:
    """Share of a tree's edges that join neighbours: what a probe gets that knows the order alone."""
    edges = [abs(w - h) == 1 for w, h in enumerate(heads) if h >= 0]
    return float(np.mean(edges))


def heads_for(subject: Subject, sentences: list, settings: Settings) -> list[mlm_heads.LayerHead]:
    """A masked-LM head a layer, fitted on some running text."""
    rows, positions, pieces = mlm_heads.mask_rows(subject, sentences, seed=settings.seed)
    ends = np.cumsum([len(p) for p in positions])
    used = int(np.searchsorted(ends, MASKS)) + 1
    states = mlm_heads.states_at(subject, rows[:used], positions[:used], settings)
    return mlm_heads.fit_heads(subject, states, [p for row in pieces[:used] for p in row], settings)


def _fitting_text(subject: Subject, sentences: list) -> list:
    fit = encode.fits(subject, sentences)
    return [s for s, ok in zip(sentences, fit) if ok]


@claim(
    "lay.agreement.goldberg2019",
    tasks=("agreement", "sentences"),
    n=1000,
    limit=1500,
)
def agreement(subject, data, settings):
    """P(right verb form) > P(wrong form) through a fitted masked-LM head on every layer (goldberg2019).

    Each layer gets a linear map in front of the model's own head, fitted on running text; where a source has none, on
    a third of its sentences (right form filled in, random words masked), and the rest is scored. Every other scored
    item is dev, by which the inner layer is chosen. Chance is one half: two forms, one of them right.
    """
    items, note = cloze.single_piece(subject, data["agreement"])
    text, said = [s.words for s in data.items.get("sentences", [])], ""
    if not text:
        text = [tuple(i.text.replace(MASK, i.good).split()) for i in items[::3]]
        items = [i for n, i in enumerate(items) if n % 3]
        said = f"heads fitted on {len(text)} of the sentences, the other {len(items)} scored"
    heads = heads_for(subject, _fitting_text(subject, text), settings)
    rows, at = zip(*(cloze.gap_row(subject, i.text) for i in items))
    states = mlm_heads.states_at(subject, rows, [[a] for a in at], settings)
    fillers = np.array([[cloze.filler_id(subject, w) for w in (i.good, i.bad)] for i in items])
    ids, place = np.unique(fillers, return_inverse=True)
    place, each = place.reshape(fillers.shape), np.arange(len(items))
    logs = [head.log_probs(state, ids) for head, state in zip(heads, states)]
    right = np.array([log[each, place[:, 0]] > log[each, place[:, 1]] for log in logs])  # (L + 1, n)
    test = right[:, 1::2]
    found = peak_rows(Profile.of(test, np.arange(test.shape[1]), settings), right[:, ::2].mean(1))
    with torch.inference_mode():
        last = subject.predict(torch.as_tensor(states[-1, 1::2], device=subject.device))[:, ids].float().cpu().numpy()
    good, bad = (last[np.arange(len(last)), column] for column in place[1::2].T)
    own = intervals.mean_interval(good > bad, seed=settings.seed, draws=settings.draws)
    return intervals.table([*found, intervals.row("accuracy, the model's own head", own, test.shape[1])], [note, said])


@claim(
    "lay.task_specific.liu2019a",
    tasks=("sentences", "treebank"),
    n=800,
)
def task_specific(subject, data, settings):
    """Masked words told through a fitted head on every layer, against the mean of four probes (liu2019a).

    A masked word counts as right if its piece is the likeliest of the whole vocabulary.
    """
    text = _fitting_text(subject, list(dict.fromkeys(s.words for s in data["sentences"])))
    heads = heads_for(subject, [s for n, s in enumerate(text) if n % 4 > 1], settings)
    right, groups, answers = [], [], []
    for part in (0, 1):  # dev, test
        rows, positions, pieces = mlm_heads.mask_rows(subject, text[part::4], seed=settings.seed + 1)
        states = mlm_heads.states_at(subject, rows, positions, settings)
        flat = np.array([p for row in pieces for p in row])
        right.append(np.array([head.top(state) == flat for head, state in zip(heads, states)]))
        answers.append(flat)
        groups.append(np.repeat(np.arange(len(rows)), [len(p) for p in positions]))
    words = Profile.of(right[1], groups[1], settings)
    out = peak_rows(words, right[0].mean(1), task="masked words")
    inner = out[-1]["layer"]
    lead = words.lead(words.depth, inner)
    out.append(intervals.row("last layer - inner", lead, words.n, task="masked words", layer=inner))
    usual = answers[1] == np.bincount(answers[0]).argmax()  # the piece most often masked on dev
    out.append(
        intervals.row("majority", intervals.mean_interval(usual, groups=groups[1]), words.n, task="masked words")
    )
    found = task_scores(subject, data, settings, only=ALIKE)
    scores = list(found.values())
    profiles = [Profile.of(s.right, s.groups, settings) for s in scores]
    for (task, s), profile in zip(found.items(), profiles):
        out += [intervals.row("accuracy", x, profile.n, task=task, layer=k) for k, x in enumerate(profile.scores())]
        out += tasks.baseline_rows(s, settings, task=task)
    mean = Profile(
        np.mean([p.value for p in profiles], 0), np.mean([p.draws for p in profiles], 0), sum(p.n for p in profiles)
    )
    out += peak_rows(mean, np.mean([s.dev for s in scores], 0), task="mean of probes")
    return intervals.table(out, [f"the mean of probes is over {', '.join(found)}"])
