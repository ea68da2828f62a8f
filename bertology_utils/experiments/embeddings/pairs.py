"""Benchmarks of scored pairs: what is chosen on one half of each set, and how well cosines follow it on the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data import sample
from ...errors import TooFew
from ...scores import intervals
from ...scores.intervals import Interval
from ...subject import encode
from ...vectors import similarity

LEAST = 30  # pairs of a set in the half that is scored; smaller sets say nothing
PLAIN = 400  # draws of single pairs, by which the draws of words are set right
# sets that lie in another of the same release: their pairs would count twice
WITHIN = {"WS-353-REL": "WS-353-ALL", "WS-353-SIM": "WS-353-ALL", "MC-30": "RG-65"}


@dataclass(frozen=True)
class Measured:
    """Mean rank correlation over the sets, by column: its value, and its draws of units and of single pairs.

    Attributes
    ----------
    value : array (k,)
    units, plain : arrays (draws, k)
        Words (or whole sentences) resampled; pairs resampled.
    n, clusters : int
        Pairs scored; words (or groups of pairs that share a sentence).
    crossed : bool
        Whether a pair belongs to two units.
    """

    value: np.ndarray
    units: np.ndarray
    plain: np.ndarray
    n: int
    clusters: int
    crossed: bool

    def interval(self, plus: int | Sequence[int], minus: int | Sequence[int] = ()) -> Interval:
        """A column's correlation, or the sum of some columns' less that of others'.

        Words drawn by product count what is a pair's own three times; twice the variance of single pairs is taken out
        again, as the variance of dyads has it (aronow2015), never below that of independent pairs.
        """
        more, less = np.atleast_1d(plus), np.atleast_1d(minus).astype(int)
        value, units, plain = (
            x[..., more].sum(-1) - x[..., less].sum(-1) for x in (self.value, self.units, self.plain)
        )
        if self.crossed and np.nanvar(units) > 0:
            own, whole = np.nanvar(plain), np.nanvar(units)
            units = value + (units - value) * np.sqrt(max(whole - 2 * own, own) / whole)
        return intervals.interval(value, units, clusters=self.clusters)


class Benchmarks:
    """Sets of pairs, by their conditions, each cut into random halves.

    Parameters
    ----------
    items : sequence of ScoredPair
        Sets with fewer than `LEAST` pairs in a half, and those that another one holds, are left out.
    sentences : bool
        Whether the pairs are of sentences, which seldom recur: those that share one are drawn together.

    Raises
    ------
    ValueError
        If no set is left.
    """

    def __init__(self, items: Sequence, settings, *, sentences: bool = False) -> None:
        self.settings, self.sentences = settings, sentences
        self.gold = np.array([i.score for i in items], float)
        places = defaultdict(list)
        for k, item in enumerate(items):
            places[item.condition].append(k)
        self.halves = {}
        for name, where in places.items():
            dev = similarity.halves(len(where), settings.seed)
            if (~dev).sum() >= LEAST and WITHIN.get(name) not in places:
                self.halves[name] = np.array(where)[dev], np.array(where)[~dev]
        if not self.halves:
            raise TooFew(f"{len(items)} pairs in {len(places)} sets: no set has {2 * LEAST}")
        self.a, self.b = ([getattr(i, side).lower() for i in items] for side in "ab")

    def dev(self, scores: np.ndarray) -> np.ndarray:
        """Mean Spearman over the first halves, by column: (pairs, k) -> (k,); -1 where it is not defined."""
        found = [similarity.rank_correlations(self.gold[dev], scores[dev]) for dev, _ in self.halves.values()]
        return np.nan_to_num(np.mean(found, 0), nan=-1.0)

    def measure(self, scores: np.ndarray) -> Measured:
        """Mean Spearman over the second halves, by column: (pairs, k)."""
        test = np.concatenate([half for _, half in self.halves.values()])
        a, b = [self.a[k] for k in test], [self.b[k] for k in test]
        options = {"draws": self.settings.draws, "seed": self.settings.seed}
        if self.sentences:
            units = similarity.components(a, b)
            clusters, weights = int(units.max()) + 1, similarity.unit_weights(units, **options)
        else:
            place = {w: k for k, w in enumerate(dict.fromkeys([*a, *b]))}
            clusters = len(place)
            weights = similarity.word_weights([place[w] for w in a], [place[w] for w in b], **options)
        value, drawn, plain, at = [], [], [], 0
        for k, (_, half) in enumerate(self.halves.values()):
            gold, own = self.gold[half], scores[half]
            value.append(similarity.rank_correlations(gold, own))
            drawn.append(similarity.rank_correlation_draws(gold, own, weights[:, at : at + len(half)]))
            pairs = intervals.counts(len(half), PLAIN, self.settings.seed + 1 + k)
            plain.append(similarity.rank_correlation_draws(gold, own, pairs))
            at += len(half)
        means = [np.mean(x, 0) for x in (value, drawn, plain)]
        return Measured(means[0], means[1], means[2], len(test), clusters, not self.sentences)

    @property
    def note(self) -> str:
        """How many pairs of which sets are scored."""
        sizes = ", ".join(f"{name} {len(half)}" for name, (_, half) in self.halves.items())
        return f"pairs scored, by set: {sizes}"


SIDES = (lambda i: i.a.split(), lambda i: i.b.split())  # the words of a pair's texts


def taken(subject, items: Sequence, *words: Callable, what: str = "sentences") -> tuple[list, str]:
    """The items of which the model takes all `words` whole, and a note of the others ('' where there are none)."""
    fit = np.all([encode.fits(subject, [of(i) for i in items]) for of in words], 0)
    left = f"{(~fit).sum()} {what} longer than {subject.name} takes are left out"
    return [i for i, ok in zip(items, fit) if ok], "" if fit.all() else left


def of_each_set(items: Sequence, most: int, seed: int) -> tuple[list, tuple[str, ...]]:
    """At most so many pairs of each set, drawn at random, and notes of those that were more."""
    kept: list = []
    notes: list[str] = []
    for name in dict.fromkeys(i.condition for i in items):
        own, cut = sample([i for i in items if i.condition == name], most, seed)
        kept += own
        notes += [f"{name}: {note}" for note in cut]
    return kept, tuple(notes)


def cosines(items: Sequence, place: dict[str, int], vectors: np.ndarray) -> np.ndarray:
    """(pairs, ...) cosines from (texts, ..., H) vectors and the texts' places in them."""
    a, b = ([place[getattr(i, side)] for i in items] for side in "ab")
    return similarity.cosines(vectors[a], vectors[b])
