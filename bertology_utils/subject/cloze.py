"""What a masked language model predicts: filled gaps, forced choices, sentence scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from ..data.items import MASK, Cloze, ForcedChoice, ItemError, MinimalPair
from ..settings import Settings
from .encode import Row, TooLong, batches, forward, tokenize, windows
from .models import Subject


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
    """
    words = {w for item in items for w in _fillers(item)}
    known = {w for w in words if filler_id(subject, w) is not None}
    kept = [item for item in items if all(w in known for w in _fillers(item))]
    return kept, f"{len(kept)} of {len(items)} items have fillers that are single pieces of {subject.name}'s vocabulary"


def _fillers(item: ForcedChoice | Cloze) -> tuple[str, ...]:
    return (item.good, item.bad) if isinstance(item, ForcedChoice) else item.answers


def gap_row(subject: Subject, text: str) -> tuple[Row, int]:
    """The input row of a text with one `[MASK]`, and the position of the mask in it."""
    if text.count(MASK) != 1:
        raise ItemError(f"needs exactly one {MASK}: {text!r}")
    encoded = subject.tokenizer(
        text.replace(MASK, subject.tokenizer.mask_token), return_token_type_ids=True, verbose=False
    )
    ids = encoded["input_ids"]
    if len(ids) > subject.max_length:
        raise TooLong(f"{len(ids)} pieces where {subject.name} takes {subject.max_length}: {text[:120]!r}")
    types = encoded["token_type_ids"] if "token_type_ids" in encoded else [0] * len(ids)
    return Row(tuple(ids), tuple(types), (-1,) * len(ids), 0), ids.index(subject.tokenizer.mask_token_id)


def log_probabilities(
    subject: Subject, texts: Sequence[str], settings: Settings | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """The distribution at the mask of each text, streamed as (i, float32 array (V,) of natural-log probabilities)."""
    budget = (settings or Settings.of()).batch_tokens
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
    out = np.empty(len(items))
    for i, logs in log_probabilities(subject, [item.text for item in items], settings):
        out[i] = logs[ids[items[i].good]] - logs[ids[items[i].bad]]
    return out


def top_k(subject: Subject, texts: Sequence[str], k: int = 5, settings: Settings | None = None) -> list[list[str]]:
    """The k likeliest fillers of each text, likeliest first."""
    out: list[list[str]] = [[] for _ in texts]
    for i, logs in log_probabilities(subject, texts, settings):
        likely = np.flatnonzero(logs >= np.partition(logs, -k)[-k])  # k of them, or more that tie with the last
        best = likely[np.argsort(-logs[likely], kind="stable")][:k]
        out[i] = [t.strip("Ġ▁ ") for t in subject.tokenizer.convert_ids_to_tokens(best.tolist())]
    return out


def ranks(subject: Subject, items: Sequence[Cloze], settings: Settings | None = None) -> np.ndarray:
    """Rank of the best-placed answer of each item among the whole vocabulary, 0 for the top; shape (n,), int."""
    ids = [[filler_id(subject, w) for w in item.answers] for item in items]
    for item, found in zip(items, ids):
        if not any(f is not None for f in found):
            raise ItemError(f"no answer is one piece for {subject.name}: {item}")
    out = np.empty(len(items), int)
    for i, logs in log_probabilities(subject, [item.text for item in items], settings):
        best = max(logs[f] for f in ids[i] if f is not None)
        out[i] = int((logs > best).sum())
    return out


def pseudo_log_likelihood(
    subject: Subject, sentences: Sequence[Sequence[str]], *, whole_word: bool = True, settings: Settings | None = None
) -> np.ndarray:
    """Sum over the pieces of log P(piece | the rest), each masked in turn; nats, shape (n,).

    With `whole_word`, the later pieces of the same word are masked too, so that a rare word's last pieces are not
    given away by its first (salazar2020, and kauf2023 for the within-word correction).
    """
    budget = (settings or Settings.of()).batch_tokens
    mask = subject.tokenizer.mask_token_id
    totals = np.zeros(len(sentences))
    for start, window in windows(sentences, 64):  # a window of masked copies: one a piece
        copies, positions, owners, wanted = [], [], [], []
        for i, row in enumerate(tokenize(subject, window)):
            for t, word in enumerate(row.words):
                if word < 0:
                    continue
                hide = {u for u, w in enumerate(row.words) if w == word and u >= t} if whole_word else {t}
                copies.append(
                    Row(
                        tuple(mask if u in hide else x for u, x in enumerate(row.ids)),
                        row.types,
                        row.words,
                        row.n_words,
                    )
                )
                positions.append(t)
                owners.append(start + i)
                wanted.append(row.ids[t])
        for k, logs in _at(subject, copies, positions, budget):
            totals[owners[k]] += logs[wanted[k]]
    return totals


def prefer(subject: Subject, pairs: Sequence[MinimalPair], settings: Settings | None = None) -> np.ndarray:
    """Pseudo-log-likelihood of the acceptable sentence less the other's; nats, shape (n,)."""
    good = pseudo_log_likelihood(subject, [p.good.split() for p in pairs], settings=settings)
    return good - pseudo_log_likelihood(subject, [p.bad.split() for p in pairs], settings=settings)
