"""The five patterns of attention maps, told by a classifier of generated ones."""

from __future__ import annotations

import numpy as np

from ...attention import patterns
from ...attention.choosing import fitting
from ...calibration import planted as plants
from ...claims.registry import claim
from ...scores import intervals
from .blocks import by_block, sentences_of, towards


def vertical_heads(data, base, rng):
    """Two heads of three attend to [CLS] or to separators, one of six to the word before; the rest is uneven noise."""
    separator = base.tokenizer.sep_token_id

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 2.0)
        before = np.eye(len(seen.ids), k=-1) + 1e-3
        places = (seen.ids == separator, np.arange(len(seen.ids)) == 0)
        for h in range(base.n_layers * base.n_heads):
            layer, head = divmod(h, base.n_heads)
            if h % 6 < 4:
                maps[layer, head] = 0.9 * towards(seen, places[h % 2]) + 0.1 * maps[layer, head]
            elif h % 6 == 4:
                maps[layer, head] = before / before.sum(1, keepdims=True)
        return maps

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.patterns.kovaleva2019",
    "sentences",
    n=2400,
    limit=1200,
    planted=vertical_heads,
    nulls=("untrained", "constant", "coin"),
)
def five_patterns(subject, data, settings):
    """Shares of the five patterns among the maps of sentence pairs, by a classifier of generated maps (kovaleva2019).

    Pairs, because the block pattern needs two segments: a sentence and the next. How often the classifier agrees with
    labels given by eye is part of the result.
    """
    words, note = sentences_of(subject, data)
    joined = list(zip(words[::2], words[1::2]))
    kept, more = fitting(subject, joined, lambda pair: [*pair[0], subject.tokenizer.sep_token, *pair[1]])
    labels = patterns.classify(subject, [a for a, _ in kept], [b for _, b in kept], settings=settings)  # (n, L, A)
    is_it = np.stack([labels == k for k in range(len(patterns.PATTERNS))], -1)  # (n, L, A, 5)
    share = is_it.mean((1, 2))  # (n, 5)
    rows = intervals.Rows(settings)
    for k, pattern in enumerate(patterns.PATTERNS):
        keys = dict(pattern=pattern, maps="weights")
        rows.mean("share of maps", share[:, k], **keys, block="all")
        rows += by_block(is_it[..., k].astype(float), "share of maps, by block", settings, **keys)
    stripes = is_it[..., [patterns.PATTERNS.index(name) for name in patterns.STRIPES]].any(-1).mean((1, 2))
    rows.mean("share of maps with stripes", stripes, maps="weights")
    return intervals.table([*rows, *_agreement(settings)], [note, more])


def _agreement(settings) -> list[dict]:
    """How often the classifier gives a map the label that the eye gave it; maps of one input are drawn together."""
    seen, truth, inputs = patterns.labelled("test")
    right = patterns.classifier(settings.seed).predict(seen) == truth
    usual = truth == np.bincount(truth).argmax()
    columns = {
        "agreement with maps labelled by eye": right,
        "agreement - commonest label": right.astype(float) - usual,
    }
    return [intervals.mean_row(m, v, settings, groups=inputs, signed=" - " in m) for m, v in columns.items()]
