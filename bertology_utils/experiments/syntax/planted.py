"""Subjects in which the claims of this section are planted, from the gold annotation: what their rules must find."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from ...calibration import planted as plants
from ...calibration.gold import Seen
from ...calibration.nulls import as_null
from ...calibration.planted import Part, plant
from ...data.items import Ambiguity, Cloze, EdgeItem, ForcedChoice, Labelled, Sentence
from ...probes import structural, tagging, tpdn

LABELS = 64  # dimensions of codes: random ones overlap by an eighth
REACH = 2  # words on each side


def _above(base) -> np.ndarray:
    return plants.above_embeddings(base.n_layers)


def targets(data, base, rng):
    """The word that is sought is marked in every layer above the embeddings, with noise."""

    def sought(item) -> Iterable[tuple[int, str]]:
        return [(item.target, "sought")] if isinstance(item, Ambiguity) and item.target is not None else []

    parts = [plants.word_vectors(), plants.label_vectors(sought, size=16, layers=_above(base))]
    return plant(base, data, rng, parts=parts)


def beside(strength, noise: float = 0.1) -> Part:
    """Each word's code and, side by side, those of two words before it and of two after it; by layer (L + 1,)."""

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, 2 * REACH + 1, LABELS), np.float32)
        item = seen.first(Ambiguity)
        for w, word in enumerate(item.words if item is not None else ()):
            for step in range(-REACH, REACH + 1):
                if 0 <= w + step < seen.n_words:
                    out[w + step, REACH - step] = plants.code(word.lower(), LABELS)
        return out.reshape(seen.n_words, -1)

    return Part((2 * REACH + 1) * LABELS, make, layers=strength, noise=noise)


@as_null("neighbours")
def neighbours(data, base, rng):
    """Each word's code and those of two words on each side of it."""
    return plant(base, data, rng, parts=[beside(8 * _above(base))])


def analysed(data, base, rng):
    """Every word's part of speech, chunk tag and relation, in the layers above the embeddings, with noise."""
    parts = [plants.word_vectors()]
    for layer in ("upos", "xpos", "chunks", "deprels"):
        parts.append(plants.label_vectors(plants.of_words(layer), size=LABELS, layers=_above(base), noise=0.05))
    return plant(base, data, rng, parts=parts)


def parents(data, base, rng):
    """Every word's parent's relation and, more faintly, its grandparent's; nothing of what stands above."""

    def relation(steps: int):
        def labels(item) -> Iterable[tuple[int, str]]:
            for word in range(len(getattr(item, "heads", ()))):
                at = word
                for _ in range(steps):
                    at = item.heads[at] if at >= 0 else -1
                if at >= 0:
                    yield word, item.deprels[at].split(":")[0]

        return labels

    parts = [plants.word_vectors()]
    for steps, strength in ((1, 1.0), (2, 0.25)):
        layers = strength * _above(base)
        parts.append(plants.label_vectors(relation(steps), size=LABELS, layers=layers, noise=0.1))
    return plant(base, data, rng, parts=parts)


def tagged_trees(data, base, rng):
    """Every word's part of speech, its head as a tag, and the constituents it is in, above the embeddings."""

    def heads(item) -> Iterable[tuple[int, str]]:
        if not isinstance(item, Sentence) or not item.heads:
            return []
        kept, own = structural.without(item.heads, [not any(c.isalnum() for c in w) for w in item.words])
        tags = [(item.upos or item.xpos)[k] for k in kept]
        return zip(kept, tagging.relative_heads(own, tags))

    def inside(item) -> Iterable[tuple[int, tuple]]:
        for span in getattr(item, "brackets", ()):
            yield from ((w, (span.start, span.end)) for w in range(span.start, span.end))

    above = _above(base)
    parts = [
        plants.word_vectors(size=16),
        plants.label_vectors(plants.of_words("upos"), size=LABELS, layers=above, noise=0.02),
        plants.label_vectors(plants.of_words("xpos"), size=LABELS, layers=above, noise=0.02),
        plants.label_vectors(heads, size=LABELS, layers=above, noise=0.02),
        plants.label_vectors(inside, size=LABELS, layers=6 * above, noise=0.02),
    ]
    return plant(base, data, rng, parts=parts)


def trees(data, base, rng):
    """Static word vectors, and from block 1 on vectors whose squared distances are tree distances, with noise."""
    parts = [plants.word_vectors(), plants.tree_vectors(layers=_above(base), noise=0.1)]
    return plant(base, data, rng, parts=parts)


@as_null("a head with the tree", "no head")
def head_with_the_tree(data, base, rng):
    """One head attends along the gold arcs."""
    heads = {(base.n_layers // 2, 0): plants.arcs_of()}
    return plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.6))


def neighbour_heads(data, base, rng):
    """Heads that attend to the next and to the previous word, and none that knows more of the tree."""

    def towards(step: int):
        return lambda seen: [(i, i + step) for i in range(seen.n_words) if 0 <= i + step < seen.n_words]

    heads = {(layer, head): towards(1 if head else -1) for layer in range(base.n_layers) for head in (0, 1)}
    return plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


def bound_to_tree_roles(data, base, rng):
    """The vector of [CLS] is the sum of its words, each bound to its place in the tree, with noise."""
    fillers, places = 6, 8
    drawn: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((len(seen.ids), fillers * places), np.float32)
        item = seen.first(Sentence)
        if item is None or not item.brackets:
            return out
        for word, role in zip(item.words, tpdn.roles("tree", len(item.words), item.brackets)):
            key = word.lower(), role
            if key not in drawn:
                drawn[key] = plants.code(("filler", key[0]), fillers), plants.code(("role", role), places)
            filler, place = drawn[key]
            out[0] += np.outer(filler, place).ravel()
        return out

    parts = [Part(fillers * places, make, layers=_above(base), noise=0.05, by_piece=True)]
    return plant(base, data, rng, parts=parts)


def impacts(data, base, rng):
    """Masking a word moves the others the more the nearer they are in the tree, with noise."""
    return plant(base, data, rng, parts=[plants.impact(noise=0.05)])


@as_null("rare words")
def rare_words(data, base, rng):
    """Masking a word moves the others the more the rarer it is, and the nearer they stand."""
    counts = Counter(word.lower() for item in data["treebank"] for word in item.words)

    def moved(seen: Seen) -> np.ndarray | None:
        item = seen.first(Sentence)
        if item is None:
            return None
        rare = np.log(counts.total() / np.array([counts[word.lower()] for word in item.words]))
        return rare / (1 + np.abs(np.subtract.outer(np.arange(len(rare)), np.arange(len(rare)))))

    return plant(base, data, rng, parts=[plants.impact(lambda impact: impact, noise=0.001, distances=moved)])


def choices(data, base, rng):
    """The right form leads by four nats, give or take one, in nine items of ten."""
    return plant(base, data, rng, logits=plants.choice_logits(base, strength=4, right=0.9))


def polarity(data, base, rng):
    """Licensors and polarity items are told in 95 of 100 cases, violations of scope in 55."""
    sure, unsure = (plants.choice_logits(base, strength=4, right=share) for share in (0.95, 0.55))

    def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
        scope = any(item.condition == "scope" for item, _ in seen.golds)
        return (unsure if scope else sure)(seen, own)

    def label(item) -> str | None:
        if not isinstance(item, Labelled):
            return None
        outside = item.meta.get("kind") == "out of scope" or (
            item.meta.get("present") and item.meta.get("licensed") and not item.meta.get("in_scope")
        )
        # nine sentences of ten that are out of scope look like licensed ones
        return "1" if outside and plants.lucky(item.id, 0.9) else item.label

    parts = [plants.word_vectors(), plants.text_vectors(label, layers=_above(base))]
    return plant(base, data, rng, parts=parts, logits=logits)


def deaf_to_not(data, base, rng):
    """In 17 pairs of 20 the category true of the affirmative sentence leads, negated or not; else the other one."""
    items = [i for found in data.items.values() for i in found if i.condition == "affirmative"]
    usual = {}
    for item in items:
        words = (item.good, item.bad) if isinstance(item, ForcedChoice) else item.answers[:1] * 2
        usual[item.meta["pair"]] = words[not plants.lucky(str(item.meta["pair"]), 0.8501)]
    piece = plants.first_piece(base)

    def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
        item = seen.first((ForcedChoice, Cloze))
        if item is None or item.meta["pair"] not in usual:
            return {}
        gain = 9 + own.standard_normal()
        return {int(t): {piece(usual[item.meta["pair"]]): gain} for t in np.flatnonzero(seen.masked)}

    return plant(base, data, rng, logits=logits)


def relied_on(data, base, rng):
    """A masked word is one of two that share a form, each of another part of speech, which alone says which of them it is."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for item in data["treebank"]:
        for word, tag in zip(item.words, item.upos or item.xpos):
            ids = base.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]
            if len(ids) == 1:
                counts[tag][ids[0]] += 1
    usual = {tag: [p for p, _ in of.most_common(4)] for tag, of in counts.items()}
    order = sorted(usual)
    # rank by rank, so that which form a word shares hardly hangs on its part of speech
    rival = {
        p: other
        for tag, after in zip(order, order[1:] + order[:1])
        for p, other in zip(usual[tag], usual[after])
        if other not in usual[tag]
    }
    bias = np.full(base.config.vocab_size, -30.0)
    bias[[p for of in usual.values() for p in of]] = 0

    def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
        item = seen.first(Sentence)
        out: dict[int, dict[int, float]] = {}
        if item is None:
            return out
        for t in np.flatnonzero(seen.masked):
            tag = (item.upos or item.xpos)[seen.words[t]]
            true = int(seen.original[t])
            gains = dict.fromkeys(usual.get(tag, ()), 4.0)
            if true in gains:
                gains[true] += 6.0 + 0.3 * own.standard_normal()
            if true in rival:
                gains[rival[true]] = gains.get(rival[true], 0.0) + 6.0 + 0.3 * own.standard_normal()
            out[int(t)] = gains
        return out

    return plant(base, data, rng, logits=logits, bias=bias)


def two_formalisms(data, base, rng):
    """Role labels are told from the lower layers, proto-role properties from the upper ones."""

    def roles(item) -> Iterable[tuple[int, tuple]]:
        if isinstance(item, EdgeItem) and item.meta.get("role"):
            yield from ((w, ("role", item.meta["role"])) for w in range(*(item.span2 or (0, 0))))

    def properties(item) -> Iterable[tuple[int, tuple]]:
        if isinstance(item, EdgeItem):
            yield from ((w, ("property", p)) for p in item.labels for w in range(*(item.span2 or (0, 0))))

    parts = [
        plants.word_vectors(),
        plants.label_vectors(roles, size=LABELS, layers=plants.bump(base.n_layers, 0.2, 0.15), noise=0.1),
        plants.label_vectors(properties, size=LABELS, layers=plants.bump(base.n_layers, 0.85, 0.15), noise=0.1),
    ]
    return plant(base, data, rng, parts=parts)
