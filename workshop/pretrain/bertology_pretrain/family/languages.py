"""What a run on several languages can do: gaps, translations and parts of speech, from its first language to its second.

All is asked of sentences that no training text says, in the package's multilingual grammar: the same ones of every run of
a tier, as the run would see them (pieces of its own, turned round, with a type id). The second language of a run on more
than two is its second. Figures are kept item by item, as strings of 0 and 1 or as counts per sentence.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from transformers import BertForPreTraining, PreTrainedTokenizerFast

from bertology_utils.data.items import Sentence
from bertology_utils.family.config import Config
from bertology_utils.probes.linear import fit_each
from bertology_utils.scores.choice import choose
from bertology_world import multilingual
from bertology_world.multilingual_grammar import analyse

from ..corpus import Corpus
from .gaps import losses
from .reader import Reader

PAIRS, DEV = 600, 200  # translations, and how many of them choose the layer
TREEBANK = {"train": 500, "dev": 100, "test": 300}  # sentences; those of train and dev are in the first language


def measure(folder: Path, corpus: Corpus, config: Config) -> dict[str, Any]:
    """Every measurement of a run on several languages.

    Returns
    -------
    dict
        ``heldout``: language -> sums per block of sentences (`losses`); ``retrieval`` and ``words`` (`retrieval`,
        `translated_words`); ``probes``: right and all words per test sentence of a probe of parts of speech that was
        fitted in the first language, there (``own``) and in the second (``transfer``).
    """
    # not `subject.models.load`: it refuses a model with more embeddings than its tokenizer has pieces
    model = BertForPreTraining.from_pretrained(folder, attn_implementation="eager", use_safetensors=True).eval()
    reader = Reader(model, PreTrainedTokenizerFast(tokenizer_object=corpus.tokenizer), config)
    return {"heldout": losses(reader, corpus), **retrieval(reader), "probes": probes(reader)}


def retrieval(reader: Reader) -> dict[str, Any]:
    """Translations found among all test sentences, and words of the first language found by their embeddings.

    Sentences are means of their pieces' vectors, centred in each language, compared by cosine; the layer is chosen on other
    sentences.

    Returns
    -------
    dict
        ``retrieval``: ``layer`` chosen (0: the embeddings in place); ``to`` and ``back``: whether the nearest test
        sentence of the second language, or of the first, is the translation; ``layers``: P@1, mean of both, of the
        embeddings alone, of layer 0 and of each layer; ``chance``. ``words``: as of `translated_words`.
    """
    items = multilingual.translations(PAIRS, 0)
    codes, second = reader.languages, reader.second()
    asked = [[i.sentences[codes[place]] for i in items] for place in (0, second)]
    return {"retrieval": found_by(reader, asked), "words": translated_words(reader, items)}


def found_by(reader: Reader, asked: list[list[Sentence]]) -> dict[str, Any]:
    """What `retrieval` says of as many sentences of the first language and of the second, translations of one another.

    The first `DEV` of them choose the layer.
    """
    ids = [reader.pieces(s, place)[0] for s, place in zip(asked, (0, reader.second()))]
    means = [np.stack([h.mean(1) for h in reader.hidden(i, p)], 1) for i, p in zip(ids, (0, reader.second()))]
    dev, test = [_nearest(a, b) for a, b in ([m[:, :DEV] for m in means], [m[:, DEV:] for m in means])]
    layer = choose(dev.mean((1, 2))[1:]) + 1  # the embeddings alone, behind 0, are a baseline
    return {
        "layer": layer - 1,
        "to": bits(test[layer, 0]),
        "back": bits(test[layer, 1]),
        "layers": [round(float(x), 4) for x in test.mean((1, 2))],
        "chance": 1 / test.shape[2],
    }


def _nearest(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether each vector's nearest one in the other language is its translation, there and back, (layers, 2, N)."""
    a, b = ((x - x.mean(1, keepdims=True)) for x in (first, second))
    a, b = (x / np.maximum(np.linalg.norm(x, axis=2, keepdims=True), 1e-9) for x in (a, b))
    near = np.round(a @ b.transpose(0, 2, 1), 5)  # (layers, N, N); the last bits decide nothing
    own = np.arange(first.shape[1])
    return np.stack([near.argmax(2) == own, near.argmax(1) == own], 1)


def translated_words(reader: Reader, items: list) -> str:
    """Whether a word's nearest embedding among the second language's words is that of its translation.

    Words that are one piece, in the order of their ids, each with what it is aligned with most often; the same word in both
    is left out, which a language in its own pieces has none of.
    """
    codes, second = reader.languages, reader.second()
    aligned: dict[int, Counter[int]] = {}
    for item in items:
        both = [item.sentences[codes[place]] for place in (0, second)]
        (ids_a,), (owner_a,) = reader.pieces([both[0]], 0)
        (ids_b,), (owner_b,) = reader.pieces([both[1]], second)
        links = [(a, b) for p, a, q, b in item.alignment if (p, q) == (codes[0], codes[second])]
        for a, b in links or [(k, k) for k in range(len(both[0].words))]:  # a language beside itself
            one, two = ids_a[owner_a == a], ids_b[owner_b == b]
            if len(one) == len(two) == 1 and both[0].upos[a] != "PUNCT":
                aligned.setdefault(int(one[0]), Counter())[int(two[0])] += 1
    pairs = [(a, min(c, key=lambda b: (-c[b], b))) for a, c in sorted(aligned.items())]
    pairs = [(a, b) for a, b in pairs if a != b]
    if not pairs:
        return ""
    table = reader.model.bert.embeddings.word_embeddings.weight.detach().numpy()
    targets = sorted({b for _, b in pairs})
    x, y = table[[a for a, _ in pairs]], table[targets]
    x, y = x - x.mean(0), y - y.mean(0)
    near = (x / np.linalg.norm(x, axis=1, keepdims=True)) @ (y / np.linalg.norm(y, axis=1, keepdims=True)).T
    return bits(np.array(targets)[np.round(near, 5).argmax(1)] == np.array([b for _, b in pairs]))


def probes(reader: Reader) -> dict[str, Any]:
    """A linear probe of parts of speech, fitted in the first language at the layer best on its dev sentences.

    Full stops are left out. Returns ``layer``, and ``own`` and ``transfer`` with ``right`` and ``n`` per test sentence, and
    ``majority``: the share of the commonest part of speech of the first language among the second's words.
    """
    said = multilingual.propositions("multilingual_treebank", sum(TREEBANK.values()), 0)
    train, dev = TREEBANK["train"], TREEBANK["dev"]
    codes, second = reader.languages, reader.second()
    first = [analyse(codes[0], p, id="") for p in said]
    return tagged(reader, first, [analyse(codes[second], p, id="") for p in said[train + dev :]], (train, dev))


def tagged(reader: Reader, first: list[Sentence], second: list[Sentence], sizes: tuple[int, int]) -> dict[str, Any]:
    """What `probes` says of sentences of the first language, so many to train and to choose on, and of the second."""
    train, dev = sizes
    vectors, labels, sentence = _words(reader, first, 0)
    other = _words(reader, second, reader.second())
    fitted = sentence < train
    told = fit_each(vectors[2:, fitted], labels[fitted])  # layers above the embeddings
    on_dev = (sentence >= train) & (sentence < train + dev)
    scores = [float((p.predict(x[on_dev]) == labels[on_dev]).mean()) for p, x in zip(told, vectors[2:])]
    best = choose(np.array(scores))
    test = sentence >= train + dev
    usual = Counter(labels[fitted].tolist()).most_common(1)[0][0]
    return {
        "layer": best + 1,
        "own": _counts(told[best].predict(vectors[2 + best, test]) == labels[test], sentence[test]),
        "transfer": _counts(told[best].predict(other[0][2 + best]) == other[1], other[2]),
        "majority": round(float((other[1] == usual).mean()), 4),
    }


def _words(reader: Reader, sentences: list[Sentence], place: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means of the pieces of each word but full stops, (L + 2, N, H), parts of speech (N,) and sentences (N,)."""
    ids, owners = reader.pieces(sentences, place)
    vectors, labels, sentence = [], [], []
    for k, (states, owner, s) in enumerate(zip(reader.hidden(ids, place), owners, sentences)):
        for word in sorted(set(owner.tolist())):
            if s.upos[word] != "PUNCT":
                vectors.append(states[:, owner == word].mean(1))
                labels.append(s.upos[word])
                sentence.append(k)
    return np.stack(vectors, 1), np.array(labels), np.array(sentence)


def _counts(right: np.ndarray, sentence: np.ndarray) -> dict[str, list[int]]:
    _, sentence = np.unique(sentence, return_inverse=True)
    return {"right": np.bincount(sentence, right).astype(int).tolist(), "n": np.bincount(sentence).tolist()}


def bits(values: np.ndarray) -> str:
    """Truth values as a string of 0 and 1."""
    return "".join("1" if v else "0" for v in values)
