"""The one-pass statistics equal a plain computation, sentence by sentence, map by map."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
import torch
from support import WORDS, tiny

from bertology_utils.attention import relations
from bertology_utils.attention.collect import collect, permutation_test
from bertology_utils.attention.maps import is_stop, maps
from bertology_utils.settings import Settings
from bertology_utils.subject import encode
from bertology_utils.subject.attentions import attentions, word_units


def corpus(n=50, seed=0):
    """Sentences of 1 to 14 words: known words, punctuation, and words of several pieces."""
    rng = random.Random(seed)
    known = [w for w in WORDS if not w.startswith("##")]
    odd = ["unlikeable", "sleepily", "dogged", "zebra", "walking", "..."]
    return [[rng.choice(known if rng.random() < 0.8 else odd) for _ in range(rng.randint(1, 14))] for _ in range(n)]


def naive(units, words, map_):
    """All statistics of one head's map (U, U) by loops."""
    size = len(map_)
    kinds = [t or (". or ," if is_stop(words[w]) else "other") for w, t in zip(units.words, units.tokens)]
    out = {k: 0.0 for k in ("[CLS]", "[SEP]", ". or ,", "other", "entropy", "distance")}
    for q in range(size):
        for k in range(size):
            a = float(map_[q][k])
            out[kinds[k]] += a / size
            out["distance"] += a * abs(q - k) / size
            out["entropy"] -= a * math.log(a) / size if a > 0 else 0
    for name, offset in (("previous", -1), ("self", 0), ("next", 1)):
        found = [float(map_[q][q + offset]) for q in range(size) if 0 <= q + offset < size]
        out[name] = sum(found) / len(found)
    return out


def naive_js(p, q):
    total = 0.0
    for a, b in zip(p, q):
        m = (a + b) / 2
        for x in (a, b):
            total += sum(u * math.log(u / v) for u, v in zip(x.tolist(), m.tolist()) if u > 0) / 2
    return total / len(p)


@pytest.mark.parametrize("budget", [16, 300])
def test_statistics_equal_the_naive_computation(budget):
    sentences = corpus()
    heads = collect(tiny(), sentences, settings=Settings(batch_tokens=budget))
    seen = 0
    for i, units, map_ in attentions(tiny(), sentences, settings=Settings(batch_tokens=1)):  # one a batch: no padding
        for layer in range(map_.shape[0]):
            for head in range(map_.shape[1]):
                for name, value in naive(units, sentences[i], map_[layer, head]).items():
                    assert heads.values[name][i, layer, head] == pytest.approx(value, abs=1e-5), (i, name)
        seen += 1
    assert seen == 50


def test_padding_never_counts():
    sentences = corpus(12)
    together = collect(tiny(), sentences, norms=True, distances=True, settings=Settings(batch_tokens=10_000))
    alone = collect(tiny(), sentences, norms=True, distances=True, settings=Settings(batch_tokens=1))
    for name in together.values:
        np.testing.assert_allclose(together.values[name], alone.values[name], atol=1e-5)
    for name in together.norms:
        np.testing.assert_allclose(together.norms[name], alone.norms[name], atol=1e-5)
    np.testing.assert_allclose(together.distances, alone.distances, atol=1e-5)
    np.testing.assert_allclose(together.matrix, alone.matrix, atol=1e-5)


def test_maps_equal_the_words_of_encode_and_pairs_count_on():
    sentences, second = corpus(8), corpus(8, seed=1)
    wanted = {i: (u, m) for i, u, m in attentions(tiny(), sentences, second=second)}
    for batch in maps(tiny(), sentences, second=second):
        for b, i in enumerate(batch.index):
            units, map_ = wanted[i]
            size = len(units.words)
            np.testing.assert_allclose(batch.weights[b, :, :, :size, :size].numpy(), map_, atol=1e-6)
            assert batch.words[b, :size].tolist() == list(units.words)
            assert not batch.real[b, size:].any() and not batch.weights[b, :, :, size:].any()
            assert (batch.kinds[b] == 1).sum() == 2  # two [SEP]


def test_divergences_equal_the_naive_ones():
    sentences = corpus(6)
    heads = collect(tiny(), sentences, distances=True)
    total, n = np.zeros_like(heads.matrix), tiny().n_heads
    for i, _, map_ in attentions(tiny(), sentences):
        flat = map_.reshape(-1, *map_.shape[2:])
        js = np.array([[naive_js(p, q) for q in flat] for p in flat])
        total += js / len(sentences)
        pairs = [(a, b) for a in range(len(flat)) for b in range(a)]
        within = [js[a, b] for a, b in pairs if a // n == b // n]
        between = [js[a, b] for a, b in pairs if a // n != b // n]
        assert heads.distances[i] == pytest.approx([np.mean(within), np.mean(between)], abs=1e-5)
    np.testing.assert_allclose(heads.matrix, total, atol=1e-5)


def test_norms_equal_vectors_written_out():
    """||alpha f(x)|| from the transformed vectors themselves, with the output projection's bias left out."""
    subject, sentences = tiny(), [["the", "dog", "sees", "unlikeable", "cats", "."], ["he", "runs", "."]]
    heads = collect(subject, sentences, norms=True)
    size = subject.hidden_size // subject.n_heads
    for i, words in enumerate(sentences):
        row = encode.tokenize(subject, [words])[0]
        (batch,) = encode.batches(subject, [row], 100)
        out = encode.forward(subject, batch, output_attentions=True, output_hidden_states=True)
        units, member = word_units(subject, row)
        kinds = [t or (". or ," if is_stop(words[w]) else "other") for w, t in zip(units.words, units.tokens)]
        of_piece = np.array([kinds[u] for u in member])
        for layer in range(subject.n_layers):
            attention = subject.layers[layer].attention
            value = attention.self.value(out.hidden_states[layer])[0]  # (T, H)
            for head in range(subject.n_heads):
                part = slice(head * size, (head + 1) * size)
                f = value[:, part] @ attention.output.dense.weight[:, part].T  # (T, H)
                alpha = out.attentions[layer][0, head]
                norm = (alpha[:, :, None] * f[None]).norm(dim=-1).numpy()  # (T, T)
                word = np.stack([norm[member == u].mean(0) for u in range(len(kinds))])
                for kind in set(kinds):
                    share = (word[:, of_piece == kind].sum(1) / word.sum(1)).mean()
                    assert heads.norms[f"share {kind}"][i, layer, head] == pytest.approx(share, abs=1e-5)
                sep = f.norm(dim=-1).detach().numpy()[of_piece == "[SEP]"].mean()
                assert heads.norms["size [SEP]"][i, layer, head] == pytest.approx(sep, rel=1e-4)
    assert sum(heads.norms[f"share {k}"][0, 0, 0] for k in ("[CLS]", "[SEP]", ". or ,", "other")) == pytest.approx(1)


def test_hits_are_those_of_the_argmax():
    sentences = [s for s in corpus(20) if len(s) > 2]
    rng = random.Random(3)
    arcs = pd.DataFrame(
        [(i, *rng.sample(range(len(s)), 2)) for i, s in enumerate(sentences)], columns=["sentence", "query", "target"]
    )
    found = np.zeros((len(arcs), tiny().n_layers, tiny().n_heads), bool)
    for batch in maps(tiny(), sentences):
        which, right = relations.hits(batch, arcs)
        found[which] = right
    for i, units, map_ in attentions(tiny(), sentences):
        q, t = arcs.loc[i, ["query", "target"]]
        place = {w: u for u, w in enumerate(units.words) if w >= 0}
        others = [w for w in place if w != q]
        answers = map_[:, :, place[q]][:, :, [place[w] for w in others]].argmax(-1)
        np.testing.assert_array_equal(found[i], np.array(others)[answers] == t)


def shuffled(matrix, rng):
    order = rng.permutation(len(matrix))
    return matrix[order][:, order]


def test_permutation_test_on_planted_layers():
    rng = np.random.default_rng(0)
    layer = np.repeat(np.arange(4), 5)
    noise = rng.random((20, 20)) * 0.1
    noise = noise + noise.T
    planted = noise + (layer[:, None] != layer[None])
    observed, drawn = permutation_test(planted, 5, draws=200)
    assert observed == pytest.approx(1, abs=0.05) and (drawn < observed).all() and len(drawn) == 200
    chances = []
    for _ in range(30):
        observed, drawn = permutation_test(shuffled(noise, rng), 5, draws=200)
        chances.append((drawn >= observed).mean())
    assert 0.3 < np.mean(chances) < 0.7  # uniform under the null
    observed, drawn = permutation_test(np.ones((20, 20)), 5, draws=50)
    assert observed == 0 and not drawn.any()  # all alike: no evidence


def test_no_sentences_is_an_error_and_no_gradient_is_kept():
    with pytest.raises(ValueError, match="no sentence"):
        collect(tiny(), [])
    assert not any(b.weights.requires_grad for b in maps(tiny(), [["dog"]]))
    assert torch.is_grad_enabled()
