"""From news to web text: masked-LM training with pivots masked more often, against none and any (bendavid2020)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ...attention.choosing import fitting
from ...claims.registry import claim
from ...data.items import Sentence
from ...errors import TooFew
from ...finetune import Recipe, tagging
from ...finetune.masked import fill, name_of_head
from ...scores import intervals
from ...subject import encode
from ...subject.encode import Row
from ...subject.models import Subject

SEEDS = 3
UNLABELLED = 1000  # sentences of the web that are read on, beside those of news that the tagger learns from
LABELLED = 500  # sentences of the source that the tagger learns from
PIVOTS, OFTEN = 100, 10  # pieces, and times at least that one comes in either domain (bendavid2020: 100 and 20)
PIVOT_RATE, REST_RATE = 0.5, 0.1  # of bendavid2020
READING = Recipe(epochs=1, batch=32)
TAGGING = Recipe(epochs=3, batch=16, head_rate=20.0)

# As the Penn Treebank writes, and as people do; its one tag for "to" is two in EWT.
PLAIN = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "(", "-RCB-": ")", "``": '"', "''": '"', "`": "'"}
ALIKE = {"TO": "IN"}

Word = tuple[str, str]  # and its tag


def tagged(sentence: Sentence) -> list[Word]:
    """Words and Penn tags, written alike in both domains.

    Examples
    --------
    >>> tagged(Sentence(id="0", words=("-LRB-", "1\\\\/2", "to"), xpos=("-LRB-", "CD", "TO")))
    [('(', '-LRB-'), ('1/2', 'CD'), ('to', 'IN')]
    """
    words = (PLAIN.get(word, word.replace("\\/", "/")) for word in sentence.words)
    return [(word, ALIKE.get(tag, tag)) for word, tag in zip(words, sentence.xpos)]


def document(sentence: Sentence) -> str:
    """What is independent: the page, the newspaper's article; a sentence that is of neither stands for itself.

    Examples
    --------
    >>> document(Sentence(id="wsj_0012-3", words=("a",)))
    'wsj_0012'
    """
    article = re.match(r"wsj_\d+", sentence.id)
    return sentence.meta.get("document") or (article[0] if article else sentence.id)


def pieces_of(rows: Iterable[Row]) -> Counter[int]:
    """How often each piece comes that is no special symbol."""
    return Counter(piece for row in rows for piece, word in zip(row.ids, row.words) if word >= 0)


def information(rows: Sequence[Row], tags: Sequence[Sequence[str]]) -> dict[int, float]:
    """The mutual information, in nats, of a word's tag and whether its first piece is this one: piece -> information.

    Examples
    --------
    >>> row = Row((2, 7, 8, 7, 9, 3), (0,) * 6, (-1, 0, 1, 2, 3, -1), 4)
    >>> found = information([row], [["A", "B", "A", "B"]])
    >>> round(found[7], 3), round(found[8], 3)  # 7 says the tag, of 8 another one has the same
    (0.693, 0.216)
    """
    pairs = Counter(
        (row.ids[t], tag) for row, line in zip(rows, tags) for t, tag in zip(tagging.first_pieces(row), line)
    )
    pieces, names = Counter[int](), Counter[str]()
    for (piece, tag), n in pairs.items():
        pieces[piece] += n
        names[tag] += n
    total = pairs.total()
    out = dict.fromkeys(pieces, 0.0)
    for piece, of in pieces.items():
        for tag, all_ in names.items():
            for n, marginal in ((pairs[piece, tag], of), (all_ - pairs[piece, tag], total - of)):
                if n:
                    out[piece] += n / total * math.log(n * total / (marginal * all_))
    return out


def pivots_of(domains: Sequence[Sequence[Row]], known: dict[int, float], unknown: int) -> list[int]:
    """The pieces that say most of tags among those frequent in every domain, most first; ties by their ids."""
    counts = [pieces_of(rows) for rows in domains]
    often = [p for p in known if p != unknown and min(c[p] for c in counts) >= OFTEN]
    return sorted(often, key=lambda p: (-known[p], p))[:PIVOTS]


def hidden(rows: Sequence[Row], rates: dict[int, float], rest: float, unknown: int, seed: int) -> list[list[int]]:
    """Of each row the places that are hidden: each with its piece's rate, unknown pieces never, one in a row at least."""
    rng = np.random.default_rng(seed)
    out = []
    for row in rows:
        free = np.array([t for t, w in enumerate(row.words) if w >= 0 and row.ids[t] != unknown])
        rate = np.array([rates.get(row.ids[t], rest) for t in free])
        drawn = rng.random(len(free))
        chosen = free[drawn < rate]
        out.append((chosen if len(chosen) else free[[np.argmin(drawn / rate)]]).tolist())
    return out


def even_rate(rows: Sequence[Row], pivots: Sequence[int], unknown: int) -> float:
    """The rate at which as many pieces are hidden whatever they are."""
    counts = pieces_of(rows)
    total = counts.total() - counts[unknown]
    share = sum(counts[p] for p in pivots) / total
    return PIVOT_RATE * share + REST_RATE * (1 - share)


@claim("trn.domain_pivots.bendavid2020", ("treebank", "constituency"), n=1500, limit=1000, quick=120,
       beside={"constituency": ("nltk_corpora",)})  # fmt: skip
def domain_pivots(subject, data, settings):
    """A tagger tuned on news and asked of web text, after masked-LM training on both or none before it (bendavid2020).

    Read on is text of both domains, tags unseen; of the web it is the dev part. Pivots are pieces frequent in both that say
    most of the tag in the source's training part. `pivots` hides half of these and a tenth of the rest, `uniform` as many
    pieces whatever they are; seeds and texts are the same. Words whose tag the tagger never saw count nowhere. Documents are
    resampled, crossed with the seeds.
    """
    name_of_head(subject)  # who has none is told so before anything is tuned
    web, note = fitting(subject, data["treebank"])
    other = [s for s in data["constituency"] if s.xpos]
    news, more = fitting(subject, other or data["treebank"])  # generated constituents have no tags: there is no shift
    train = [tagged(s) for s in news if s.split == "train"][:LABELLED]
    unseen = [s for s in web if s.split == "dev"][:UNLABELLED]
    if not train or not unseen:
        raise TooFew(f"{len(train)} sentences to learn tags from and {len(unseen)} to read on")
    words, tags = [[w for w, _ in s] for s in train], [[t for _, t in s] for s in train]
    domains = [rows_of(subject, part) for part in (train, map(tagged, unseen))]
    lacks = subject.tokenizer.unk_token_id
    pivots = pivots_of(domains, information(encode.tokenize(subject, words), tags), lacks)
    texts = [r for rows in domains for r in rows]
    even = even_rate(texts, pivots, lacks)
    rates: dict[str, tuple[dict[int, float], float]] = {
        "pivots": (dict.fromkeys(pivots, PIVOT_RATE), REST_RATE),
        "uniform": ({}, even),
    }
    asked = {
        "news": Asked([s for s in news if s.split != "train"], tags),
        "web": Asked([s for s in web if s.split == "test"], tags),
    }
    right: dict[tuple[str, str], list] = {(arm, d): [] for arm in ("none", *rates) for d in asked}
    for seed in range(SEEDS):
        for arm in ("none", *rates):
            start = subject if arm == "none" else read_on(subject, texts, *rates[arm], seed)
            tagger = tagging.tag(start, words, tags, replace(TAGGING, seed=seed))
            for domain, of in asked.items():
                right[arm, domain].append(of.right(tagger, settings))
    notes = [note, more, f"tuned on {len(train)} sentences, read on {len(texts)}, once; {SEEDS} seeds"]
    notes.append(f"{len(pivots)} pivots, half of them hidden and a tenth of the rest; whatever they are, {even:.3f}")
    notes += [f"{domain}: {of.left_out} of {of.n} words have tags that training lacks" for domain, of in asked.items()]
    shown = ", ".join(subject.tokenizer.convert_ids_to_tokens(pivots[:8]))
    found = {key: np.array(values, float) for key, values in right.items()}
    return intervals.table(_rows(found, asked, settings), [*notes, f"first pivots: {shown}"])


def rows_of(subject: Subject, sentences: Iterable[Sequence[Word]]) -> list[Row]:
    """Rows that have at least one piece to hide."""
    rows = encode.tokenize(subject, [[word for word, _ in s] for s in sentences])
    return [r for r in rows if any(w >= 0 and p != subject.tokenizer.unk_token_id for w, p in zip(r.words, r.ids))]


def read_on(subject: Subject, texts: list[Row], rates: dict[int, float], rest: float, seed: int) -> Subject:
    """The subject after more masked-LM training, each text read once."""
    places = hidden(texts, rates, rest, subject.tokenizer.unk_token_id, seed)
    return fill(subject, texts, places, replace(READING, seed=seed))[0]


class Asked:
    """Words of held-out sentences, those left out whose tag is none of the tagger's."""

    def __init__(self, sentences: list[Sentence], learnt: list[list[str]]) -> None:
        known = {t for line in learnt for t in line}
        lines = [tagged(s) for s in sentences]
        self.words = [[word for word, _ in line] for line in lines]
        self.tags = [[tag for _, tag in line] for line in lines]
        self.kept = np.array([tag in known for line in self.tags for tag in line], bool)
        of = np.array([document(s) for s, line in zip(sentences, lines) for _ in line])
        self.documents, self.n = of[self.kept], len(self.kept)
        self.left_out = int((~self.kept).sum())

    def right(self, tagger: tagging.Tagger, settings) -> np.ndarray:
        """Whether each word's tag is right, (words kept,) bool."""
        return tagger.right(self.words, self.tags, settings)[self.kept]


def _rows(right: dict[tuple[str, str], np.ndarray], asked: dict[str, Asked], settings) -> intervals.Rows:
    """Accuracy by arm and domain, what pivots gain over the rivals in either, and the drop from news to web."""
    rows = intervals.Rows(settings)
    for (arm, domain), values in right.items():
        rows.mean("accuracy", values, groups=asked[domain].documents, arm=arm, domain=domain)
    for domain, of in asked.items():
        for rival in ("none", "uniform"):
            gain = right["pivots", domain] - right[rival, domain]
            rows.mean("accuracy, pivots - rival", gain, groups=of.documents, signed=True, rival=rival, domain=domain)
    for arm in dict.fromkeys(arm for arm, _ in right):
        both = [
            intervals.seeds_by_items(right[arm, d], seed=settings.seed, draws=settings.draws, groups=asked[d].documents)
            for d in ("news", "web")
        ]
        rows.add("drop from news to web", intervals.unpaired(*both), asked["web"].kept.sum(), arm=arm)
    return rows
