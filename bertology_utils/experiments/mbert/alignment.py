"""Which word translates which? The nearest words of two sentences, each the other's nearest (libovicky2019, cao2019).

Generated translations say which words are of the same concept. Function words are joined where what they belong to is:
the article of a noun with that of its translation, if both have one. English words of either class that have no partner
in the other language stay alone, and a link to them is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...calibration.nulls import SENTENCES
from ...claims.registry import claim
from ...data.items import Sentence, Translation
from ...scores import intervals
from ...scores.choice import choose
from ...scores.resampling import Resample
from ...settings import Settings
from ...subject.encode import fits, hidden_states
from ...subject.models import Subject
from ...vectors.geometry import cosines
from .languages import language
from .parallel import ENGLISH, is_dev
from .planted import concepts, diagonal

PIVOT = "eng"
OPEN, CLOSED = ("NOUN", "VERB", "ADJ", "ADV"), ("DET", "ADP", "AUX", "PART")
BASELINES = ("diagonal", "spelling")
Links = set[tuple[int, int]]


@dataclass(frozen=True)
class Pair:
    """An English sentence and one in another language; `gold` joins their words."""

    id: str
    language: str
    english: Sentence
    other: Sentence
    gold: Links


@claim("mbt.word_alignment.libovicky2019", "translations", n=60, nulls=(*SENTENCES, "coin", diagonal), planted=concepts)
def word_alignment(subject, data, settings):
    """F1 of links between words that are each other's nearest by cosine, English to each other language (libovicky2019).

    Layer and centring (less the mean of a language's words) are chosen on other sentences, and so is the baseline to beat:
    words at the same place of the two sentences, or words spelt alike. Punctuation is left out. Links of open and
    closed classes are told apart by the English word. Intervals draw sentences and languages, crossed.
    """
    pairs, notes = paired(subject, data["translations"])
    dev = np.array([is_dev(p.id) for p in pairs])
    scored = _vectors_scored(subject, pairs, dev, settings)  # (ways, pairs, classes, 3)
    best = 2 + choose(f1(scored[2:, dev].sum(1)[:, 0]))
    guessed = np.array([[counts(p, guess(p, by)) for p in pairs] for by in BASELINES])
    base = choose(f1(guessed[:, dev].sum(1)[:, 0]))
    static = choose(f1(scored[:2, dev].sum(1)[:, 0]))
    test = [p for p, chosen in zip(pairs, dev) if not chosen]
    table = _Table(test, settings)
    ours = scored[best][~dev]
    whole, closed, open_ = ours[:, 0], ours[:, 2], ours[:, 1]
    # the languages with articles are English's relatives: classes are compared where a sentence has links of both
    both = np.array([len({p.english.upos[i] in CLOSED for i, _ in p.gold}) == 2 for p in test])
    rows = [
        table.row("alignment F1 over best baseline", whole, guessed[base][~dev][:, 0], layer=best // 2),
        table.row("alignment F1, closed - open", closed, open_, of=both, layer=best // 2),
        table.row("alignment F1 over static vectors", whole, scored[static][~dev][:, 0], layer=best // 2),
    ]
    named = {"vectors": ours, "static vectors": scored[static][~dev]}
    named |= {by: g[~dev] for by, g in zip(BASELINES, guessed)}
    for by, found in named.items():
        rows += [table.row("alignment F1", found[:, k], by=by, words=words) for k, words in enumerate(CLASSES)]
    for way, s in enumerate(scored):
        rows.append(table.row("alignment F1 by layer", s[~dev][:, 0], layer=way // 2, centred=way % 2 == 1))
    for code in sorted({p.language for p in test}):
        mine = np.array([p.language == code for p in test])
        rows.append(table.row("alignment F1 by language", whole, of=mine, language=language(code).name))
    said = f"chosen on other sentences: layer {best // 2}, {'centred' if best % 2 else 'as it is'}; {BASELINES[base]}"
    return intervals.table(rows, [*notes, f"{len(pairs)} pairs of sentences, punctuation left out; {said}"])


CLASSES = ("all", "open", "closed")


def paired(subject: Subject, items: Sequence[Translation]) -> tuple[list[Pair], list[str]]:
    """English sentences with those of each other language, and the gold links; those that the model takes whole."""
    out = []
    for item in items:
        links: dict[str, Links] = defaultdict(set)
        for one, i, two, j in item.alignment:
            if one == PIVOT:
                links[two].add((i, j))
        english = item.sentences.get(PIVOT)
        if english is not None:
            for code, concept_links in sorted(links.items()):
                other = item.sentences[code]
                out.append(Pair(item.id, code, english, other, gold(english, other, concept_links)))
    ok = fits(subject, [p.english.words for p in out]) & fits(subject, [p.other.words for p in out])
    kept = [p for p, fine in zip(out, ok) if fine]
    return kept, [] if len(kept) == len(out) else [f"{len(out) - len(kept)} pairs are too long for {subject.name}"]


def gold(english: Sentence, other: Sentence, links: Links) -> Links:
    """Links of words that are no punctuation: those given, and function words of linked words, where both have one.

    Examples
    --------
    >>> one = Sentence(id="a", words=("the", "dog"), upos=("DET", "NOUN"), heads=(1, -1), deprels=("det", "root"))
    >>> two = Sentence(id="b", words=("le", "chien"), upos=("DET", "NOUN"), heads=(1, -1), deprels=("det", "root"))
    >>> sorted(gold(one, two, {(1, 1)}))
    [(0, 0), (1, 1)]
    """
    found = {(i, j) for i, j in links if english.upos[i] != "PUNCT"}
    for i, j in tuple(found):
        for relation in ("det", "case", "aux"):
            mine, theirs = (
                [w for w, (h, r) in enumerate(zip(s.heads, s.deprels)) if h == at and r == relation]
                for s, at in ((english, i), (other, j))
            )
            if len(mine) == len(theirs) == 1:
                found.add((mine[0], theirs[0]))
    return found


def _vectors_scored(subject: Subject, pairs: Sequence[Pair], dev: np.ndarray, settings: Settings) -> np.ndarray:
    """Counts (2 (L + 1), pairs, 3, 3) of links of every layer, as it is and centred."""
    texts = {s.id: s.words for p in pairs for s in (p.english, p.other)}
    ids = list(texts)
    states = {ids[i]: v for i, v in hidden_states(subject, [texts[k] for k in ids], settings=settings)}  # (L + 1, W, H)
    means = _means(states, pairs, dev)
    out = np.empty((2 * (subject.n_layers + 1), len(pairs), len(CLASSES), 3))
    for n, p in enumerate(pairs):
        a, b = states[p.english.id], states[p.other.id]
        centred = a - means[ENGLISH][:, None], b - means[p.language][:, None]
        for layer in range(len(a)):
            out[2 * layer, n] = counts(p, mutual(cosines(a[layer], b[layer])))
            out[2 * layer + 1, n] = counts(p, mutual(cosines(centred[0][layer], centred[1][layer])))
    return out


def _means(states: dict, pairs: Sequence[Pair], dev: np.ndarray) -> dict[str, np.ndarray]:
    """The mean vector (L + 1, H) of the words of each language, over the sentences that choose."""
    said: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    for p, chosen in zip(pairs, dev):
        if chosen:
            said[ENGLISH][p.english.id], said[p.language][p.other.id] = states[p.english.id], states[p.other.id]
    return {code: np.concatenate(list(group.values()), 1).mean(1) for code, group in said.items()}


def mutual(scores: np.ndarray) -> Links:
    """Pairs that are each other's best in a table of scores (W, V); the first of several.

    Examples
    --------
    >>> import numpy as np
    >>> sorted((int(i), int(j)) for i, j in mutual(np.array([[0.9, 0.1], [0.8, 0.3]])))
    [(0, 0)]
    """
    there, back = scores.argmax(1), scores.argmax(0)
    return {(i, int(j)) for i, j in enumerate(there) if back[j] == i}


def guess(p: Pair, by: str) -> Links:
    """Links without vectors: words at the same place of their sentences, or words spelt alike."""
    if by == "diagonal":
        w, v = len(p.english.words), len(p.other.words)
        near = -np.abs(np.subtract.outer((np.arange(w) + 0.5) / w, (np.arange(v) + 0.5) / v))
        return mutual(np.round(near, 5))
    words, others = ([w.lower() for w in s.words] for s in (p.english, p.other))
    return {(i, j) for i, a in enumerate(words) for j, b in enumerate(others) if a == b}


def counts(p: Pair, links: Links) -> np.ndarray:
    """Right, missed and wrong links (3, 3) of all words, of open and of closed classes, by the English word."""
    out = np.zeros((len(CLASSES), 3))
    for k, tags in enumerate((OPEN + CLOSED, OPEN, CLOSED)):
        mine = {(i, j) for i, j in links if p.english.upos[i] in tags and p.other.upos[j] != "PUNCT"}
        asked = {(i, j) for i, j in p.gold if p.english.upos[i] in tags}
        out[k] = len(mine & asked), len(asked - mine), len(mine - asked)
    return out


def f1(counted: np.ndarray) -> np.ndarray:
    """F1 (...) of counts (..., 3) of right, missed and wrong links; 0 where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> float(f1(np.array([3, 1, 1])))
    0.75
    """
    whole = 2 * counted[..., 0] + counted[..., 1] + counted[..., 2]
    return np.divide(2 * counted[..., 0], whole, out=np.zeros(whole.shape), where=whole > 0)


class _Table:
    """Rows over the same pairs: sentences and languages are drawn, crossed."""

    def __init__(self, pairs: Sequence[Pair], settings: Settings) -> None:
        self.settings = settings
        self.groups = {"sentence": [p.id for p in pairs], "language": [p.language for p in pairs]}

    def row(
        self, measure: str, counted: np.ndarray, less: np.ndarray | None = None, of: np.ndarray | None = None, **keys
    ) -> dict:
        """F1 of counts (pairs, 3), or what it is more than that of others; over the pairs that `of` says."""
        columns = np.concatenate([counted] if less is None else [counted, less], 1)
        shown = np.ones(len(columns), bool) if of is None else of
        groups = {name: [g for g, s in zip(labels, shown) if s] for name, labels in self.groups.items()}
        if len(set(groups["language"])) == 1:
            del groups["language"]
        sample = Resample(int(shown.sum()), groups, seed=self.settings.seed, draws=self.settings.draws)

        def statistic(sums: np.ndarray) -> np.ndarray:
            return f1(sums[..., :3]) - (f1(sums[..., 3:]) if sums.shape[-1] > 3 else 0)

        found = intervals.bootstrap_sums(columns[shown], statistic, sample)
        return intervals.row(measure, found, int(shown.sum()), **keys)
