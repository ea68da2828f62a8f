"""Named entities in running text, from its capitals alone: no tagger, no list (after sun2019b, who use a tagger).

A word form is a name where it is capitalised in more than half of its occurrences inside sentences; what begins a sentence
tells nothing. An entity is a run of such words in one sentence. The generated language capitalises names and nothing
else; in English titles, months and languages come along.
"""

from __future__ import annotations

import numpy as np
from tokenizers import Tokenizer

from .units import INSIDE, NAMED

USUAL = 0.5  # of a form's occurrences inside sentences
PART = 20_000  # sentences tokenised at a time


def capitals(sentences: list[str], tokenizer: Tokenizer) -> np.ndarray:
    """Whether a piece begins with a capital in the text, (T,) bool over all sentences."""
    out = []
    for start in range(0, len(sentences), PART):
        part = sentences[start : start + PART]
        encoded = tokenizer.encode_batch(part, add_special_tokens=False)
        for sentence, one in zip(part, encoded, strict=True):
            upper = [c.isupper() for c in sentence]
            out.append(np.fromiter((upper[begin] for begin, _ in one.offsets), bool, len(one.ids)))
    return np.concatenate(out)


def find(tokens: np.ndarray, sentences: np.ndarray, capital: np.ndarray, continuation: np.ndarray) -> np.ndarray:
    """Mark the pieces of named entities.

    Parameters
    ----------
    tokens : (T,) uint16
        The corpus.
    sentences : (S + 1,) int64
        Where its sentences begin.
    capital : (T,) bool
        As `capitals` gives them.
    continuation : (V,) bool
        Whether a piece continues a word, by id.

    Returns
    -------
    (T,) uint8
        `NAMED` for every piece of an entity, `INSIDE` for those that continue it.

    Examples
    --------
    Ids 1 and 2 are "the" and "saw", 3 and 4 "Ann" and "Lee": "Ann saw Ann Lee", "The Ann Lee saw the".

    >>> tokens = np.array([3, 2, 3, 4, 1, 3, 4, 2, 1])
    >>> capital = np.array([1, 0, 1, 1, 1, 1, 1, 0, 0], bool)
    >>> find(tokens, np.array([0, 4, 9]), capital, np.zeros(5, bool)).tolist()
    [2, 0, 2, 3, 0, 2, 3, 0, 0]
    """
    begins = ~continuation[tokens]
    begins[sentences[:-1]] = True
    start = np.flatnonzero(begins)  # (W,): the words
    first = np.zeros(len(tokens), bool)
    first[sentences[:-1]] = True
    form = _forms(tokens, start)
    inside = ~first[start]
    count = np.bincount(form[inside], minlength=form.max() + 1)
    upper = np.bincount(form[inside], capital[start[inside]], minlength=form.max() + 1)
    named = (upper > USUAL * count)[form]  # (W,)
    follows = named & np.concatenate([[False], named[:-1]]) & inside
    word = np.cumsum(begins) - 1  # (T,): the piece's word
    return (NAMED * named[word] + INSIDE * ((follows[word] | ~begins) & named[word])).astype(np.uint8)


def _forms(tokens: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Words with the same pieces have the same number, (W,)."""
    place = np.arange(len(tokens)) - np.repeat(start, np.diff([*start, len(tokens)]))
    with np.errstate(over="ignore"):
        key = (tokens.astype(np.uint64) + np.uint64(1)) * (
            np.uint64(0x9E3779B97F4A7C15) ** (place + 1).astype(np.uint64)
        )
    return np.unique(np.add.reduceat(key, start), return_inverse=True)[1]
