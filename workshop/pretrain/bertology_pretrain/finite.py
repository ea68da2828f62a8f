"""Verb forms of English that show the number of their subject, and those behind a prepositional phrase, found by words alone.

A form of *be*, *have* or *do*, or one of a pair such as *stand* and *stands* whose bare form the text uses as a verb: often
enough it follows *to* or a modal. Bare forms that follow one themselves show no number and are passed over, as are pieces that
other pieces continue. Some nouns (*the works*) are taken for verbs; what is hidden a little more often does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from tokenizers import Tokenizer

from bertology_world.lexicon import add_s

from . import units

AUXILIARIES = "is are was were has have does do".split()
BEFORE_BARE = "to will would can could may might must shall should cannot not do does did let t".split()
PREPOSITIONS = """
    of in for with from on at by near between among under over behind about against within around across into
    during through
""".split()
ENDS_A_PHRASE = """
    . , ; : ( ) [ ] " ' - – — ? ! / “ ” ‘ ’ and or but nor that which who whom whose where when while if
    because as than there what how i you we they he she it this these those one both to not be been being had
    did will would can could may might must should
""".split()
REACH = 6  # pieces of a prepositional phrase, at most
LEAST = 0.15  # share of a bare form's occurrences that follow one of these, from which on it is taken for a verb


def listed(words: Iterable[str], tokenizer: Tokenizer) -> np.ndarray:
    """Which pieces are one of these words, by id, (V,) bool; words that are no piece are passed over."""
    pieces = tokenizer.get_vocab()
    out = np.zeros(tokenizer.get_vocab_size(), bool)
    out[[pieces[word] for word in words if word in pieces]] = True
    return out


def pairs(tokens: np.ndarray, tokenizer: Tokenizer) -> dict[str, str]:
    """Bare forms that are verbs in this text, with their third person; both are single pieces.

    Parameters
    ----------
    tokens : (T,) uint16
    tokenizer : tokenizers.Tokenizer
    """
    pieces = tokenizer.get_vocab()
    size = tokenizer.get_vocab_size()
    after = listed(BEFORE_BARE, tokenizer)[tokens[:-1]]
    often = np.bincount(tokens, minlength=size)
    bare = np.bincount(tokens[1:][after], minlength=size)
    return {
        word: add_s(word)
        for word, number in pieces.items()
        if len(word) > 1
        and word.isalpha()
        and word not in ("be", *AUXILIARIES, *BEFORE_BARE)
        and add_s(word) in pieces
        and bare[number] > LEAST * often[number]
    }


def find(tokens: np.ndarray, tokenizer: Tokenizer) -> np.ndarray:
    """Which pieces of a text are verb forms that show number, (T,) bool.

    Parameters
    ----------
    tokens : (T,) uint16
    tokenizer : tokenizers.Tokenizer
    """
    verbs = pairs(tokens, tokenizer)
    shows = listed((*AUXILIARIES, *verbs, *verbs.values()), tokenizer)
    bare = listed(("have", "do", *verbs), tokenizer)
    out = shows[tokens]
    out[1:] &= ~(listed(BEFORE_BARE, tokenizer)[tokens[:-1]] & bare[tokens[1:]])
    out[:-1] &= ~units.continuation(tokenizer)[tokens[1:]]
    return out


def behind_phrases(tokens: np.ndarray, tokenizer: Tokenizer) -> np.ndarray:
    """Which of those verb forms stand right behind a prepositional phrase that follows a word, (T,) bool.

    *The name of the islands comes from …*: where subject and verb are apart. Whether the two nouns differ in number plays no
    part. Between preposition and verb there are one to five pieces, none of them a word or mark that ends a phrase.

    Parameters
    ----------
    tokens : (T,) uint16
    tokenizer : tokenizers.Tokenizer
    """
    verb = find(tokens, tokenizer)
    preposition, ends = listed(PREPOSITIONS, tokenizer)[tokens], listed(ENDS_A_PHRASE, tokenizer)[tokens] | verb
    at = np.flatnonzero(verb)
    at = at[at > REACH]
    open_, found = ~(preposition | ends)[at - 1], np.zeros(len(at), bool)
    for back in range(2, REACH + 1):
        here = at - back
        starts = open_ & preposition[here]
        found |= starts & ~(preposition | ends)[here - 1]
        open_ &= ~(preposition | ends)[here]
    out = np.zeros(len(tokens), bool)
    out[at[found]] = True
    return out
