"""Is attention an explanation? Other maps with the same output."""

from __future__ import annotations

import numpy as np

from ...attention.choosing import fitting
from ...attention.identifiability import null_space, permuted_attention
from ...claims.registry import claim
from ...scores import intervals
from ...subject import encode

SMALL = 0.1  # total variation distance called small
BEYOND = 16  # pieces by which the long inputs exceed what a head can tell apart


def _stretch(subject, sentences, pieces: int) -> list[str] | None:
    """Words of consecutive sentences, as many as give `pieces` pieces with the special tokens; None if they cannot."""
    words = [w for s in sentences for w in s][:pieces]
    if pieces > subject.max_length or not encode.fits(subject, [words])[0]:
        return None
    (row,) = encode.tokenize(subject, [words])
    kept = [w for t, w in enumerate(row.words) if w >= 0 and t < pieces - 1]
    return words[: max(kept)] if len(row.ids) > pieces else words


@claim(
    "hed.explanation_debate.jain2019",
    tasks="sentences",
    n=400,
)
def explanation(subject, data, settings):
    """Change of a masked word's distribution when one head's weights are shuffled; null space of attention (jain2019).

    The change is a total variation distance, the median over sentences of each head. The null space (brunner2020) is
    counted for the head that has the smallest one, in inputs longer and shorter than the size of a head.
    """
    items, note = fitting(subject, data["sentences"])
    words = [i.words for i in items if len(i.words) > 3]
    few = words[:40]
    change = permuted_attention(subject, few, settings=settings)  # (n, L * A)
    options = dict(seed=settings.seed, draws=min(settings.draws, 500))
    share = intervals.bootstrap(change, lambda c: (np.median(c, 0) < SMALL).mean(), **options)
    rows = [intervals.row("share of heads with a median change below 0.1", share, len(few))]
    for layer in range(subject.n_layers):
        part = change[:, layer * subject.n_heads : (layer + 1) * subject.n_heads]
        interval = intervals.bootstrap(part, lambda c: np.median(c, 0).mean(), **options)
        rows.append(intervals.row("median change, mean over heads", interval, len(few), layer=layer))
        interval = intervals.bootstrap(part, lambda c: np.median(c, 0).max(), **options)
        rows.append(intervals.row("median change, largest head", interval, len(few), layer=layer))
    size = subject.hidden_size // subject.n_heads
    for name, pieces in (("longer than a head is wide", size + BEYOND), ("half as long", size // 2)):
        starts = range(0, min(len(words), 200), 10)
        texts = [t for s in starts if (t := _stretch(subject, words[s : s + pieces], pieces))]
        if texts:
            least = null_space(subject, texts, settings).min((1, 2))
            interval = intervals.mean_interval(least, **options)
            rows.append(intervals.row("dimensions of the null space", interval, len(texts), input=name))
    return intervals.table(rows, [note])
