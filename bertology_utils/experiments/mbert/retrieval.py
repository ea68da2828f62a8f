"""Is a sentence's nearest neighbour in another language its translation? (pires2019, libovicky2019)

The nearest of all sentences of the other language, by the cosine of mean vectors, as they are and less the mean of their
language. Layer and centring are chosen on other sentences. Beside it stand what the sentences' shared pieces retrieve,
the embeddings alone, and chance. Equally near sentences share the point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from ...calibration.nulls import aimed
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose
from ...vectors.geometry import unit
from .languages import language
from .parallel import ENGLISH, Parallel, gather, pairs
from .planted import meanings

MOST = 300  # sentences of each set of languages


@claim(
    "mbt.retrieval.pires2019",
    "translations",
    n=120,
    nulls=("untrained", aimed("layer 0", "overlap"), aimed("bag of words", "overlap"), "positions", "constant", "coin"),
    planted=meanings,
)
def retrieval(subject, data, settings):
    """Precision at 1 between all languages, over chance, over shared pieces and over the embeddings (pires2019).

    What is retrieved by shared pieces (cosine of their tf-idf) and by the embeddings (layer 0, centred or not as other
    sentences say) is taken from it sentence by sentence. Intervals draw sentences and languages, crossed.
    """
    sets = gather(subject, data["translations"], settings, MOST)
    # each layer as it is and centred
    ways = [[v for both in zip(p.vectors, p.centred()) for v in both] for p in sets]
    every = [[[hits(v[:, p.dev]), hits(v[:, ~p.dev])] for v in of] for p, of in zip(sets, ways)]
    dev = np.array([np.mean([np.nanmean(s[way][0]) for s in every]) for way in range(len(every[0]))])
    layers = subject.n_layers + 1
    static = choose(dev[:2])
    best = 2 + choose(dev[2:])  # ways count (layer, centred): two of each layer
    shared = [hits_of(overlap(p)) for p in sets]
    found, below, chance = ([s[way][1] for s in every] for way in (best, static, best))
    chance = [np.full_like(h, 1 / h.shape[-1]) for h in chance]
    rows = [
        _row("P@1", _less(found, chance), sets, settings, layer=best // 2),
        _row("P@1 over lexical overlap", _less(found, shared), sets, settings, layer=best // 2),
        _row("P@1 over static vectors", _less(found, below), sets, settings, layer=best // 2),
    ]
    named = {"vectors": found, "static vectors": below, "shared pieces": shared}
    rows += [_row("P@1 retrieved", h, sets, settings, by=name) for name, h in named.items()]
    rows += _by_language(named, sets, settings)
    for way in range(2 * layers):
        h = [s[way][1] for s in every]
        rows.append(_row("P@1 by layer", h, sets, settings, few=True, layer=way // 2, centred=way % 2 == 1))
    return intervals.table(rows, [_note(sets, best, chance)])


def hits(vectors: np.ndarray) -> np.ndarray:
    """Whether each sentence's nearest neighbour in each other language is its translation.

    Parameters
    ----------
    vectors : float array (K, N, H)
        Of K languages; translations have the same place among the N.

    Returns
    -------
    float array (K, K, N)
        From language, to language, sentence: 1 or 0, a share where several are equally near; nan within a language.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.eye(3)
    >>> hits(np.stack([a, a + 1e-9, np.ones((3, 3))]))[0, 1:].round(2).tolist()
    [[1.0, 1.0, 1.0], [0.33, 0.33, 0.33]]
    """
    u = unit(vectors)
    return _from_scores(len(u), u.shape[1], lambda a, b: u[a] @ u[b].T)


def hits_of(tables: Sequence[csr_matrix]) -> np.ndarray:
    """As `hits`, of sparse rows (N, V) of length 1 for each language."""
    return _from_scores(len(tables), tables[0].shape[0], lambda a, b: (tables[a] @ tables[b].T).toarray())


def _from_scores(k: int, n: int, scores) -> np.ndarray:
    out = np.full((k, k, n), np.nan)
    for a in range(k):
        for b in range(a + 1, k):
            s = np.round(scores(a, b), 5)  # nearly equal ones tie on every processor
            out[a, b], out[b, a] = _first(s), _first(s.T)
    return out


def _first(scores: np.ndarray) -> np.ndarray:
    """The share of the right answer (the diagonal) among the best of each row."""
    tied = scores == scores.max(1, keepdims=True)
    return tied.diagonal() / tied.sum(1)


def overlap(p: Parallel) -> list[csr_matrix]:
    """The pieces of the scored sentences of each language, weighted by tf-idf, at length 1: K of (N, V)."""
    flat = [ids for group in p.pieces for ids, dev in zip(group, p.dev) if not dev]
    place = {piece: i for i, piece in enumerate(sorted({piece for ids in flat for piece in ids}))}
    ends = np.cumsum([0, *map(len, flat)])
    columns = np.array([place[piece] for ids in flat for piece in ids])
    counts = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(flat), len(place)))
    counts.sum_duplicates()
    weighted, n = csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(counts)), int((~p.dev).sum())
    return [weighted[k * n : (k + 1) * n] for k in range(len(p.languages))]


def _less(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [x - y for x, y in zip(a, b)]


def _flat(found: Sequence[np.ndarray], sets: Sequence[Parallel], of=lambda a, b: True) -> tuple[np.ndarray, dict]:
    """Values of all pairs of languages (that `of` wants) and sentences, and what they are drawn by.

    Where every set has two languages, English and another, the other one is drawn, or of a single other one the sentences;
    else both languages of a pair are.
    """
    values, sentence, source, target = [], [], [], []
    for number, (h, p) in enumerate(zip(found, sets)):
        for a, b in pairs(p):
            one, two = p.languages[a], p.languages[b]
            if of(one, two):
                values.append(h[a, b])
                sentence += [(number, i) for i in range(h.shape[-1])]
                source += [one] * h.shape[-1]
                target += [two] * h.shape[-1]
    drawn = {"sentence": sentence, "source": source, "target": target}
    if all(len(p.languages) == 2 for p in sets):
        others = [t if s == ENGLISH else s for s, t in zip(source, target)]
        drawn = {"language": others} if len(set(others)) > 1 else {"sentence": sentence}
    return (np.concatenate(values) if values else np.zeros(0)), drawn


def _row(measure: str, found, sets, settings, few: bool = False, of=lambda a, b: True, **keys) -> dict:
    """A mean over pairs of languages and sentences; with `few`, for curves, by sentences alone where these are drawn."""
    values, drawn = _flat(found, sets, of)
    groups = drawn.get("sentence", drawn.get("language")) if few else drawn
    less = "over" in measure  # a difference, which may be negative
    return intervals.mean_row(measure, values, settings, groups=groups, signed=less, **keys)


def _by_language(named: dict, sets: Sequence[Parallel], settings) -> list[dict]:
    """Each language with English, both ways together, and all pairs by whether they share a script."""
    rows = []
    spoken = sorted({code for p in sets for code in p.languages})
    for by, found in named.items():
        for code in spoken:
            if code != ENGLISH and any({code, ENGLISH} <= set(p.languages) for p in sets):
                with_english = lambda a, b, code=code: {a, b} == {code, ENGLISH}  # noqa: E731
                name = language(code).name
                rows.append(_row("P@1 with English", found, sets, settings, True, with_english, by=by, language=name))
        for script in ("same", "other"):
            alike = lambda a, b, s=script: (language(a).script == language(b).script) is (s == "same")  # noqa: E731
            if any(alike(*(p.languages[i] for i in pair)) for p in sets for pair in pairs(p)):
                rows.append(_row("P@1 by script", found, sets, settings, True, alike, by=by, script=script))
    return rows


def _note(sets: Sequence[Parallel], best: int, chance: Sequence[np.ndarray]) -> str:
    spoken = sorted({code for p in sets for code in p.languages})
    sizes = sorted({int((~p.dev).sum()) for p in sets})
    return (
        f"{len(spoken)} languages ({', '.join(language(c).name for c in spoken)}); one of {sizes[0]} to {sizes[-1]} "
        f"sentences is to be found, so that chance is {np.mean([np.nanmean(c) for c in chance]):.4f}, which is taken from "
        f"P@1; chosen on other sentences: layer {best // 2}, {'less the mean of each language' if best % 2 else 'as it is'}"
    )
