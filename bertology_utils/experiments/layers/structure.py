"""Where trees and agreement are best read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import ForcedChoice, Sentence
from ...probes import fit_structural_each, masks, spanning_tree, uuas
from ...probes.linear import fit_each
from ...probes.structural import distances, without
from ...scores import intervals
from ...scores.choices import by_class
from ...scores.profiles import Profile, best_in, curve_rows, layers_at, lead_rows, middle_rows
from ...settings import Settings
from ...subject import cloze, encode
from ...subject.models import Subject
from ..syntax.agreement import frame_of, number, verb
from ..syntax.probing_trees import EPOCHS, RANK
from . import plants

TREES, TREE_FITS = 2000, 4  # training sentences per fit of the structural probe, fits
LONGEST = 40  # words of a sentence for the structural probe
FOLDS, L2 = 4, 0.1  # of the probes of number; a tenth of the penalty moved none of five layers of mpnet by a point
UPPER, TOP = 0.5, 0.85  # "about two thirds up" lies between these depths
BY_CLASS = ("accuracy by gold class", "d'", "share of the rarer choice")


@claim(
    "lay.tree_depth.hewitt2019",
    "treebank",
    n=1600,
    limit=9600,  # probes that learn from 300 sentences miss 6 to 10 edges in a hundred, most of them in the middle
    planted=plants.trees_in_the_middle,
    nulls=(*VECTORS, "constant"),
)
def tree_depth(subject, data, settings):
    """UUAS of a structural distance probe on every layer; punctuation left out (hewitt2019).

    Probes are fitted on four disjoint sets of sentences. `chain` joins neighbours: what a probe gets that knows the
    order of the words alone.
    """
    items, note = fitting_trees(subject, data["treebank"])
    scores, dev, chain = tree_scores(subject, items, settings)
    profile = Profile.of(scores, np.arange(scores.shape[-1]), settings)
    baseline = Profile.of(chain[None], np.arange(len(chain)), settings)
    rows = [*curve_rows(profile, measure="UUAS"), *middle_rows(profile, dev, {"chain": baseline})]
    rows.append(intervals.row("UUAS, neighbours joined", baseline.scores()[0], len(chain)))
    return intervals.table(rows, [note])


def fitting_trees(subject: Subject, items: Sequence[Sentence]) -> tuple[list[Sentence], str]:
    """Sentences of 4 to `LONGEST` words that the model takes whole, so many of train as are used, and a note."""
    items = [s for s in items if 3 < len(s.words) <= LONGEST]
    train = [s for s in items if s.split == "train"][: TREES * TREE_FITS]
    items = [*train, *[s for s in items if s.split != "train"]]
    fit = encode.fits(subject, [s.words for s in items])
    note = f"{(~fit).sum()} of {len(fit)} sentences are too long for {subject.name}" if not fit.all() else ""
    return [s for s, ok in zip(items, fit) if ok], note


def tree_scores(
    subject: Subject, items: list[Sentence], settings: Settings
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """UUAS (R, L + 1, N) of the test sentences, its mean on dev (L + 1,), and the chain's UUAS (N,)."""
    cut = [without(s.heads, [not any(c.isalnum() for c in w) for w in s.words]) for s in items]
    heads = [h for _, h in cut]
    of = {s: [n for n, i in enumerate(items) if i.split == s and len(heads[n]) > 1] for s in ("train", "dev", "test")}

    def encoded(chosen: list[int]) -> dict[int, np.ndarray]:  # (L + 1, W, H) each
        out = dict.fromkeys(chosen, np.empty(0))  # states come in an order of their own
        for i, states in encode.hidden_states(subject, [items[n].words for n in chosen], settings=settings):
            out[chosen[i]] = states[:, cut[chosen[i]][0]]
        return out

    scored = {split: encoded(of[split]) for split in ("dev", "test")}
    scores: dict[str, list] = {split: [] for split in scored}
    for k in range(TREE_FITS):
        train = encoded(of["train"][k::TREE_FITS])  # those of one fit at a time, for the memory's sake
        options = {"rank": RANK, "epochs": EPOCHS, "seed": settings.seed + k, "device": settings.torch_device()}
        probes = fit_structural_each(list(train.values()), [heads[n] for n in train], **options)
        for split, at in scored.items():
            scores[split].append([[_tree_score(p, at[n][j], heads[n]) for n in at] for j, p in enumerate(probes)])
    return np.array(scores["test"]), np.mean(scores["dev"], (0, 2)), np.array([in_chain(heads[n]) for n in of["test"]])


def _tree_score(probe: np.ndarray, vectors: np.ndarray, heads: list[int]) -> float:
    return uuas(spanning_tree(distances(probe, vectors)), heads)


def in_chain(heads: Sequence[int]) -> float:
    """Share of a tree's edges that join neighbours."""
    return float(np.mean([abs(w - h) == 1 for w, h in enumerate(heads) if h >= 0]))


@claim(
    "lay.agreement.goldberg2019",
    "agreement",
    n=2000,
    limit=4000,
    planted=plants.agreement_two_thirds_up,
    nulls=VECTORS,
)
def agreement(subject, data, settings):
    """Whether the masked verb is to be singular or plural, by a linear probe on every layer (goldberg2019).

    The probes of a fold learn from the other folds; no two folds share a verb, or, of nonce and of generated sentences, what
    such sentences are made from. Items count so that singular and plural verbs weigh alike: who always says one number
    scores one half. Beside them, whether the model's own head prefers the right form.
    """
    items, note = cloze.single_piece(subject, data["agreement"])
    right, own = verb_numbers(subject, items, settings)
    return intervals.table(agreement_rows(items, right, own, settings), [note])


def verb_numbers(subject: Subject, items: list[ForcedChoice], settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Whether each layer's probe tells a masked verb's number, (L + 1, N), and the model's own head the right form, (N,)."""
    rows, at = zip(*(cloze.gap_row(subject, i.text) for i in items))
    states = masks.states_at(subject, rows, [[a] for a in at], settings)
    gold = np.array([number(i) for i in items])
    # what folds must not share: what nonce and generated sentences are made from, or else the verb
    alike = [frame_of(i) if i.meta.get("set") in ("gulordava", "builtin") else verb(i) for i in items]
    right = np.zeros(states.shape[:2], bool)
    for train, test in GroupKFold(min(FOLDS, len(set(alike)))).split(gold, groups=alike):
        probes = fit_each(states[:, train], gold[train], l2=L2, device=settings.torch_device())
        right[:, test] = [probe.predict(x) == gold[test] for probe, x in zip(probes, states[:, test])]
    return right, np.array([margin > 0 for margin in cloze.choose(subject, items, settings)])


def agreement_rows(items: list[ForcedChoice], right: np.ndarray, own: np.ndarray, settings: Settings) -> list[dict]:
    """Rows of every second item; the others choose the layers.

    `two thirds - lower` and `two thirds - top` set the layers about two thirds up against those below and above them,
    `two thirds - rest` against all others.
    """
    gold = np.array([number(i) for i in items])
    one = gold == "singular"
    share = np.where(one, one.mean(), 1 - one.mean())
    weight = 0.5 / np.where(share > 0, share, 1)  # so that both numbers count alike
    test = np.arange(len(items)) % 2 == 1
    chosen = [i for i, t in zip(items, test) if t]
    groups = {"verb": [verb(i) for i in chosen], "frame": [frame_of(i) for i in chosen]}
    profile = Profile.of((right * weight)[None, :, test], groups, settings)
    dev, depth = (right * weight)[:, ~test].mean(1), profile.depth
    upper = [k for k in layers_at(depth, UPPER, TOP) if k > depth * UPPER]
    lower, top = list(range(upper[0])), list(range(upper[-1] + 1, depth + 1))
    others = {"lower": lower, "top": top, "rest": lower + top}
    rows = curve_rows(profile, measure="balanced accuracy")
    rows += lead_rows(profile, dev, {f"two thirds - {name}": (upper, part) for name, part in others.items()})
    best = best_in(dev, range(depth + 1))
    rows.append(rows[best] | {"measure": "balanced accuracy, best layer"})
    for by, answers in (("probe, best layer", right[best]), ("the model's own head", own)):
        frame = pd.DataFrame({"right": answers, "gold": gold})[test]
        told = by_class(frame.assign(**groups), settings=settings, groups=list(groups)).to_dict("records")
        told = [{k: v for k, v in r.items() if k != "gold" or isinstance(v, str)} for r in told]
        rows += [r | {"by": by} for r in told if r["measure"] in BY_CLASS]
    last = Profile.of((own * weight)[None, test], groups, settings).scores()[0]
    return [*rows, intervals.row("balanced accuracy, the model's own head", last, profile.n)]
