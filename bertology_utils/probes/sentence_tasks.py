"""Ten SentEval-like sentence tasks made from a treebank (conneau2018probing, conneau2018senteval; by layer: jawahar2019).

*SentEval-like*: the questions are those of the published suite, but the sentences are the treebank's, there are
hundreds and not a hundred thousand, trees are dependency trees, and words of the test sentences may occur in training.
Figures are comparable from layer to layer and from model to model, not with published ones.

=========  =========  ==================================================================================
surface    SentLen    how many words, in bins of equal size
           WC         which one of the most frequent content words occurs
syntactic  TreeDepth  a deep or a shallow tree, for a sentence of its length
           TopConst   the sequence of the root's dependents
           BShift     were two neighbouring words swapped?
semantic   Tense      of the main verb
           SubjNum    number of the main verb's subject
           ObjNum     number of its object
           SOMO       was a noun or verb replaced by another of its form ("odd man out")?
           CoordInv   were two coordinated clauses swapped?
=========  =========  ==================================================================================
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ..data.items import ItemError, Sentence
from . import Targets, from_sentences

__all__ = ["KINDS", "MOST", "PROBING", "build", "build_all"]

KINDS = {
    "surface": ("SentLen", "WC"),
    "syntactic": ("TreeDepth", "TopConst", "BShift"),
    "semantic": ("Tense", "SubjNum", "ObjNum", "SOMO", "CoordInv"),
}
PROBING = tuple(t for tasks in KINDS.values() for t in tasks)

Example = tuple[Sentence, tuple[str, ...], str]  # the sentence it is made from, its words, the label
MOST = {"train": 6000, "dev": 600, "test": 1600}  # sentences of a task per split, with `build_all`
LEAST = 8  # train examples a label must have, or it is left out
CONTENT = ("NOUN", "ADJ")  # frequent verbs are have, do, get


def build(task: str, items: Sequence[Sentence], *, seed: int = 0) -> Targets:
    """The sentences of a task with their labels: one target per sentence, spanning it whole.

    Labels with fewer than `LEAST` train examples are left out.

    Parameters
    ----------
    task : str
        One of `PROBING`.
    items : sequence of Sentence
        With words, upos, xpos, feats, heads and deprels.

    Raises
    ------
    KeyError
        If there is no such task.
    ItemError
        If fewer than two labels are left.
    """
    if task not in _TASKS:
        raise KeyError(f"no sentence task {task!r}; there are {', '.join(PROBING)}")
    examples = list(_TASKS[task]([s for s in items if s.heads], random.Random(f"{seed} {task}")))
    seen = Counter(label for s, _, label in examples if s.split == "train")
    kept = [e for e in examples if seen[e[2]] >= LEAST]
    if len({label for *_, label in kept}) < 2:
        raise ItemError(f"{task}: {len(items)} sentences give {dict(seen)}: fewer than two labels of {LEAST} examples")
    made = [Sentence(id=f"{task}-{i}", split=s.split, words=w, condition=c) for i, (s, w, c) in enumerate(kept)]
    return from_sentences(made, lambda s: [(s.condition, (0, len(s.words)))])


def build_all(items: Sequence[Sentence], *, seed: int = 0) -> tuple[dict[str, Targets], list[str]]:
    """The tasks that a treebank gives, at most `MOST` sentences of each, and notes on those it does not give.

    Of each split the first are taken, so that tasks that leave their sentences as they are share most of them.
    """
    made, notes = {}, []
    for name in PROBING:
        try:
            targets = build(name, items, seed=seed)
        except ItemError as error:  # too few sentences of the kind asked for
            notes.append(f"{name} left out: {error}")
            continue
        if set(targets.split) < set(MOST):
            notes.append(f"{name} left out: no sentence in one of the splits")
            continue
        first = [np.flatnonzero(targets.split == split)[:most] for split, most in MOST.items()]
        made[name] = targets.take(np.sort(np.concatenate(first)))
    return made, notes


def _labelled(items: Iterable[Sentence], label: Callable[[Sentence], str | None]) -> Iterable[Example]:
    """The sentences as they are, with a label where they have one."""
    return ((s, s.words, found) for s in items if (found := label(s)) is not None)


def root(sentence: Sentence) -> int:
    return sentence.heads.index(-1)


def children(sentence: Sentence, head: int) -> list[int]:
    return [i for i, h in enumerate(sentence.heads) if h == head]


def tree_depth(sentence: Sentence) -> int:
    """Arcs on the longest path from the root; 0 for a single word."""

    def above(i: int) -> int:
        return 0 if sentence.heads[i] == -1 else 1 + above(sentence.heads[i])

    return max(map(above, range(len(sentence.words))))


def feature(sentence: Sentence, word: int, wanted: str) -> str | None:
    """The value of one morphological feature of a word."""
    found = dict(pair.split("=", 1) for pair in sentence.feats[word].split("|") if "=" in pair)
    return found.get(wanted)


def lengths(items: Sequence[Sentence], rng: random.Random, bins: int = 5) -> Iterable[Example]:
    """Bins that hold equally many train sentences."""
    edges = np.quantile([len(s.words) for s in items if s.split == "train"], np.arange(1, bins) / bins)
    return _labelled(items, lambda s: f"bin {np.searchsorted(edges, len(s.words))}")


def word_content(items: Sequence[Sentence], rng: random.Random, words: int = 15) -> Iterable[Example]:
    """Sentences with exactly one occurrence of exactly one of the most frequent content words."""
    counts = Counter(
        w.lower() for s in items if s.split == "train" for w, p in zip(s.words, s.upos) if p in CONTENT and w.isalpha()
    )
    wanted = {w for w, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:words]}

    def only(s: Sentence) -> str | None:
        found = [w.lower() for w in s.words if w.lower() in wanted]
        return found[0] if len(found) == 1 else None

    return _labelled(items, only)


def depths(items: Sequence[Sentence], rng: random.Random) -> Iterable[Example]:
    """Deeper than a bound or not; each length has its own bound, the one that parts its train sentences most evenly.

    Lengths whose sentences are nearly all of one depth are left out.
    """
    by_length = defaultdict(list)
    for s in items:
        if s.split == "train":
            by_length[len(s.words)].append(tree_depth(s))
    bounds = {}
    for length, found in by_length.items():
        shares = {d: np.mean([f > d for f in found]) for d in set(found)}
        bound = min(shares, key=lambda d: (abs(shares[d] - 0.5), d))
        if 0.2 <= shares[bound] <= 0.8:
            bounds[length] = bound

    def side(s: Sentence) -> str | None:
        bound = bounds.get(len(s.words))
        return None if bound is None else "deep" if tree_depth(s) > bound else "shallow"

    return _labelled(items, side)


def top_constituents(items: Sequence[Sentence], rng: random.Random, kinds: int = 8) -> Iterable[Example]:
    """Sentences with one of the commonest sequences of the root's dependents, punctuation aside."""

    def sequence(s: Sentence) -> str:
        at = root(s)
        parts = {i: s.deprels[i].split(":")[0] for i in children(s, at)} | {at: "ROOT"}
        return " ".join(parts[i] for i in sorted(parts) if parts[i] != "punct")

    common = {k for k, _ in Counter(sequence(s) for s in items if s.split == "train").most_common(kinds)}
    return _labelled(items, lambda s: found if (found := sequence(s)) in common else None)


def _half(items: Sequence[Sentence], rng: random.Random, change: Callable) -> Iterable[Example]:
    """Of the sentences that can be changed, every other one changed, at random."""
    for s in items:
        changed = change(s)
        if changed is not None:
            yield (s, changed, "changed") if rng.random() < 0.5 else (s, s.words, "kept")


def bigram_shift(items: Sequence[Sentence], rng: random.Random) -> Iterable[Example]:
    def swap(s: Sentence) -> tuple[str, ...] | None:
        free = [
            i
            for i in range(len(s.words) - 1)
            if "PUNCT" not in s.upos[i : i + 2] and s.words[i].lower() != s.words[i + 1].lower()
        ]
        if not free:
            return None
        i = rng.choice(free)
        return (*s.words[:i], s.words[i + 1], s.words[i], *s.words[i + 2 :])

    return _half(items, rng, swap)


def tense(items: Sequence[Sentence], rng: random.Random) -> Iterable[Example]:
    """Of the finite word among the main predicate and its auxiliaries."""

    def of(s: Sentence) -> str | None:
        words = [root(s), *(i for i in children(s, root(s)) if s.deprels[i].split(":")[0] in ("aux", "cop"))]
        found = {feature(s, i, "Tense") for i in words if feature(s, i, "VerbForm") == "Fin"} - {None}
        return found.pop() if len(found) == 1 else None

    return _labelled(items, of)


def _number(relation: str) -> Callable:
    def task(items: Sequence[Sentence], rng: random.Random) -> Iterable[Example]:
        def of(s: Sentence) -> str | None:
            found = [i for i in children(s, root(s)) if s.deprels[i].split(":")[0] == relation and s.upos[i] == "NOUN"]
            return feature(s, found[0], "Number") if len(found) == 1 else None

        return _labelled(items, of)

    return task


def odd_man_out(items: Sequence[Sentence], rng: random.Random) -> Iterable[Example]:
    """The replacement has the same xpos (so the same number or tense) and comes from the same treebank."""
    forms = defaultdict(set)
    for s in items:
        for w, p, x in zip(s.words, s.upos, s.xpos or s.upos):
            if p in ("NOUN", "VERB") and w.isalpha():
                forms[p, x].add(w.lower())
    pool = {key: sorted(words) for key, words in forms.items()}

    def replaced(s: Sentence) -> tuple[str, ...] | None:
        tags = list(zip(s.upos, s.xpos or s.upos))
        free = [
            i for i in range(1, len(tags)) if len(pool.get(tags[i], ())) > 1 and s.words[i].lower() in forms[tags[i]]
        ]
        if not free:
            return None
        i = rng.choice(free)
        while (other := rng.choice(pool[tags[i]])) == s.words[i].lower():
            pass
        return (*s.words[:i], other, *s.words[i + 1 :])

    return _half(items, rng, replaced)


def coordination_inversion(items: Sequence[Sentence], rng: random.Random) -> Iterable[Example]:
    """Two clauses, each with a subject, joined by a conjunction at the top; what is left of it, and all to the right."""
    return _half(items, rng, swap_clauses)


def swap_clauses(s: Sentence) -> tuple[str, ...] | None:
    """``A , and B .`` -> ``B , and A .``, or None where the sentence has not that shape."""

    def subject(head: int) -> bool:
        return any(s.deprels[i].split(":")[0] in ("nsubj", "csubj", "expl") for i in children(s, head))

    at = root(s)
    second = [i for i in children(s, at) if s.deprels[i].split(":")[0] == "conj" and i > at and subject(i)]
    if len(second) != 1 or not subject(at):
        return None
    joins = [i for i in children(s, second[0]) if s.deprels[i] == "cc" and i > at]
    if len(joins) != 1:
        return None
    join = joins[0]
    stop = len(s.words) - 1 if s.upos[-1] == "PUNCT" else len(s.words)
    comma = join - 1 if s.upos[join - 1] == "PUNCT" else join
    if any((s.heads[i] > join) for i in range(comma)) or any(
        0 <= s.heads[i] < comma and i != second[0] for i in range(join, stop)
    ):
        return None  # the two sides hang together in another way
    first, last = list(s.words[:comma]), list(s.words[join + 1 : stop])
    if not first or not last:
        return None
    if s.upos[0] != "PROPN" and first[0] != "I":
        first[0] = first[0][0].lower() + first[0][1:]
    last[0] = last[0][0].upper() + last[0][1:]
    return (*last, *s.words[comma : join + 1], *first, *s.words[stop:])


_TASKS = {
    "SentLen": lengths,
    "WC": word_content,
    "TreeDepth": depths,
    "TopConst": top_constituents,
    "BShift": bigram_shift,
    "Tense": tense,
    "SubjNum": _number("nsubj"),
    "ObjNum": _number("obj"),
    "SOMO": odd_man_out,
    "CoordInv": coordination_inversion,
}
