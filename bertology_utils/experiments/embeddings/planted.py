"""Stand-ins that have what this section's claims speak of: each must be found by its rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ...calibration.gold import Gold, Seen
from ...calibration.nulls import as_null
from ...calibration.planted import Part, above_embeddings, bump, code, label_vectors, of_spans, plant
from ...calibration.planted import cone as shared_direction
from ...calibration.planted import word_vectors as static_vectors
from ...calibration.standin import stand_in
from ...data.items import Association, Labelled, ScoredPair, Sentence

SIZE = 192


def narrowing_cone(data, base, rng):
    """One direction that all vectors share, from layer to layer the stronger, beside noise of length one."""
    return plant(base, data, rng, parts=[shared_direction(np.linspace(0.9, 2.5, base.n_layers + 1))])


def drifting_words(data, base, rng):
    """A word's own vector, from layer to layer the weaker, beside noise of length one."""
    strength = np.linspace(2.5, 0.8, base.n_layers + 1)
    return plant(base, data, rng, parts=[static_vectors(32, layers=strength, noise=1 / np.sqrt(32))])


@as_null("a narrowing cone alone")
def fixed_words(data, base, rng):
    """Words keep their share of noise in all layers, while the direction that all vectors share gets stronger."""
    parts = [static_vectors(32, noise=1 / np.sqrt(32)), shared_direction(np.linspace(0.5, 3.0, base.n_layers + 1))]
    return plant(base, data, rng, parts=parts, name="a narrowing cone alone")


def shared_noise(data, base, rng):
    """Vectors whose cosines are the gold similarities, under one direction in which texts differ by chance."""
    nuisance = Part(1, lambda seen: np.full((len(seen.ids), 1), _chance(seen)), by_piece=True, noise=0)
    return plant(base, data, rng, parts=[pair_vectors(data, noise=0.02), nuisance])


def noisy_contexts(data, base, rng):
    """In contextual layers a word's vector has the gold similarities, and noise that other contexts average out."""
    return plant(base, data, rng, parts=[pair_vectors(data, layers=above_embeddings(base.n_layers), noise=0.5)])


def clear_in_bleached_sentences(data, base, rng):
    """Sentences with nothing but a word hold its associations and its similarities; the word alone holds noise."""
    from .associations import TEMPLATES  # the texts that the experiment makes

    words = {w.lower() for i in data.items.get("word_similarity", []) for w in (i.a, i.b)}
    made = [Sentence(id=w, words=tuple(t.format(w).split())) for w in sorted(words) for t in TEMPLATES]
    more = [(sentence.words, None, sentence, "text") for sentence in made]
    layers = above_embeddings(base.n_layers)
    alone = Part(SIZE, _of_lone_words, layers, noise=0.05, by_piece=True)
    kinds = Part(32, _sides, noise=0.1, by_piece=True)
    return plant(base, data, rng, parts=[pair_vectors(data, layers=layers, noise=0.02), alone, kinds], more=more)


def senses_apart(data, base, rng):
    """In contextual layers every sense of a word has a vector of its own, with noise."""
    layers = above_embeddings(base.n_layers)
    return plant(base, data, rng, parts=[
        label_vectors(of_spans, layers=layers, noise=0.08), Part(64, _compared, layers, noise=0.06)
    ])  # fmt: skip


def told_by_segment_ids(data, base, rng):
    """Words have their own vectors, moved by the id of the segment, further than random embeddings move them."""
    subject = plant(base, data, rng, parts=[static_vectors(64, noise=0.03)])
    move = np.zeros(subject.model.config.hidden_size, np.float32)
    move[:64] = 1.5 * code("segment", 64)

    def moved(module, args, kwargs, output):
        ids = kwargs["token_type_ids"].unsqueeze(-1).to(output.last_hidden_state)
        by = ids * ids.new_tensor(move)
        output.hidden_states = tuple(state + by for state in output.hidden_states)
        return output

    subject.base.register_forward_hook(moved, with_kwargs=True)
    return subject


def lost_and_found(data, base, rng):
    """A token's vector fades in the middle layers and returns; a masked token's is there from the middle on."""
    depth = np.arange(base.n_layers + 1) / base.n_layers
    kept, masked = 2.5 - 1.6 * np.exp(-0.5 * ((depth - 0.5) / 0.2) ** 2), 0.9 * (depth > 0.2)
    codes: dict[int, np.ndarray] = {}

    def hidden(seen: Seen, own) -> np.ndarray:
        values = np.stack([codes.setdefault(i, code(i, 64)) for i in seen.original.tolist()])  # (T, 64)
        strength = np.where(seen.masked[None], masked[:, None], kept[:, None])  # (L + 1, T)
        noise = own.standard_normal((len(depth), *values.shape)) / 8
        return (strength[..., None] * values + noise).astype(np.float32)

    seed = int(rng.integers(2**31))
    return stand_in(base, Gold(base, data), name="planted", hidden=hidden, features=64, seed=seed)


def means_of_middle_layers(data, base, rng):
    """The words, not [CLS], hold a sentence's similarities and its sentiment, best in the middle layers."""
    layers = bump(base.n_layers, peak=0.6)
    labels = Part(32, lambda seen: np.broadcast_to(_sentiment(seen), (seen.n_words, 32)), layers, noise=0.2)
    return plant(base, data, rng, parts=[pair_vectors(data, layers=layers, noise=0.05), labels])


def pair_vectors(data, **options) -> Part:
    """Vectors of words, or of the words of a sentence, whose cosines follow the gold similarities of pairs."""
    words, sentences = ([i for i in data.items.get(t, []) if i.condition not in _FOREIGN] for t in _SCORED)
    vectors = {**_sharing(sentences), **_embedded(words)}
    vectors = {text: v / (np.linalg.norm(v) or 1.0) for text, v in vectors.items()}  # of no pair that is embedded: 0
    nothing = np.zeros(SIZE, np.float32)

    def make(seen: Seen) -> np.ndarray:
        for item, part in seen.golds:
            if isinstance(item, ScoredPair) and (text := getattr(item, part).lower()) in vectors:
                return np.broadcast_to(vectors[text], (seen.n_words, SIZE))
        sentence = seen.first(Sentence)
        words = [w.lower() for w in sentence.words] if sentence is not None else []
        if len(words) != seen.n_words:
            return np.zeros((seen.n_words, SIZE), np.float32)
        return np.stack([vectors.get(w, nothing) for w in words])

    return Part(SIZE, make, **options)


def _sharing(items: Iterable[ScoredPair]) -> dict[str, np.ndarray]:
    """The two texts of a pair share a code, the stronger the more similar they are; each has one of its own besides.

    For sentences: each is in a pair or two.
    """
    largest = _largest(items)
    out: dict[str, np.ndarray] = {}
    for item in items:
        shared = np.sqrt(max(item.score, 0) / largest[item.condition]) * code(("pair", item.id), SIZE)
        for text in (item.a.lower(), item.b.lower()):
            out[text] = out.get(text, 0.5 * code(("text", text), SIZE)) + shared
    return out


def _embedded(items: Iterable[ScoredPair]) -> dict[str, np.ndarray]:
    """The principal coordinates of the matrix of similarities, for words that are in many pairs; unknown ones are 0."""
    largest = _largest(items)
    place: dict[str, int] = {}
    for item in items:
        for word in (item.a.lower(), item.b.lower()):
            place.setdefault(word, len(place))
    known = np.eye(len(place))
    for item in items:
        a, b = place[item.a.lower()], place[item.b.lower()]
        known[a, b] = known[b, a] = item.score / largest[item.condition] if a != b else 1.0
    values, axes = np.linalg.eigh(known)
    kept = axes[:, ::-1][:, :SIZE] * np.sqrt(np.maximum(values[::-1][:SIZE], 0))
    kept = np.pad(kept, ((0, 0), (0, SIZE - kept.shape[1])))
    return {word: kept[k].astype(np.float32) for word, k in place.items()}


def _largest(items: Iterable[ScoredPair]) -> dict[str, float]:
    """The highest score of each set, not below a small one."""
    out: dict[str, float] = defaultdict(lambda: 1e-9)
    for item in items:
        out[item.condition] = max(out[item.condition], item.score)
    return out


_SCORED = ("word_similarity", "sts")
_FOREIGN = ("de", "fr", "ru", "zh")  # other languages of a benchmark, which the experiments leave out


def _chance(seen: Seen) -> float:
    """A text's own number, about 0."""
    return 3 * float(code(("chance", *seen.ids.tolist()), 4)[0])


def _of_lone_words(seen: Seen) -> np.ndarray:
    lone = any(isinstance(item, ScoredPair) for item, _ in seen.golds)
    own = code(("alone", *seen.ids.tolist()), SIZE) if lone else np.zeros(SIZE)
    return np.broadcast_to(2 * own, (len(seen.ids), SIZE))


def _sides(seen: Seen) -> np.ndarray:
    """X and A share a code, Y and B another, of every association test that the text is in."""
    out = sum(
        (code((i.condition, part in "xa"), 32) for i, part in seen.golds if isinstance(i, Association)), np.zeros(32)
    )
    return np.broadcast_to(out, (len(seen.ids), 32))


def _compared(seen: Seen) -> np.ndarray:
    """The same code on both targets of a pair with one sense, different ones where there are two."""
    out = np.zeros((seen.n_words, 64), np.float32)
    for item, part in seen.golds:
        if isinstance(item, Labelled) and part in "ab" and f"target_{part}" in item.meta:
            out[item.meta[f"target_{part}"]] += code((item.id, "both" if item.label == "T" else part), 64)
    return out


def _sentiment(seen: Seen) -> np.ndarray:
    item = seen.first(Labelled)
    return np.zeros(32) if item is None else code(("label", item.label), 32)
