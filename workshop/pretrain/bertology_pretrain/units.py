"""What is hidden together: whole words (devlin2019), spans of words (joshi2020), named entities (sun2019b).

Units are taken in random order until the row's share of pieces is spent. A word or an entity that does not fit any more is
passed over; a span is cut to the words that fit, since a short row has no room for many whole ones. What a masked share
of pieces costs is thereby the same for all kinds, up to a piece or two per row.

Span lengths are geometric with 0.2, at most ten words, 3.8 on average, as in the study. Half of the rows hide words
wherever they are, in the other half entities come first: sun2019b train on words and on entities in turn.
"""

from __future__ import annotations

import numpy as np
import torch
from tokenizers import Tokenizer

from .draws import Draws

INSIDE, NAMED, FINITE = 1, 2, 4  # bits: the piece continues the unit before it; is of a named entity; is a finite verb
FIRST = 0.8  # of finite verbs this share is hidden before anything else, the rest hardly ever
STOP, LONGEST = 0.2, 10  # of span lengths
_SKIPS = 4  # units passed over per row, at most


def continuation(tokenizer: Tokenizer) -> np.ndarray:
    """Whether a piece continues a word, by id, (V,) bool."""
    out = np.zeros(tokenizer.get_vocab_size(), bool)
    for piece, number in tokenizer.get_vocab().items():
        out[number] = piece.startswith("##")
    return out


def marks(tokens: np.ndarray, tokenizer: Tokenizer, names: np.ndarray | None = None) -> np.ndarray:
    """The bits of every piece of a corpus.

    Parameters
    ----------
    tokens : (T,) uint16
    tokenizer : tokenizers.Tokenizer
    names : (T,) uint8, optional
        Bits of named entities, as `entities.find` makes them: whole entities are units then.

    Returns
    -------
    (T,) uint8
    """
    out = continuation(tokenizer)[tokens].astype(np.uint8) * INSIDE
    return out if names is None else out | names


def span_lengths(draw: torch.Tensor) -> torch.Tensor:
    """Lengths in words from uniform draws: geometric, those above `LONGEST` drawn again.

    >>> span_lengths(torch.tensor([0.0, 0.5, 0.999]))
    tensor([ 1,  3, 10])
    """
    kept = 1 - (1 - STOP) ** LONGEST  # share of a geometric distribution that is not drawn again
    return (torch.log1p(-draw * kept) / np.log(1 - STOP)).floor().long().clamp(0, LONGEST - 1) + 1


def choose(
    words: torch.Tensor, types: torch.Tensor, marked: torch.Tensor, wanted: torch.Tensor, kind: str, draws: Draws
) -> tuple[torch.Tensor, torch.Tensor]:
    """The pieces of a batch that are to be predicted.

    Parameters
    ----------
    words : (R, L) bool
        Pieces of the text; between the segments there is one that is not.
    types : (R, L) int64
        Segments, 0 or 1.
    marked : (R, L) uint8
        Bits, as `marks` gives them.
    wanted : (R,)
        Most pieces to be chosen.
    kind : str
        ``word``, ``span`` or ``entity``.
    draws : Draws

    Returns
    -------
    chosen : (R, L) bool
    group : (R, L) int64
        Number of the piece's unit in its row (of its span, for spans).
    """
    count, length = words.shape
    follows = torch.nn.functional.pad(words, (1, -1)) & ((marked & INSIDE) > 0)  # a cut word begins where its rest does
    unit = ((words & ~follows).long().cumsum(1) - 1).clamp(min=0)  # (R, L): number of the piece's word or entity

    def of_units(flags: torch.Tensor) -> torch.Tensor:
        """(R, U): how many of a unit's pieces."""
        return torch.zeros_like(unit).scatter_add(1, unit, (flags & words).long())

    group = torch.arange(length, device=words.device).expand(count, -1)
    if kind == "span":
        group = _spans(of_units(types > 0) > 0, draws)
    order = draws.uniform(count, length).gather(1, group)  # (R, U)
    if kind == "entity":
        entities_first = draws.uniform(count, 1) < 0.5
        order = order + (entities_first & (of_units((marked & NAMED) > 0) == 0))
    taken = _fill(of_units(words), order, group, wanted)
    return taken.gather(1, unit) & words, group.gather(1, unit)


def _spans(second: torch.Tensor, draws: Draws) -> torch.Tensor:
    """Number of each word's span, (R, U): the row cut into lengths drawn one after the other, and where B begins."""
    count, length = second.shape
    ends = span_lengths(draws.uniform(count, length)).cumsum(1)  # where the spans end, in words
    at = torch.arange(length, device=second.device).expand(count, -1).contiguous()
    return (torch.searchsorted(ends, at, right=True) + second).clamp(max=length - 1)


def _fill(size: torch.Tensor, order: torch.Tensor, group: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Units in the given order as long as they fit, (R, U) bool; after one that does not, none of its group."""
    order = torch.where(size > 0, order, 9.0)
    sequence = order.argsort(dim=1, stable=True)  # the words of a group stay in their order
    size, group = size.gather(1, sequence), group.gather(1, sequence)
    alive = size > 0
    for _ in range(_SKIPS):
        total = (size * alive).cumsum(1)
        over = alive & (total > wanted[:, None])
        at = over.int().argmax(1, keepdim=True)  # the first that does not fit, where there is one
        later = torch.arange(size.shape[1], device=size.device) >= at
        alive = alive & ~(later & (group == group.gather(1, at)) & over.any(1, keepdim=True))
    alive = alive & ((size * alive).cumsum(1) <= wanted[:, None])
    return torch.zeros_like(alive).scatter(1, sequence, alive)
