"""Sentence pairs for MLM + NSP or SOP, planned for a whole epoch as five integers a row (devlin2019).

A row is ``[CLS] A [SEP] B [SEP]``. Sentences of a document are gathered up to the target length and cut at a random
sentence bound into A and B; half of the time B is instead a stretch of another document and the
sentences it displaces are put back, to begin the next row. Too long a pair loses pieces at random ends of its longer
half. All documents advance in lock-step, so an epoch costs some hundred vectorised steps, not a loop over its rows.

Two readings of the released code are made explicit: the 10% of shorter targets are drawn for each row (there for each
document), and a row takes at least two sentences where its document has them, so that the choice between the true
and the random B is even also on rows shorter than a sentence. A document's last lone sentence can only be
followed by a random one, as there.

Where the second task is the order of the two (lan2020), B always follows A in the text, half of the time they change
places, a document's last lone sentence belongs to the row before it, and documents of one sentence are left out.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from bertology_utils.family.config import Config

from . import order
from .corpus import Corpus, CorpusError

A_START, A_LENGTH, B_START, B_LENGTH, RANDOM = range(5)  # columns of a plan; B_LENGTH 0: a single segment


def generator(*key: int) -> np.random.Generator:
    """A counter-based generator that depends on the key alone."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(list(key))))


def row_lengths(rows: np.ndarray) -> np.ndarray:
    """Pieces of each planned row with its [CLS] and [SEP], (N,)."""
    return rows[:, A_LENGTH] + rows[:, B_LENGTH] + 2 + (rows[:, B_LENGTH] > 0)


def smoothed(corpus: Corpus, documents: np.ndarray, exponent: float, rng: np.random.Generator) -> np.ndarray:
    """Draw documents so that a file of n pieces is seen in proportion to n ** `exponent`; the total stays.

    A file's documents are taken whole times plus once more at random for the rest, so none is left out of a file
    that is to be seen at least once.
    """
    if exponent == 1:
        return documents
    sizes, groups = corpus.sizes()[documents].astype(float), corpus.groups[documents]
    totals = np.bincount(groups, sizes)
    share = np.where(totals > 0, totals, 1) ** exponent * (totals > 0)
    times = share / share.sum() * totals.sum() / np.where(totals > 0, totals, 1)
    copies = np.floor(times)[groups].astype(int) + (rng.random(len(documents)) < (times % 1)[groups])
    return np.repeat(documents, copies)


def plan(corpus: Corpus, documents: np.ndarray, length: int, config: Config, rng: np.random.Generator) -> np.ndarray:
    """The rows of one epoch over `documents`, shuffled.

    Parameters
    ----------
    corpus : Corpus
    documents : (D,) int
        Documents to use; one named twice is used twice.
    length : int
        Pieces per row at most, special symbols included.
    config : Config
        ``pair``, ``short_share``, ``by_file``.
    rng : numpy.random.Generator

    Returns
    -------
    (N, 5) int64
        Columns `A_START`, `A_LENGTH`, `B_START`, `B_LENGTH` (in ``corpus.tokens``) and `RANDOM`: 1 where B is from
        another document, or where A and B have changed places.

    Raises
    ------
    CorpusError
        There is no other document to take B from, or none with two sentences whose order could be told.
    """
    if config.beside != "nothing":
        from .beside import rows_of

        return rows_of(corpus, documents, length, config, rng)
    bounds = corpus.sentences
    room = length - (2 if config.pair == "none" else 3)
    if config.pair == "sop":
        documents = documents[np.diff(corpus.documents)[documents] > 1]
        if not len(documents):
            raise CorpusError("the order of two sentences needs documents of at least two")
    pool = _Pool(corpus, documents, config.by_file) if config.pair == "nsp" else None
    document = documents
    cursor, last = corpus.documents[documents], corpus.documents[documents + 1]
    made = []
    while len(document):
        n = len(document)
        short = rng.random(n) < config.short_share
        target = np.where(short, rng.integers(2, room + 1, n), room)
        end = np.searchsorted(bounds, bounds[cursor] + target, side="left")
        if pool:
            end = np.minimum(np.maximum(end, cursor + 2), last)
            rows, cursor = _pairs(bounds, pool, document, cursor, end, target, rng)
            truncate(rows, room, rng)
        elif config.pair == "sop":
            end = np.minimum(np.maximum(end, cursor + 2), last)
            end = np.where(end == last - 1, last, end)
            rows, cursor = _ordered(bounds, cursor, end, rng), end
            truncate(rows, room, rng)
        else:
            cursor_end = np.minimum(end, last)
            rows = np.zeros((n, 5), np.int64)
            rows[:, A_START], rows[:, A_LENGTH] = bounds[cursor], bounds[cursor_end] - bounds[cursor]
            _cut(rows, A_START, A_LENGTH, np.maximum(rows[:, A_LENGTH] - room, 0), rng)
            cursor = cursor_end
        made.append(rows)
        left = cursor < last
        document, cursor, last = document[left], cursor[left], last[left]
    rows = np.concatenate(made)
    return rows[rng.permutation(len(rows))]


class _Pool:
    """Documents that a random B may come from: the same epoch's, or the same file's."""

    def __init__(self, corpus: Corpus, documents: np.ndarray, by_file: bool) -> None:
        self.corpus = corpus
        unique = np.unique(documents)
        groups = corpus.groups[unique] if by_file else np.zeros(len(unique), np.int64)
        order = np.argsort(groups, kind="stable")
        self.documents, groups = unique[order], groups[order]
        self.place = np.full(len(corpus.groups), -1)
        self.place[self.documents] = np.arange(len(unique))
        self.first = np.searchsorted(groups, groups, side="left")
        self.count = np.searchsorted(groups, groups, side="right") - self.first
        if self.count.min() < 2:
            lone = int(self.documents[self.count.argmin()])
            where = corpus.files[corpus.groups[lone]]["name"] if by_file else "the corpus"
            raise CorpusError(f"a random next sentence comes from another document: {where} has but one in this split")

    def other(self, document: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """For each document another one, uniformly."""
        place = self.place[document]
        first, count = self.first[place], self.count[place]
        step = 1 + np.floor(rng.random(len(document)) * (count - 1)).astype(np.int64)
        return self.documents[first + (place - first + step) % count]


def _pairs(
    bounds: np.ndarray,
    pool: _Pool,
    document: np.ndarray,
    cursor: np.ndarray,
    end: np.ndarray,
    target: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """One row of each document from its cursor, and where its next row begins."""
    n, count = len(document), end - cursor
    cut = cursor + 1 + np.floor(rng.random(n) * np.maximum(count - 1, 1)).astype(np.int64)
    random = (count == 1) | (rng.random(n) < 0.5)
    other = pool.other(document, rng)
    begin, limit = pool.corpus.documents[other], pool.corpus.documents[other + 1]
    start = begin + np.floor(rng.random(n) * (limit - begin)).astype(np.int64)
    wanted = target - (bounds[cut] - bounds[cursor])
    stop = np.clip(np.searchsorted(bounds, bounds[start] + wanted, side="left"), start + 1, limit)
    b_start, b_stop = np.where(random, start, cut), np.where(random, stop, end)
    rows = np.stack(
        [
            bounds[cursor],
            bounds[cut] - bounds[cursor],
            bounds[b_start],
            bounds[b_stop] - bounds[b_start],
            random.astype(np.int64),
        ],
        1,
    )
    return rows, np.where(random, cut, end)


def _ordered(bounds: np.ndarray, cursor: np.ndarray, end: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One row of each document from its cursor to `end`, cut at a sentence's end, half of them the wrong way round."""
    n = len(cursor)
    cut = cursor + 1 + np.floor(rng.random(n) * (end - cursor - 1)).astype(np.int64)
    first, second = (bounds[cursor], bounds[cut] - bounds[cursor]), (bounds[cut], bounds[end] - bounds[cut])
    swapped = rng.random(n) < 0.5
    columns = [np.where(swapped, late, early) for early, late in zip(first, second, strict=True)]
    columns += [np.where(swapped, early, late) for early, late in zip(first, second, strict=True)]
    return np.stack([*columns, swapped.astype(np.int64)], 1)


def truncate(rows: np.ndarray, room: int, rng: np.random.Generator) -> None:
    """Shorten the longer segment, piece by piece, until the pair fits; B where they are equally long."""
    a, b = rows[:, A_LENGTH], rows[:, B_LENGTH]
    over = np.maximum(a + b - room, 0)
    from_a, from_b = np.minimum(over, np.maximum(a - b, 0)), np.minimum(over, np.maximum(b - a, 0))
    rest = over - from_a - from_b
    _cut(rows, A_START, A_LENGTH, from_a + rest // 2, rng)
    _cut(rows, B_START, B_LENGTH, from_b + rest - rest // 2, rng)


def _cut(rows: np.ndarray, start: int, length: int, pieces: np.ndarray, rng: np.random.Generator) -> None:
    """Take `pieces` off a segment, each from its front or its back by a fair coin."""
    rows[:, start] += rng.binomial(pieces, 0.5)
    rows[:, length] -= pieces


class Stream:
    """Batches of planned rows, epoch after epoch; a row follows from (seed, epoch, place) alone.

    With `same_rows` or `static_masks` every epoch has the first one's rows, in an order of its own.

    The next epoch is planned in a thread while this one is used. `epoch` and `place` say where the stream stands
    and are all that a checkpoint needs.
    """

    def __init__(self, corpus: Corpus, config: Config) -> None:
        self.corpus, self.config = corpus, config
        self.documents = np.flatnonzero(~corpus.held)
        self.epoch = self.place = 0
        self._worker = ThreadPoolExecutor(1)
        self._plans: dict[tuple[int, int], Future[np.ndarray]] = {}

    def _plan(self, epoch: int, length: int) -> np.ndarray:
        config = self.config
        same = config.same_rows or config.static_masks
        rng = generator(config.seed, 0 if same else epoch, length)
        rows = plan(self.corpus, smoothed(self.corpus, self.documents, config.smoothing, rng), length, config, rng)
        if same:
            rows = rows[generator(config.seed, epoch, length, 1).permutation(len(rows))]
        if config.order == order.PHRASES:  # all of them, however many rows a run reaches
            return order.phrases_first(self.corpus, rows)
        if part := order.SORTED[config.order]:
            share = sum(p.share for p in config.phases if p.length == length) * part
            reached = int(np.searchsorted(row_lengths(rows).cumsum(), share * config.tokens) + 1)
            first = order.phrases_first if config.order.startswith(order.PHRASES) else order.rare_last
            rows = first(self.corpus, rows, reached)
        return rows

    def rows(self, length: int) -> np.ndarray:
        """The current epoch's plan for rows of `length`, (N, 5)."""
        for epoch in (self.epoch, self.epoch + 1):
            if (epoch, length) not in self._plans:
                self._plans[epoch, length] = self._worker.submit(self._plan, epoch, length)
        self._plans = {k: v for k, v in self._plans.items() if k[0] >= self.epoch and k[1] == length}
        return self._plans[self.epoch, length].result()

    def narrow(self, group: int) -> None:
        """From the next row on, plan with the training documents of one file alone."""
        self.documents = np.flatnonzero(~self.corpus.held & (self.corpus.groups == group))
        self._plans.clear()

    def batch(self, length: int, count: int) -> np.ndarray:
        """The next `count` rows; what an epoch lacks comes from the one after it, (count, 5)."""
        taken, parts = 0, []
        while taken < count:
            rows = self.rows(length)
            part = rows[self.place : self.place + count - taken]
            parts.append(part)
            taken += len(part)
            self.place += len(part)
            if self.place >= len(rows):
                self.next_epoch()
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def next_epoch(self) -> None:
        """Begin the next epoch: at the end of one, and where the row length changes."""
        self.epoch, self.place = self.epoch + 1, 0
