"""From words to pieces and back, in one place, as streams.

Every experiment speaks of words; models see pieces. `tokenize` keeps, for each piece, the word it belongs to;
`hidden_states` pools pieces into words (first, last or mean), as a generator over length-bucketed batches: memory is
bounded by one window of sentences, however long the corpus. `attentions.attentions` does the like for attention maps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any, Literal

import numpy as np
import torch

from ..data.items import MASK
from ..errors import Refusal
from ..settings import BUDGET, Settings
from . import memory
from .folders import spaces_as_written
from .models import Subject

WINDOW = 2048  # sentences tokenised and sorted by length at a time
SAMPLE = 2000  # texts that tell what share of their pieces a vocabulary lacks
STANDS_IN = "a"  # keeps the place of a word whose pieces are not the tokenizer's to find
Pool = Literal["mean", "first", "last"]


class TooLong(Refusal, ValueError):
    """A sentence has more pieces than the model takes; it is never cut silently."""


class Gapped(str):
    """A word whose `[MASK]` is a gap, the model's own mask; in any other word it is text, like every special symbol.

    >>> gapped("the dog [MASK], it seems")[2:4], isinstance(gapped("the [MASK]")[1], Gapped)
    (['[MASK],', 'it'], True)
    """


def gapped(text: str) -> list[str]:
    """The words of a text, `[MASK]` in it being a gap."""
    return [Gapped(word) if MASK in word else word for word in text.split()]


@dataclass(frozen=True)
class Row:
    """One model input.

    Attributes
    ----------
    ids, types : tuple[int, ...]
        Piece ids and segment ids, special tokens included; length T.
    words : tuple[int, ...]
        For each piece the index of its word, counted on through a second segment; -1 for a special token.
    n_words : int
    """

    ids: tuple[int, ...]
    types: tuple[int, ...]
    words: tuple[int, ...]
    n_words: int

    def masked(self, places: Collection[int], mask: int) -> Row:
        """The row with the piece `mask` in some places.

        >>> Row((2, 7, 8, 3), (0, 0, 0, 0), (-1, 0, 1, -1), 2).masked([2], mask=4).ids
        (2, 7, 4, 3)
        """
        return replace(self, ids=tuple(mask if t in places else piece for t, piece in enumerate(self.ids)))


def tokenize(
    subject: Subject, sentences: Sequence[Sequence[str]], second: Sequence[Sequence[str]] | None = None
) -> list[Row]:
    """Rows for sentences given as words, with an optional second segment each.

    A special symbol written in a word is text, but for the gap of a `Gapped` one. A word that the tokenizer gives no
    piece at all (a control character, say) becomes the unknown token, so that no word is ever without a vector; so does
    ``</s>`` where a unigram vocabulary has it among its pieces.

    Raises
    ------
    TooLong
        Naming the sentence, its number of pieces and the limit.
    """
    if isinstance(sentences, str) or (sentences and isinstance(sentences[0], str)):
        raise TypeError(f"sentences are sequences of words, not text: {sentences!r:.80}")
    if second is not None and len(second) != len(sentences):
        raise ValueError(f"{len(sentences)} first segments but {len(second)} second ones")
    if not sentences:
        return []
    rows = _rows(subject.tokenizer, [sentences] if second is None else [sentences, second])
    for i, row in enumerate(rows):
        if len(row.ids) > subject.max_length:
            text = " ".join(sentences[i])
            raise TooLong(f"{len(row.ids)} pieces where {subject.name} takes {subject.max_length}: {text[:120]!r}")
    return rows


def _rows(tokenizer, parts: Sequence[Sequence[Sequence[str]]]) -> list[Row]:
    """Rows of one or two segments, whatever their length."""
    words = [[word for part in parts for word in part[i]] for i in range(len(parts[0]))]
    own = [{w: _gap(tokenizer, word) for w, word in enumerate(s) if isinstance(word, Gapped)} for s in words]
    rows = _tokenized(tokenizer, parts, own)
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    lost = [
        set(range(row.n_words))
        .difference(row.words)
        .union(w for w, k in zip(row.words, row.ids) if k in special and w >= 0)
        for row in rows
    ]
    if any(lost):
        for found, places in zip(own, lost):
            found |= {w: [tokenizer.unk_token_id] for w in places}
        rows = _tokenized(tokenizer, parts, own)
    return [_with(row, found) if found else row for row, found in zip(rows, own)]


def _gap(tokenizer, word: str) -> list[int]:
    """Pieces of a word with a gap: the mask, and what is written around it."""
    before, after = word.split(MASK, 1)
    start = tokenizer(before, add_special_tokens=False)["input_ids"] if before else []
    with spaces_as_written(tokenizer):
        end = tokenizer(after, add_special_tokens=False)["input_ids"] if after else []
    return [*start, tokenizer.mask_token_id, *end]


def _tokenized(tokenizer, parts: Sequence[Sequence[Sequence[str]]], own: list[dict[int, list[int]]]) -> list[Row]:
    """Rows as the tokenizer makes them, something in the place of the words whose pieces are given (`own`)."""
    starts = [[0] * len(own), [len(s) for s in parts[0]]]
    texts = [
        [
            [STANDS_IN if start + w in known else word for w, word in enumerate(s)]
            for s, start, known in zip(part, at, own)
        ]
        for part, at in zip(parts, starts)
    ]
    encoded = tokenizer(
        *texts,
        is_split_into_words=True,
        truncation=False,
        return_attention_mask=False,
        return_token_type_ids=True,
        verbose=False,
    )
    rows = []
    for i, ids in enumerate(encoded["input_ids"]):
        words = tuple(
            -1 if w is None else w + starts[s or 0][i] for w, s in zip(encoded.word_ids(i), encoded.sequence_ids(i))
        )
        types = encoded["token_type_ids"][i] if "token_type_ids" in encoded else [0] * len(ids)
        rows.append(Row(tuple(ids), tuple(types), words, sum(len(part[i]) for part in parts)))
    return rows


def _with(row: Row, own: dict[int, list[int]]) -> Row:
    """The row with the pieces of some words replaced by given ones."""
    out: list[tuple[int, int, int]] = []
    for t, (piece, kind, word) in enumerate(zip(row.ids, row.types, row.words)):
        if word not in own:
            out.append((piece, kind, word))
        elif t == 0 or row.words[t - 1] != word:
            out += [(i, kind, word) for i in own[word]]
    ids, types, words = zip(*out)
    return Row(ids, types, words, row.n_words)


def unknown_share(subject: Subject, texts: Sequence[str]) -> float:
    """The share of pieces of texts that are the unknown token; of many texts, of `SAMPLE` drawn ones; 0 of none."""
    tokenizer = subject.tokenizer
    drawn = texts if len(texts) <= SAMPLE else random.Random(0).sample(texts, SAMPLE)
    some = [text.replace(MASK, " ") for text in drawn]
    rows = tokenizer(some, add_special_tokens=False, truncation=False, verbose=False)["input_ids"] if some else []
    pieces = [i for row in rows for i in row]
    return sum(i == tokenizer.unk_token_id for i in pieces) / len(pieces) if pieces else 0.0


def fits(subject: Subject, sentences: Sequence[Sequence[str]]) -> np.ndarray:
    """Which sentences the model can take whole; shape (n,), bool."""
    if not len(sentences):
        return np.zeros(0, bool)
    return np.array([len(row.ids) <= subject.max_length for row in _rows(subject.tokenizer, [sentences])])


def fitting(
    subject: Subject, items: Sequence, words: Callable[[Any], Sequence[str]] = attrgetter("words")
) -> tuple[list, str]:
    """The items whose words the subject can take whole, and a note that counts the others ('' where there are none)."""
    kept = [i for i, fine in zip(items, fits(subject, [words(i) for i in items])) if fine]
    lost = len(items) - len(kept)
    note = f"{lost} of {len(items)} texts have more than {subject.max_length} pieces and are left out"
    return kept, note if lost else ""


@dataclass(frozen=True)
class Batch:
    """Padded tensors on the subject's device: ids, types, mask are (B, T); `index` says which rows these are."""

    index: list[int]
    rows: list[Row]
    ids: torch.Tensor
    types: torch.Tensor
    mask: torch.Tensor

    def inputs(self, embeddings: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
        """What the encoder is called with; piece embeddings (B, T, E) stand in for ids where there are any."""
        pieces = {"input_ids": self.ids} if embeddings is None else {"inputs_embeds": embeddings}
        return pieces | {"attention_mask": self.mask, "token_type_ids": self.types}


def batches(subject: Subject, rows: Sequence[Row], budget: int | None) -> Iterator[Batch]:
    """Rows of like length together, at most `budget` pieces (padding counted) per batch; longest first.

    None is the default of the subject's device (`settings.BUDGET`). On an accelerator it is halved until a batch fits
    (`memory.affordable`).
    """
    budget = budget or BUDGET.get(subject.device.type, BUDGET["cpu"])
    order = sorted(range(len(rows)), key=lambda i: (-len(rows[i].ids), i))
    if order and subject.device.type != "cpu":
        longest = len(rows[order[0]].ids)
        budget = memory.affordable(subject, min(budget, len(rows) * longest), longest)  # no more than there is
    several = getattr(subject.config, "type_vocab_size", 0) > 1  # kinds of segments that the network tells apart
    start = 0
    while start < len(order):
        longest = len(rows[order[start]].ids)
        index = order[start : start + max(1, budget // longest)]
        start += len(index)
        chosen = [rows[i] for i in index]

        def pad(values: list[tuple[int, ...]], fill: int, width: int = longest) -> torch.Tensor:
            return torch.tensor([[*v, *[fill] * (width - len(v))] for v in values], device=subject.device)  # (B, T)

        yield Batch(
            index,
            chosen,
            ids=pad([r.ids for r in chosen], subject.tokenizer.pad_token_id),
            types=pad([r.types if several else (0,) * len(r.ids) for r in chosen], 0),
            mask=pad([(1,) * len(r.ids) for r in chosen], 0),
        )


def refuse_text(sentences: object) -> None:
    """Refuse one text in the place of several: its letters would be read as sentences.

    Raises
    ------
    TypeError
    """
    if isinstance(sentences, str):
        raise TypeError(f"needs a list of sentences, not one text: {sentences[:80]!r}")


def windows(sentences: Iterable, size: int = WINDOW) -> Iterator[tuple[int, list]]:
    """Consecutive runs of a stream with the index at which each starts; errors as of `refuse_text`."""
    refuse_text(sentences)
    stream, start = iter(sentences), 0
    while window := list(islice(stream, size)):
        yield start, window
        start += len(window)


def forward(subject: Subject, batch: Batch, **outputs: bool):
    """The encoder's output for a batch, without gradients."""
    with torch.inference_mode():
        return subject.base(**batch.inputs(), **outputs)


def hidden_states(
    subject: Subject,
    sentences: Iterable[Sequence[str]],
    *,
    pool: Pool | None = "mean",
    layers: Sequence[int] | None = None,
    second: Sequence[Sequence[str]] | None = None,
    settings: Settings | None = None,
) -> Iterator[tuple[int, np.ndarray]]:
    """Word vectors of every layer, streamed.

    Parameters
    ----------
    pool : "mean", "first", "last" or None
        How the pieces of a word become its vector; None leaves the pieces, special tokens included.
    layers : sequence of int, optional
        Indices into the L + 1 states, 0 being the embeddings; all by default.
    second : sequence of sentences, optional
        Second segments; their words are counted on behind the first's.

    Yields
    ------
    i, states : int, float32 array (layers, W, H) — or (layers, T, H) without pooling
        In an order of the implementation's choosing; `i` is the sentence's place in the input.
    """
    budget = (settings or Settings.of()).budget
    for start, window in windows(sentences):
        rows = tokenize(subject, window, None if second is None else second[start : start + len(window)])
        for batch in batches(subject, rows, budget):
            states = forward(subject, batch, output_hidden_states=True).hidden_states
            stacked = torch.stack(
                [states[k] for k in (range(len(states)) if layers is None else layers)]
            )  # (L, B, T, H)
            if pool is not None:
                stacked = torch.einsum(
                    "bwt,lbth->lbwh", _pooling(batch, pool).to(stacked.dtype), stacked
                )  # (L, B, W, H)
            found = stacked.float().cpu().numpy()
            for k, row in enumerate(batch.rows):
                yield start + batch.index[k], found[:, k, : row.n_words if pool is not None else len(row.ids)]


def _pooling(batch: Batch, pool: Pool) -> torch.Tensor:
    """Weights (B, W, T) that turn pieces into words."""
    width = max(row.n_words for row in batch.rows)
    weights = np.zeros((len(batch.rows), width, batch.ids.shape[1]), np.float32)
    for b, row in enumerate(batch.rows):
        seen = set()
        for t, w in enumerate(row.words):
            if w < 0 or (pool == "first" and w in seen):
                continue
            if pool == "last":
                weights[b, w] = 0
            weights[b, w, t] = 1
            seen.add(w)
    weights /= np.maximum(weights.sum(-1, keepdims=True), 1)
    return torch.from_numpy(weights).to(batch.ids.device)
