"""What a masked language model predicts: filled gaps, forced choices, sentence scores.

A sentence's score is a sum over its pieces, so the longer of two sentences tends to score lower whatever it says: of an
untrained network, length alone decides. `compare` therefore gives the lengths beside every difference of sums.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from transformers import BatchEncoding, PreTrainedTokenizerBase

from ..data.items import MASK, Cloze, ForcedChoice, ItemError, MinimalPair
from ..settings import Settings
from .encode import Row, TooLong, batches, forward, gapped, refuse_text, tokenize, windows
from .folders import spaces_as_written
from .models import ModelUnsuitable, Subject

COPIES = 2048  # pieces of masked copies per batch: they are of like length, and of their states the last alone is kept


def filler_id(subject: Subject, word: str) -> int | None:
    """The vocabulary id of a word that is one piece, else None.

    The word is tokenized as it would stand in a sentence (lower-cased by an uncased model, with its leading space for
    a byte-level one).
    """
    ids = subject.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]
    return ids[0] if len(ids) == 1 and ids[0] != subject.tokenizer.unk_token_id else None


def single_piece(subject: Subject, items: Sequence[ForcedChoice | Cloze]) -> tuple[list, str]:
    """The items whose fillers are each one piece of the model's vocabulary, and a note that counts them.

    The filter of goldberg2019: two fillers can be compared at one mask only if both are single vocabulary items.

    Raises
    ------
    ModelUnsuitable
        If no item is left.
    """
    words = {w for item in items for w in _fillers(item)}
    known = {w for w in words if filler_id(subject, w) is not None}
    kept = [item for item in items if all(w in known for w in _fillers(item))]
    if items and not kept:
        raise ModelUnsuitable(
            f"none of {len(items)} items has fillers that are single pieces of {subject.name}'s vocabulary "
            f"({', '.join(sorted(words)[:4])}, ...)"
        )
    return kept, f"{len(kept)} of {len(items)} items have fillers that are single pieces of {subject.name}'s vocabulary"


def _fillers(item: ForcedChoice | Cloze) -> tuple[str, ...]:
    return (item.good, item.bad) if isinstance(item, ForcedChoice) else item.answers


def gap_row(subject: Subject, text: str) -> tuple[Row, int]:
    """The input row of a text with one `[MASK]`, and the position of the mask in it.

    Any other special symbol that is written in it is text.
    """
    if text.count(MASK) != 1:
        raise ItemError(f"needs exactly one {MASK}: {text!r}")
    tokenizer: Any = subject.tokenizer
    mask = tokenizer.mask_token_id
    if any(symbol in text.replace(MASK, "") for symbol in tokenizer.all_special_tokens):
        (row,) = tokenize(subject, [gapped(text)])
        return row, row.ids.index(mask)
    encoded = with_masks(tokenizer, text)
    ids = encoded["input_ids"]
    if len(ids) > subject.max_length:
        raise TooLong(f"{len(ids)} pieces where {subject.name} takes {subject.max_length}: {text[:120]!r}")
    types = encoded["token_type_ids"] if "token_type_ids" in encoded else [0] * len(ids)
    return Row(tuple(ids), tuple(types), (-1,) * len(ids), 0), ids.index(mask)


def with_masks(tokenizer: PreTrainedTokenizerBase, text: str) -> BatchEncoding:
    """A text with the model's mask for each `[MASK]`, as the tokenizer encodes it.

    To a byte-level vocabulary a gap is a word with the space before it, and so is the first word, as `filler_id` has words.
    """
    with spaces_as_written(tokenizer) as byte_level:
        if byte_level:
            text = re.sub(rf"\s*{re.escape(MASK)}", MASK, f" {text.strip()}")
        text = text.replace(MASK, str(tokenizer.mask_token))
        return tokenizer(text, return_token_type_ids=True, verbose=False, split_special_tokens=False)


def log_probabilities(
    subject: Subject, texts: Sequence[str], settings: Settings | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """The distribution at the mask of each text, streamed as (i, float32 array (V,) of natural-log probabilities)."""
    budget = (settings or Settings.of()).budget
    for start, window in windows(texts):
        pairs = [gap_row(subject, text) for text in window]
        yield from ((start + i, p) for i, p in _at(subject, [r for r, _ in pairs], [at for _, at in pairs], budget))


def _at(subject: Subject, rows: list[Row], positions: list[int], budget: int) -> Iterator[tuple[int, np.ndarray]]:
    """Log-probabilities (V,) at one position of each row."""
    for batch in batches(subject, rows, budget):
        hidden = forward(subject, batch).last_hidden_state  # (B, T, H)
        at = torch.tensor([positions[i] for i in batch.index], device=subject.device)
        with torch.inference_mode():
            logits = subject.predict(hidden[torch.arange(len(at), device=subject.device), at])  # (B, V)
            logs = torch.log_softmax(logits.float(), -1).cpu().numpy()
        yield from zip(batch.index, logs)


def choose(subject: Subject, items: Sequence[ForcedChoice], settings: Settings | None = None) -> np.ndarray:
    """log P(good) - log P(bad) at the mask of each item, in nats; shape (n,). Above 0 the model prefers the good one.

    Where ``meta["text_bad"]`` gives the bad filler a text of its own (another article before the gap), it is scored there.

    Raises
    ------
    ItemError
        If a filler is not one piece; filter with `single_piece` first, which counts what it drops.
    """
    ids = {}
    for item in items:
        for word in _fillers(item):
            if word not in ids and (found := filler_id(subject, word)) is None:
                raise ItemError(f"{word!r} is not one piece for {subject.name}: {item}")
            elif word not in ids:
                ids[word] = found
    good = np.empty(len(items))
    bad = np.empty(len(items))
    for i, logs in log_probabilities(subject, [item.text for item in items], settings):
        good[i], bad[i] = logs[ids[items[i].good]], logs[ids[items[i].bad]]
    other = [i for i, item in enumerate(items) if item.meta.get("text_bad", item.text) != item.text]
    for k, logs in log_probabilities(subject, [items[i].meta["text_bad"] for i in other], settings):
        bad[other[k]] = logs[ids[items[other[k]].bad]]
    if np.isnan(good).any() or np.isnan(bad).any():
        raise ModelUnsuitable(
            f"{subject.name} gives NaN for probabilities (with dtype {subject.model.dtype}): try float32"
        )
    return good - bad


def top_k(subject: Subject, texts: Sequence[str], k: int = 5, settings: Settings | None = None) -> list[list[str]]:
    """The k likeliest fillers of each text, likeliest first."""
    return [[word for word, _ in found] for found in likeliest(subject, texts, k, settings)]


def likeliest(
    subject: Subject, texts: Sequence[str], k: int = 5, settings: Settings | None = None
) -> list[list[tuple[str, float]]]:
    """As `top_k`, each filler with its probability."""
    refuse_text(texts)
    k = min(k, subject.config.vocab_size)
    out: list[list[tuple[str, float]]] = [[] for _ in texts]
    for i, logs in log_probabilities(subject, texts, settings):
        likely = np.flatnonzero(logs >= np.partition(logs, -k)[-k])  # k of them, or more that tie with the last
        best = likely[np.argsort(-logs[likely], kind="stable")][:k]
        names = [t.strip("Ġ▁ ") for t in subject.tokenizer.convert_ids_to_tokens(best.tolist())]
        out[i] = list(zip(names, np.exp(logs[best]).tolist()))
    return out


def text_rows(subject: Subject, texts: Sequence[str]) -> list[Row]:
    """Input rows of running text; a word is what the tokenizer's own pre-tokenizer splits off.

    A full stop is a word of its own, then, and "didn't" is three for BERT, as in training. "[MASK]" in a text is text.

    Raises
    ------
    TooLong
        Naming the text, its number of pieces and the limit.
    """
    encoded = subject.tokenizer(list(texts), return_token_type_ids=True, truncation=False, verbose=False)
    rows = []
    for i, ids in enumerate(encoded["input_ids"]):
        if len(ids) > subject.max_length:
            raise TooLong(f"{len(ids)} pieces where {subject.name} takes {subject.max_length}: {texts[i][:120]!r}")
        words = tuple(-1 if w is None else w for w in encoded.word_ids(i))
        types = encoded["token_type_ids"][i] if "token_type_ids" in encoded else [0] * len(ids)
        rows.append(Row(tuple(ids), tuple(types), words, max(words, default=-1) + 1))
    return rows


def _rows(subject: Subject, sentences: Sequence[str | Sequence[str]]) -> list[Row]:
    refuse_text(sentences)
    texts = [s for s in sentences if isinstance(s, str)]
    if texts and len(texts) < len(sentences):
        raise TypeError("sentences are all texts or all sequences of words, not some of each")
    return text_rows(subject, texts) if texts else tokenize(subject, sentences)


def pseudo_log_likelihood(
    subject: Subject,
    sentences: Sequence[str | Sequence[str]],
    *,
    settings: Settings | None = None,
) -> np.ndarray:
    """Sum over the pieces of log P(piece | the rest), each masked in turn; nats, shape (n,).

    The later pieces of the same word are masked too, so that a rare word's last pieces are not given away by its first
    (salazar2020, and kauf2023 for the within-word correction). A sum: more pieces, lower score. Compare sentences of equal
    length, or see `compare`.

    Parameters
    ----------
    sentences : sequence of texts, or of sequences of words
        A text is split as the tokenizer's pre-tokenizer does; words given are taken as they are.

    Raises
    ------
    ItemError
        If a sentence has no piece: its sum, 0, would be above every other's.
    """
    settings = settings or Settings.of()
    budget = settings.batch_tokens or max(COPIES, settings.budget)
    mask = subject.tokenizer.mask_token_id
    totals = np.zeros(len(sentences))
    for start, window in windows(sentences, 64):  # a window of masked copies: one per piece
        copies, positions, owners, wanted = [], [], [], []
        for i, row in enumerate(_rows(subject, window)):
            if not row.n_words:
                raise ItemError(f"{subject.name} reads nothing in {window[i]!r}")
            for t, word in enumerate(row.words):
                if word < 0:
                    continue
                hide = {u for u, w in enumerate(row.words) if w == word and u >= t}
                copies.append(row.masked(hide, mask))
                positions.append(t)
                owners.append(start + i)
                wanted.append(row.ids[t])
        for k, logs in _at(subject, copies, positions, budget):
            totals[owners[k]] += logs[wanted[k]]
    return totals


def told_apart(subject: Subject, pairs: Sequence[MinimalPair]) -> tuple[list[MinimalPair], list[str]]:
    """The pairs whose sentences the model reads as two different rows, and a note that counts the others if there are any.

    What differs only in words that the vocabulary lacks, or in capitals that it has not, is the same row twice.
    """
    sides = [_rows(subject, [getattr(p, side) for p in pairs]) for side in ("good", "bad")]
    kept = [p for p, good, bad in zip(pairs, *sides) if good.ids != bad.ids]
    lost = len(pairs) - len(kept)
    return kept, [f"{lost} of {len(pairs)} pairs left out: {subject.name} reads both sentences alike"] if lost else []


def lengths(subject: Subject, sentences: Sequence[str | Sequence[str]]) -> np.ndarray:
    """Pieces of each sentence, special tokens apart; shape (n,), int."""
    return np.array([sum(w >= 0 for w in row.words) for row in _rows(subject, sentences)], int)


def compare(subject: Subject, pairs: Sequence[MinimalPair], settings: Settings | None = None) -> pd.DataFrame:
    """Both sentences of each pair: their scores and their lengths.

    Returns
    -------
    data frame, a row per pair
        ``good, bad``: pseudo-log-likelihoods (nats); ``good_pieces, bad_pieces``; ``difference``: good less bad;
        ``per_piece``: the difference of the scores per piece.

    Raises
    ------
    ItemError
        If the model reads both sentences of a pair alike; filter with `told_apart` first, which counts what it drops.
    """
    different, _ = told_apart(subject, pairs)
    if len(different) < len(pairs):
        alike = next(p for p in pairs if p not in different)
        raise ItemError(f"{subject.name} reads both sentences alike: {alike}")
    found = {}
    for side in ("good", "bad"):
        texts = [getattr(p, side) for p in pairs]
        found[side] = pseudo_log_likelihood(subject, texts, settings=settings)
        found[f"{side}_pieces"] = lengths(subject, texts)
    frame = pd.DataFrame(found)
    frame["difference"] = frame.good - frame.bad
    frame["per_piece"] = frame.good / frame.good_pieces - frame.bad / frame.bad_pieces
    return frame
