"""Negative polarity items: licensors, the items themselves, and the scope in which they are allowed."""

from __future__ import annotations

import random
import re
from difflib import SequenceMatcher

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Labelled, MinimalPair
from ...probes.linear import fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject import cloze, encode
from . import planted

# The cells of the paradigm that each phenomenon sets apart: acceptable against not.
CONTRASTS = {
    "licensor": ("licensed", "unlicensed"),
    "npi": ("no npi", "unlicensed"),
    "scope": ("licensed", "out of scope"),
}
PAIRS = 150  # minimal pairs of a phenomenon: a pair costs two inputs per piece
PENALTIES = (1.0, 1e-1, 1e-2)  # sentences differ in few words: stronger than for words


@claim(
    "syn.npi.warstadt2019",
    tasks=("npi_pairs", "npi_cloze", "npi_acceptability"),
    n=1200,
    limit=1200,
    nulls=("untrained", "frequency", "constant", "coin", "shorter", "longer"),
    planted=planted.polarity,
    quick=60,  # each pair is read once per piece: with more this was a quarter of a whole `--fast`
)
def npi(subject, data, settings):
    """Accuracy by phenomenon with three methods: sentence scores, gap filling, an acceptability probe (warstadt2019).

    The items of the phenomena are other sentences, so their difference is not paired: items are drawn anew for each. Those
    that differ in the same words are drawn together: an untrained network that likes "some" is right or wrong on them all.
    A sentence's score is a sum, so minimal pairs are those whose sentences have the same number of pieces; of the others
    a row says how often the shorter one wins.
    """
    rows, notes = intervals.Rows(settings), []
    if pairs := data.items.get("npi_pairs"):
        pairs, alike = cloze.told_apart(subject, pairs)
        found, note = _minimal(subject, pairs, settings)
        rows += found
        notes += [note, *alike]
    if gaps := data.items.get("npi_cloze"):
        gaps, note = cloze.single_piece(subject, gaps)
        notes.append(note)
        if gaps:
            right = cloze.choose(subject, gaps, settings) > 0
            words = [" ".join(sorted((g.good, g.bad))) for g in gaps]
            rows += _rows("cloze", [g.condition for g in gaps], right, settings, words)
    if items := data.items.get("npi_acceptability"):
        asked, right, bottom, note = probe(subject, items, settings)
        notes.append(note)
        conditions = [name for name, _ in asked]
        words = [" ".join(map(str, (i.condition, i.meta["npi"], i.meta.get("licensor")))) for _, i in asked]
        rows += _rows("probe", conditions, right, settings, words)
        frame = pd.DataFrame({"phenomenon": conditions, "words": words, "gain": right.astype(float) - bottom})
        gains = intervals.means(
            frame.assign(method="probe"), "gain", by=["method", "phenomenon"], measure="gain over layer 0",
            settings=settings, groups="words", signed=True,
        )  # fmt: skip
        rows += gains.to_dict("records")
    return intervals.table(rows, notes)


def _minimal(subject, pairs: list[MinimalPair], settings: Settings) -> tuple[list[dict], str]:
    """Rows of the pairs of equal length, and the share of the others in which the shorter sentence wins."""
    rng, chosen, uneven = random.Random(settings.seed), [], []
    lengths = [cloze.lengths(subject, [getattr(p, side) for p in pairs]) for side in ("good", "bad")]
    even = lengths[0] == lengths[1]
    for name in sorted({p.condition for p in pairs}):
        of = [p for p, same in zip(pairs, even) if same and p.condition == name]
        chosen += rng.sample(of, min(PAIRS, len(of)))
    other = [p for p, same in zip(pairs, even) if not same]
    uneven = rng.sample(other, min(PAIRS, len(other)))
    rows = []
    if chosen:
        right = cloze.compare(subject, chosen, settings)["difference"].to_numpy() > 0
        rows = _rows("minimal pairs", [p.condition for p in chosen], right, settings, [differing(p) for p in chosen])
    if uneven:
        frame = cloze.compare(subject, uneven, settings)
        wins = (frame.difference > 0) == (frame.good_pieces < frame.bad_pieces)
        words = [differing(p) for p in uneven]
        method = "pairs of unequal length"
        rows.append(intervals.mean_row("shorter sentence wins", wins, settings, groups=words, method=method))
    return (
        rows,
        f"minimal pairs: {int(even.sum())} of {len(pairs)} have sentences of equal length, {len(chosen)} scored",
    )


def differing(pair: MinimalPair) -> str:
    """The words that stand at one place in one sentence of a pair and not in the other.

    >>> differing(MinimalPair(id="a", good="No man has seen it.", bad="The man has seen it."))
    'no the'
    """
    good, bad = (re.findall(r"[\w'-]+", text.lower()) for text in (pair.good, pair.bad))
    spans = SequenceMatcher(None, good, bad, autojunk=False).get_opcodes()
    return " ".join(sorted({w for tag, a, b, c, d in spans if tag != "equal" for w in good[a:b] + bad[c:d]}))


def _rows(method: str, conditions: list[str], right: np.ndarray, settings, groups: list[str]) -> list[dict]:
    """Accuracy of each phenomenon, and the leads of licensor and NPI over scope where the method has all three."""
    frame = pd.DataFrame({"c": conditions, "right": right, "g": groups})
    options = {"seed": settings.seed, "draws": settings.draws}
    found = {
        name: (part["right"].to_numpy(float), part["g"].to_numpy()) for name, part in frame.groupby("c", sort=True)
    }
    rows = [
        intervals.mean_row("accuracy", values, settings, groups=units, method=method, phenomenon=name)
        for name, (values, units) in found.items()
    ]
    for name in ("licensor", "npi"):
        if name in found and "scope" in found:
            (a, of_a), (b, of_b) = found[name], found["scope"]
            lead = intervals.difference(a, b, paired=False, groups=(of_a, of_b), **options)
            rows.append(intervals.row(f"{name} - scope", lead, min(len(a), len(b)), method=method))
    return rows


def cell(item: Labelled) -> str:
    """Which cell of the paradigm a sentence is: `licensed`, `out of scope`, `unlicensed`, or without an NPI."""
    if "kind" in item.meta:
        return item.meta["kind"]
    if not item.meta["present"]:
        return "no npi" if not item.meta["licensed"] else "licensor alone"
    if not item.meta["licensed"]:
        return "unlicensed"
    return "licensed" if item.meta["in_scope"] else "out of scope"


def probe(subject, items: list[Labelled], settings) -> tuple[list[tuple[str, Labelled]], np.ndarray, np.ndarray, str]:
    """Phenomenon and test sentence of each contrast, and whether a linear probe on the mean word vector is right on it.

    Layer, above the embeddings, and penalty are the best on the dev split; the second array is that of layer 0, without
    context. Where a contrast has more sentences of one label, the surplus is left out, so that one half is chance.
    """
    fitting = encode.fits(subject, [i.text.split() for i in items])
    items = [i for i, ok in zip(items, fitting) if ok]
    vectors = np.empty((subject.n_layers + 1, len(items), subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, [i.text.split() for i in items], settings=settings):
        vectors[:, i] = states.mean(1)
    train, dev, test = (np.array([k for k, i in enumerate(items) if i.split == s]) for s in ("train", "dev", "test"))
    labels = np.array([i.label for i in items])
    grid = fit_grid(vectors[:, train], labels[train], PENALTIES, device=settings.torch_device())
    right = np.array([[p.predict(x) == labels for p, x in zip(fits, vectors)] for fits in grid])
    which = [choose(layer) for layer in right[..., dev].mean(-1).T]
    right = right[which, np.arange(len(vectors))]
    layer = choose(right[1:, dev].mean(1)) + 1
    cells = [cell(items[k]) for k in test]
    asked, kept = [], []
    for name, sides in CONTRASTS.items():
        parts = [[k for k, c in enumerate(cells) if c == side] for side in sides]
        of = [k for part in parts for k in part[: min(map(len, parts))]]
        asked += [(name, items[test[k]]) for k in of]
        kept += of
    note = f"probe: layer {layer} of 1 to {subject.n_layers}, the best on the dev split"
    return asked, right[layer, test][kept], right[0, test][kept], note
