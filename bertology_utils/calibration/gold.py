"""What a stand-in knows of a row: the items whose text it is, found by its pieces, with masks allowed.

A model is handed piece ids and no more. `Gold` keeps the rows of all items of a source, so that a stand-in that is given
a row, or a row with some pieces masked, can look up the annotation and make vectors, maps or logits from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data.items import (
    MASK,
    Ambiguity,
    Association,
    Cloze,
    Coreference,
    Data,
    EdgeItem,
    ForcedChoice,
    Item,
    Labelled,
    MinimalPair,
    NumberItem,
    ScoredPair,
    Sentence,
    Translation,
    WordInContext,
)
from ..subject import encode
from ..subject.models import Subject

Text = tuple[Sequence[str], Sequence[str] | None, Item | Sentence, str]  # words, second segment, item, part


@dataclass(frozen=True, eq=False)
class Seen:
    """One row as a stand-in sees it; T pieces, W words.

    Attributes
    ----------
    ids : int array (T,)
        As given, masks included.
    original : int array (T,)
        With the masked pieces put back where the row is known.
    words : int array (T,)
        The word of each piece, counted on through a second segment; -1 for special tokens.
    masked : bool array (T,)
    golds : tuple of (item, part)
        Every item whose text this is; `part` says which of its texts ("text", "good", "bad", "a", "b", ...).
    """

    ids: np.ndarray
    original: np.ndarray
    words: np.ndarray
    masked: np.ndarray
    golds: tuple[tuple[Any, str], ...] = ()

    @property
    def n_words(self) -> int:
        return int(self.words.max(initial=-1)) + 1

    def first(self, kind: type | tuple[type, ...]) -> Any | None:
        """The first item of a type, or None."""
        return next((item for item, _ in self.golds if isinstance(item, kind)), None)

    def hidden_words(self) -> list[int]:
        """The words all of whose pieces are masked."""
        return sorted(set(self.words[self.masked].tolist()) - set(self.words[~self.masked].tolist()) - {-1})

    def spread(self, by_word: np.ndarray) -> np.ndarray:
        """Values (..., W, F) of words as values (..., T, F) of pieces; 0 for special tokens and words without any."""
        known = (self.words >= 0) & (self.words < by_word.shape[-2])
        out = np.zeros((*by_word.shape[:-2], len(self.words), by_word.shape[-1]), np.float32)
        out[..., known, :] = by_word[..., self.words[known], :]
        return out


def texts(item: Any) -> Iterator[Text]:
    """The texts of an item as a model may be given them."""
    if isinstance(item, Sentence | WordInContext | EdgeItem | Ambiguity | NumberItem | Coreference):
        yield item.words, None, item, "text"
    elif isinstance(item, ForcedChoice | Cloze):
        yield item.text.split(), None, item, "text"
        fillers = (item.good, item.bad) if isinstance(item, ForcedChoice) else item.answers[:1]
        for part, word in zip(("good", "bad"), fillers):
            yield item.text.replace(MASK, word).split(), None, item, part
    elif isinstance(item, MinimalPair):
        yield item.good.split(), None, item, "good"
        yield item.bad.split(), None, item, "bad"
    elif isinstance(item, Labelled):
        yield item.text.split(), item.text_b.split() if item.text_b is not None else None, item, "text"
        for part in ("a", "b"):  # sense pairs: two sentences as words
            if f"words_{part}" in item.meta:
                yield item.meta[f"words_{part}"], None, item, part
    elif isinstance(item, ScoredPair):
        yield item.a.split(), None, item, "a"
        yield item.b.split(), None, item, "b"
    elif isinstance(item, Association):
        for part in ("x", "y", "a", "b"):
            for text in getattr(item, part):
                yield text.split(), None, item, part
    elif isinstance(item, Translation):
        for language, sentence in item.sentences.items():
            yield sentence.words, None, item, language


@dataclass(eq=False)
class Gold:
    """All rows that a stand-in knows.

    Parameters
    ----------
    base : Subject
        Whose tokenizer makes the rows. Texts that are longer than it takes are left out.
    data : Data
        The items.
    more : iterable of (words, second segment or None, item, part)
        Other texts of theirs, where an experiment makes some.
    """

    base: Subject
    data: Data
    more: Iterable[Text] = ()
    known: dict[bytes, Seen] = field(default_factory=dict, init=False)
    unknown: set[bytes] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        found = [t for items in self.data.items.values() for item in items for t in texts(item)] + list(self.more)
        single, double = ([t for t in found if (t[1] is not None) is side] for side in (False, True))
        golds: dict[bytes, list] = defaultdict(list)
        words: dict[bytes, tuple] = {}
        for part in (single, double):
            first = [_with_gaps(t[0]) for t in part]
            second = [_with_gaps(t[1] or ()) for t in part] if part is double else None
            ok = encode.fits(self.base, first if second is None else [a + b for a, b in zip(first, second)])
            kept = [k for k, fine in enumerate(ok) if fine and first[k]]
            others = None if second is None else [second[k] for k in kept]
            for k, row in zip(kept, _rows(self.base, [first[k] for k in kept], others)):
                if row is None:
                    continue
                key = np.asarray(row.ids, np.int64).tobytes()
                golds[key].append(part[k][2:])
                words[key] = row.words
        self._by_length: dict[int, list[bytes]] = defaultdict(list)
        for key, of in golds.items():
            ids = np.frombuffer(key, np.int64)
            self.known[key] = Seen(ids, ids, np.array(words[key]), ids == self.base.tokenizer.mask_token_id, tuple(of))
            self._by_length[len(ids)].append(key)
        self._tables = {n: np.stack([np.frombuffer(k, np.int64) for k in keys]) for n, keys in self._by_length.items()}

    def __deepcopy__(self, memo) -> Gold:
        return self  # a fine-tuned copy of a stand-in knows the same texts

    def __call__(self, ids: np.ndarray) -> Seen:
        """What is known of a row of piece ids (T,), special tokens included and padding left out."""
        ids = np.ascontiguousarray(ids, np.int64)
        key = ids.tobytes()
        if key not in self.known:
            self.known[key] = self._look(ids, key)
        return self.known[key]

    def _look(self, ids: np.ndarray, key: bytes) -> Seen:
        masked = ids == self.base.tokenizer.mask_token_id
        table = self._tables.get(len(ids))
        if table is not None and masked.any():
            (fits,) = np.nonzero(((table == ids) | masked).all(1))
            if len(fits):
                source = self.known[self._by_length[len(ids)][fits[0]]]
                # texts of several items may fit once pieces are hidden: the first is taken for all
                return Seen(ids, source.original, source.words, masked, source.golds)
        self.unknown.add(key)
        return Seen(ids, ids, self._guessed(ids), masked)

    def _guessed(self, ids: np.ndarray) -> np.ndarray:
        """Words of a row nobody announced: a piece that no continuation mark begins is a new one."""
        tokenizer, out, word = self.base.tokenizer, [], -1
        for name in tokenizer.convert_ids_to_tokens(ids.tolist()):
            special = name in tokenizer.all_special_tokens and name not in (tokenizer.mask_token, tokenizer.unk_token)
            if not special and not (name.startswith("##") and word >= 0):
                word += 1
            out.append(-1 if special else word)
        return np.array(out)


def _with_gaps(words: Sequence[str]) -> list[str]:
    return [encode.Gapped(w) if MASK in w else w for w in words]


def _rows(base: Subject, first: list, second: list | None) -> list[encode.Row | None]:
    """Rows of the texts; None for a pair that is too long."""
    if second is None:
        return list(encode.tokenize(base, first))
    out: list[encode.Row | None] = []
    for a, b in zip(first, second):
        try:
            out += encode.tokenize(base, [a], [b])
        except encode.TooLong:
            out.append(None)
    return out
