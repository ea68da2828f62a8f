"""Attention from one span of words to another: concepts, predicates and arguments, anaphors and candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from ..settings import Settings
from ..subject.models import Subject
from .maps import maps

Span = tuple[int, int]


def between(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    links: Sequence[tuple[int, Span, Span]],
    reduce: Callable[..., torch.Tensor] = torch.mean,
    settings: Settings | None = None,
) -> np.ndarray:
    """Attention from one span of words to another, (links, L * A).

    `links` are (sentence, from, to) with half-open word spans; `reduce` (`torch.mean`, `torch.amax`) is taken over the
    pairs of words. The model runs once over each sentence that some link is in, however often it occurs.
    """
    texts: dict[tuple[str, ...], int] = {}
    of: dict[int, list[int]] = {}
    for i, (sentence, *_) in enumerate(links):
        text = tuple(sentences[sentence])
        of.setdefault(texts.setdefault(text, len(texts)), []).append(i)
    out = np.zeros((len(links), subject.n_layers * subject.n_heads), np.float32)
    for batch in maps(subject, texts, settings=settings):
        single: list[tuple[int, int, int, int]] = []  # (link, b, q, k) of one word to one: all at once
        for b, (s, place) in enumerate(zip(batch.index, batch.place)):
            for i in of.get(s, ()):
                (q0, q1), (k0, k1) = links[i][1:]
                if q1 - q0 == k1 - k0 == 1:
                    single.append((i, b, place[q0], place[k0]))
                    continue
                rows, columns = [[place[w] for w in range(*span)] for span in ((q0, q1), (k0, k1))]
                block = batch.weights[b][:, :, rows][:, :, :, columns]  # (L, A, q, k)
                out[i] = reduce(block.flatten(2), dim=-1).flatten().cpu().numpy()
        if single:
            i, b, q, k = torch.tensor(single).T
            out[i.numpy()] = batch.weights[b, :, :, q, k].flatten(1).cpu().numpy()
    return out
