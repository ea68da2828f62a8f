"""From planned rows to a masked batch, on the device that trains (devlin2019).

The corpus lies on the device as one array, so a batch is a few gathers and no transfer of pieces. Masks are drawn
afresh for every step by a generator seeded with (seed, step): 15% of the pieces; of these 80% become [MASK], 10% a
random piece and 10% stay. Each row has the same number of slots for predictions, unused ones with weight 0, so
that shapes never change and the compiled step is reused. `units` chooses whole words, spans and entities instead; finite
verbs can be put first (`finite`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import torch

from bertology_utils.family.compute import slots

from . import units, wordpiece
from .draws import Draws, Fresh
from .instances import A_LENGTH, A_START, B_LENGTH, B_START


@dataclass(frozen=True)
class Batch:
    """A masked batch of R rows, L pieces each, with P slots for predictions.

    Attributes
    ----------
    ids, types : (R, L) int64
        Input pieces (after masking) and segments.
    mask : (R, 1, 1, L) bool
        True where attention may look: everywhere but at padding.
    slots : (R, P) int64
        Positions to be predicted.
    labels : (R, P) int64
        The pieces there before masking.
    weights : (R, P) float32
        1 for a slot in use, 0 otherwise.
    random : (R,) int64
        1 where B is from another document, or has changed places with A.
    draw : (R, P) float32, optional
        Uniform draws, by which a generator's pieces are sampled (`replaced`).
    positions : (R, L) int64, optional
        Where they are not 0, 1, … from the row's beginning.
    """

    ids: torch.Tensor
    types: torch.Tensor
    mask: torch.Tensor
    slots: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor
    random: torch.Tensor
    draw: torch.Tensor | None = None
    positions: torch.Tensor | None = None

    def part(self, start: int, stop: int) -> Batch:
        """Some of the rows."""
        parts: dict[str, Any] = {k: None if v is None else v[start:stop] for k, v in self.__dict__.items()}
        return Batch(**parts)


def seed(*key: int | str) -> int:
    """A 63-bit seed that depends on the key alone."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "big") >> 1


def assemble(tokens: torch.Tensor, rows: torch.Tensor, length: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Write planned rows out as pieces.

    Parameters
    ----------
    tokens : (T,) int32
        The corpus.
    rows : (R, 5) int64
        As `instances.plan` gives them.
    length : int
        L.

    Returns
    -------
    ids, types : (R, L) int64
    words : (R, L) bool
        True at pieces of the text: no special symbol, no padding.
    """
    source, words = sources(rows, length)
    at = torch.arange(length, device=tokens.device)  # (L,)
    a, b = rows[:, A_LENGTH, None], rows[:, B_LENGTH, None]  # (R, 1)
    ids = tokens[source.clamp(0, len(tokens) - 1)].long()
    ends = (at == a + 1) | ((at == a + b + 2) & (b > 0))
    ids = torch.where(words, ids, ends.long() * wordpiece.SEP)  # [PAD] is 0
    ids[:, 0] = wordpiece.CLS
    types = ((at >= a + 2) & (at <= a + b + 2) & (b > 0)).long()
    return ids, types, words


def sources(rows: torch.Tensor, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Where in the corpus each piece of planned rows is from, (R, L) int64, and which are of the text, (R, L) bool."""
    at = torch.arange(length, device=rows.device)  # (L,)
    a, b = rows[:, A_LENGTH, None], rows[:, B_LENGTH, None]  # (R, 1)
    in_a = (at >= 1) & (at <= a)
    in_b = (at >= a + 2) & (at < a + 2 + b)
    return torch.where(in_a, rows[:, A_START, None] + at - 1, rows[:, B_START, None] + at - a - 2), in_a | in_b


def mask(
    ids: torch.Tensor,
    types: torch.Tensor,
    words: torch.Tensor,
    random: torch.Tensor,
    rate: float,
    vocab: int,
    rng: torch.Generator | Draws,
    *,
    kind: str = "piece",
    symbol: str = "mask",
    marked: torch.Tensor | None = None,
) -> Batch:
    """Choose the pieces to be predicted and hide them.

    Parameters
    ----------
    ids, types, words : (R, L)
        As `assemble` gives them.
    random : (R,) int64
    rate : float
        Share of a row's pieces (special symbols counted, as in the released code) to be predicted: of single pieces at
        least one per row, of larger units as many as fit.
    vocab : int
        Size of the vocabulary that random pieces are drawn from.
    rng : torch.Generator or Draws
        On the same device.
    kind, symbol : str
        The configuration's `masking` and `mask_symbol`.
    marked : (R, L) uint8, optional
        The pieces' bits (`units.marks`), for other kinds than ``piece``.
    """
    draws = Fresh(rng) if isinstance(rng, torch.Generator) else rng
    count, length = ids.shape
    present = ids != wordpiece.PAD  # (R, L)
    p = slots(length, rate)
    wanted = (present.sum(1) * rate).round().clamp(1, p)
    if kind in ("piece", "verb"):
        order = draws.uniform(count, length)
        if kind == "verb":
            assert marked is not None, "verb masks need the pieces' marks"
            order = order - ((marked & units.FINITE > 0) & (order < units.FIRST)).float()
        # text first, in random order; (R, P)
        _, where = torch.where(words, order, 2.0).topk(p, 1, largest=False)
        used = (torch.arange(p, device=ids.device) < wanted[:, None]) & words.gather(1, where)
    else:
        assert marked is not None, f"{kind} masks need the pieces' marks"
        chosen, group = units.choose(words, types, marked, wanted, kind, draws)
        where = chosen.int().argsort(dim=1, descending=True, stable=True)[:, :p]
        used = chosen.gather(1, where)
    labels = ids.gather(1, where)
    fate = draws.uniform(count, length if kind in ("span", "entity") else p)
    if kind in ("span", "entity"):
        fate = fate.gather(1, group.gather(1, where))  # a unit's pieces share theirs (joshi2020)
    other = draws.pieces(vocab, count, p)
    gaps: dict[str, Any] = {"mask": wordpiece.MASK, "unk": wordpiece.UNK, "random": other}
    hidden = torch.where(fate < 0.8, gaps[symbol], torch.where(fate < 0.9, other, labels))
    masked = ids.scatter(1, where, torch.where(used, hidden, labels))
    draw = draws.uniform(count, p)
    return Batch(masked, types, present[:, None, None, :], where, labels, used.float(), random, draw)
