"""The last layers and the pretraining task (liu2019a)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ...claims.registry import claim
from ...data.items import Data
from ...probes import Targets, masks
from ...scores import intervals
from ...scores.profiles import Profile, best_in, curve_rows, lead_rows, zones
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from . import plants
from .fits import SHARED, Fitted, draw, fit_layers
from .transfer import task_scores

ALIKE = ("POS", "chunks", "dependencies", "entities")  # tasks of the mean probe
SENTENCES = 12_000  # of running text, at most
PIECES = 50  # the commonest ones: rarer pieces come too seldom for a probe to learn them


@claim(
    "lay.task_specific.liu2019a",
    ("sentences", "treebank"),
    n=1600,
    limit=8000,
    planted=plants.words_at_the_top,
    nulls=("untrained", "layer 0", "frequency", "positions"),
)
def task_specific(subject, data, settings):
    """Masked pieces told by a linear probe on every layer, against the mean of up to four probes (liu2019a).

    Of running text masked as in pretraining, the pieces that are among the `PIECES` commonest are asked. `high - rest` sets
    the last layers (above `profiles.MIDDLE`) against those below them, `rest - high` the other way round.
    """
    *_, fitted = masked_pieces(subject, data, settings)
    words, keys = fitted.profile(settings), {"task": "masked words"}
    high = zones(words.depth)["high"]
    below = list(range(high[0]))
    rows = curve_rows(words, **keys) + lead_rows(words, fitted.dev, {"high - rest": (high, below)}, **keys)
    most, best = Profile.of(fitted.majority[None], fitted.groups, settings), rows[-1]["layer"]
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


def masked_pieces(subject: Subject, data: Data, settings: Settings) -> tuple[list[encode.Row], Targets, Fitted]:
    """Rows of running text with pieces masked, these as targets (spans count pieces of a row), and probes on every layer."""
    every = list(dict.fromkeys(s.words for s in data["sentences"]))
    text = [every[k] for k in np.random.default_rng(0).permutation(len(every))[:SENTENCES]]
    fit = encode.fits(subject, text)
    text = [words for words, ok in zip(text, fit) if ok]
    rows, positions, pieces = masks.mask_rows(subject, text, seed=settings.seed)
    common = dict(Counter(p for of in pieces for p in of).most_common(PIECES))
    split = np.array([("dev", "test", "test", *["train"] * 5)[n % 8] for n in range(len(rows))])
    found = [(n, t, p) for n, of in enumerate(positions) for t, p in zip(of, pieces[n]) if p in common]
    row, place, piece = np.array(found).T
    names = np.array(subject.tokenizer.convert_ids_to_tokens(piece.tolist()))
    spans = np.stack([place, place + 1], 1)[:, None]
    targets = draw(Targets((), row, spans, names, split[row], np.full(len(row), "[MASK]")), settings.seed)
    used = np.unique(targets.sentence)  # in the order of the targets
    at = [targets.spans[targets.sentence == n, 0, 0].tolist() for n in used]
    states = masks.states_at(subject, [rows[n] for n in used], at, settings)
    return rows, targets, fit_layers(states, targets, settings)
