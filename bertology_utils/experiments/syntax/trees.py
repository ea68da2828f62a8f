"""Trees without a probe: from attention maps, and from what masking one word does to another.

Blocks and heads are counted from 0 in code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...attention import relations
from ...claims.registry import NotDefined, claim
from ...data.items import Sentence
from ...scores import intervals, trees
from ...scores.choice import choose
from ...settings import TWIN
from ...subject import encode, perturb
from ...subject.attentions import attentions
from ...subject.companions import companion, how_to_name
from . import planted

RANDOM_TREES = 10  # per sentence
DIRECTIONS = ("dependent attends", "head attends")
PARTNERS = {"bert-base-uncased": "roberta-base", "bert-base-cased": "roberta-base"}


def usable(subject, sentences: Sequence[Sentence]) -> tuple[list[Sentence], str]:
    """Sentences of two words or more besides punctuation that the subject takes whole, and a note that counts them."""
    ok = encode.fits(subject, [s.words for s in sentences])
    kept = [s for s, fine in zip(sentences, ok) if fine and len(trees.without_punctuation(s)[0]) > 1]
    return kept, f"{len(kept)} of {len(sentences)} sentences fit and have two words or more; punctuation is left out"


def two_parts(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """To choose a head on, and to score it on: dev and test, or every other sentence where there is no dev split."""
    dev, test = ([s for s in sentences if s.split == split] for split in ("dev", "test"))
    return (dev, test) if dev and test else (list(sentences[::2]), list(sentences[1::2]))


class Attached:
    """Counts of right arcs of several trees per sentence, and intervals of their shares (sentences are resampled)."""

    def __init__(self) -> None:
        self.right: list[np.ndarray] = []
        self.total: list[int] = []

    def add(self, candidates: Sequence[np.ndarray], gold: np.ndarray) -> None:
        self.right.append(np.array([trees.attached(heads, gold).sum() for heads in candidates], float))
        self.total.append(len(gold) - 1)

    def shares(self, settings) -> tuple[np.ndarray, np.ndarray]:
        """UUAS of each tree (K,), and of each bootstrap draw (draws, K)."""
        right, total = np.array(self.right), np.array(self.total, float)
        drawn = intervals.counts(len(total), settings.draws, settings.seed)
        return right.sum(0) / total.sum(), (drawn @ right) / (drawn @ total)[:, None]


def attention_maps(subject, sentences, settings) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(maps (L * A, K, K) among the words that are no punctuation, gold heads (K,)) of each sentence."""
    for i, units, maps in attentions(subject, [s.words for s in sentences], settings=settings):
        keep, gold = trees.without_punctuation(sentences[i])
        place = {w: u for u, w in enumerate(units.words) if w >= 0}
        at = [place[w] for w in keep]
        yield maps.reshape(-1, *maps.shape[2:])[:, at][:, :, at], gold


def head_trees(maps: np.ndarray, gold: np.ndarray, which: Sequence[int] | None = None) -> list[np.ndarray]:
    """Spanning trees of all heads, read from dependent to head and then the other way; `which` picks some."""
    root, n = int(np.flatnonzero(gold < 0)[0]), len(maps)
    chosen = range(2 * n) if which is None else which
    return [trees.arborescence(maps[k % n].T if k < n else maps[k % n], root) for k in chosen]


def baselines(gold: np.ndarray, rng: np.random.Generator, draw=trees.random_tree) -> list[np.ndarray]:
    """The chain, then `RANDOM_TREES` random trees, with the gold root."""
    n, root = len(gold), int(np.flatnonzero(gold < 0)[0])
    return [trees.chain(n, root), *(draw(n, root, rng) for _ in range(RANDOM_TREES))]


def compared(counts: Attached, names: Sequence[str], settings, rivals: Sequence[str] = ()) -> list[dict]:
    """Rows: UUAS of each named tree, of the chain and of random trees, and the leads over these two.

    `rivals` are the names that come after the others; they too are led over.
    """
    value, drawn = counts.shares(settings)
    k, n = len(names) + len(rivals), len(counts.total)
    columns = {name: (value[i], drawn[:, i]) for i, name in enumerate([*names, *rivals])}
    columns |= {"chain": (value[k], drawn[:, k]), "random tree": (value[k + 1 :].mean(), drawn[:, k + 1 :].mean(1))}
    rows = [intervals.row("UUAS", intervals.interval(*c, clusters=n), n, tree=name) for name, c in columns.items()]
    for name in names:
        for other in (*rivals, "chain", "random tree"):
            (a, drawn_a), (b, drawn_b) = columns[name], columns[other]
            lead = intervals.interval(a - b, drawn_a - drawn_b, clusters=n)
            rows.append(intervals.row(f"lead over {other}", lead, n, tree=name))
    return rows


PLANTED = 0.5  # share of a planted head's attention that goes along gold arcs


def with_tree(maps: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """A map (K, K) mixed with the gold arcs, each dependent attending to its head."""
    arcs = np.zeros_like(maps)
    words = np.flatnonzero(gold >= 0)
    arcs[words, gold[words]] = 1
    return (1 - PLANTED) * maps + PLANTED * arcs


@claim(
    "syn.no_tree_in_attention.htut2019",
    "treebank",
    n=600,
    limit=250,
    nulls=("untrained", "bag of words", planted.head_with_the_tree),
    planted=planted.neighbour_heads,
)
def no_tree_in_attention(subject, data, settings):
    """Spanning trees of every head's map with the gold root; the best head on one part, scored on another (htut2019).

    Undirected, left- and right-branching chains are the same tree. That a tree would be seen is shown by mixing gold
    arcs into the best head's own map (`planted head`).
    """
    sentences, note = usable(subject, data["treebank"])
    dev, test = two_parts(sentences)
    every = Attached()
    for maps, gold in attention_maps(subject, dev, settings):
        every.add(head_trees(maps, gold), gold)
    value, drawn = every.shares(settings)
    heads = subject.n_layers * subject.n_heads
    best, rng, counts = choose(value), np.random.default_rng(settings.seed), Attached()
    for maps, gold in attention_maps(subject, test, settings):
        own = maps[best % heads] if best < heads else maps[best % heads].T
        root = int(np.flatnonzero(gold < 0)[0])
        seen = trees.arborescence(with_tree(own, gold).T, root)
        counts.add([*head_trees(maps, gold, [best]), seen, *baselines(gold, rng)], gold)
    rows = compared(counts, ["best head", "planted head"], settings)
    for k in range(heads):  # for the picture: the better direction of each head, on the part it is chosen on
        way = k if value[k] >= value[heads + k] else heads + k
        interval = intervals.interval(value[way], drawn[:, way], clusters=len(every.total))
        layer, head = divmod(k, subject.n_heads)
        rows.append(intervals.row("UUAS when choosing", interval, len(every.total), layer=layer, head=head))
    layer, head = divmod(best % heads, subject.n_heads)
    chosen = f"best head: block {layer + 1}, head {head + 1}; {DIRECTIONS[best // heads]}"
    return intervals.table(rows, [note, chosen])


MATCHED, RARE_AND_NEAR = "arc above no arc at equal distance", "rare and near words"
DECODERS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "Eisner": trees.eisner,
    "spanning tree": trees.arborescence,
}


@claim(
    "syn.perturbed_masking.wu2020",
    "treebank",
    n=300,
    limit=60,
    nulls=("untrained", "bag of words", "positions", planted.rare_words),
    planted=planted.impacts,
)
def perturbed_masking(subject, data, settings):
    """Trees decoded from impact matrices, with the gold root: projective (Eisner) and not (wu2020).

    The head of a word is sought among the words whose masking changes it most. One split is enough: nothing is chosen.
    Random trees are projective ones, since being projective alone makes arcs short and often right. Impact falls with
    distance whatever the syntax, and a matrix of distances alone decodes to the chain; so a second measure compares
    each gold arc with pairs of words of the same sentence that stand as far apart, in the same order, without an arc.
    Heads are rare words, and rare words may move others more, whatever the syntax: of these pairs only those count whose
    masked word is no more frequent among the sentences given; and trees are decoded from rarity and distance alone.
    """
    held_out = [s for s in data["treebank"] if s.split == "test"]
    sentences, note = usable(subject, held_out)
    rng, counts = np.random.default_rng(settings.seed), Attached()
    wins: list[list[tuple[float, int]]] = [[], []]
    told = Counter(word.lower() for s in data["treebank"] for word in s.words)
    for i, matrix in perturb.impacts(subject, [s.words for s in sentences], settings):
        keep, gold = trees.without_punctuation(sentences[i])
        scores = matrix[np.ix_(keep, keep)].T  # [h, d]: the impact of h on d
        root = int(np.flatnonzero(gold < 0)[0])
        rarity = np.log(told.total() / np.array([told[sentences[i].words[k].lower()] for k in keep]))
        found = [decode(scores, root) for decode in DECODERS.values()] + [trees.eisner(rare_and_near(rarity), root)]
        counts.add([*found, *baselines(gold, rng, trees.random_projective_tree)], gold)
        for pairs, rare in zip(wins, (None, rarity)):
            pairs.append(perturb.matched(scores, gold, rare))
    rows = compared(counts, list(DECODERS), settings, rivals=[RARE_AND_NEAR])
    for measure, pairs in zip((MATCHED, f"{MATCHED} from a word as rare"), wins):
        won, of = np.array(pairs).T
        share = intervals.ratio(won, of, seed=settings.seed, draws=settings.draws)
        rows.append(intervals.row(measure, share, len(of)))
    return intervals.table(rows, [note, f"{int(of.sum())} gold arcs have a pair at equal distance to be compared with"])


def rare_and_near(rarity: np.ndarray) -> np.ndarray:
    """Scores of arcs (W, W), [h, d], by how rare the head is and how near: no model, and no syntax.

    >>> rare_and_near(np.array([2.0, 1.0])).tolist()
    [[2.0, 1.0], [0.5, 1.0]]
    """
    places = np.arange(len(rarity))
    return rarity[:, None] / (1 + np.abs(places[:, None] - places))


def by_relation(subject, dev, test, settings) -> list[np.ndarray]:
    """For each test sentence, whether the most attended word is the head: the best head of each relation (htut2019)."""
    right = []
    for part in (dev, test):
        arcs = relations.upward(relations.arcs(part))
        hits = relations.score(subject, [s.words for s in part], arcs, both_ways=True, settings=settings)
        right.append((arcs, hits))
    (chosen_on, dev_hits), (arcs, hits) = right
    best = {name: choose(dev_hits[rows].mean(0)) for name, rows in chosen_on.groupby("relation").indices.items()}
    usual = choose(dev_hits.mean(0))  # for a relation that the first part lacks
    own = np.array([hits[i, best.get(name, usual)] for i, name in enumerate(arcs["relation"])])
    return [own[arcs["sentence"].to_numpy() == s] for s in range(len(test))]


def by_tree(subject, dev, test, settings) -> list[np.ndarray]:
    """For each test sentence, whether the gold arcs are in the spanning tree of the best head."""
    every = Attached()
    for maps, gold in attention_maps(subject, dev, settings):
        every.add(head_trees(maps, gold), gold)
    best = choose(every.shares(settings)[0])
    found = {}
    for i, sentence in enumerate(test):
        ((maps, gold),) = attention_maps(subject, [sentence], settings)
        found[i] = trees.attached(head_trees(maps, gold, [best])[0], gold)
    return [found[i] for i in range(len(test))]


METHODS = {"most attended word, by relation": by_relation, "spanning tree": by_tree}


def compare_models(subjects: Sequence, sentences: Sequence[Sentence], settings):
    """Attachment of the first two subjects by each extraction method, and the first's lead (htut2019).

    `larger lead` and `smaller lead` are the first subject's under the two methods: the ranks flip if one is above zero
    and the other below.
    """
    notes = []
    for subject in subjects:
        sentences, note = usable(subject, sentences)
        notes.append(f"{subject.name}: {note}")
    dev, test = two_parts(sentences)
    rows, leads = intervals.Rows(settings), []
    for method, extract in METHODS.items():
        drawn, values = [], []
        for subject in subjects[:2]:
            arcs = extract(subject, dev, test, settings)
            right, total = np.array([a.sum() for a in arcs], float), np.array([len(a) for a in arcs], float)
            counts = intervals.counts(len(test), settings.draws, settings.seed)
            values.append(right.sum() / total.sum())
            drawn.append(counts @ right / np.maximum(counts @ total, 1))
            interval = intervals.interval(values[-1], drawn[-1], clusters=len(test))
            rows.add("attachment", interval, len(test), method=method, model=subject.name)
        lead = intervals.interval(values[0] - values[1], drawn[0] - drawn[1], clusters=len(test))
        leads.append((method, lead))
    smaller, larger = sorted(leads, key=lambda lead: lead[1][0])
    for name, (method, interval) in (("larger lead", larger), ("smaller lead", smaller)):
        rows.add(name, interval, len(test), method=method, model=subjects[0].name)
    return intervals.table(rows, notes)


@claim("syn.method_favours_model.htut2019", "treebank", n=300, limit=200)
def method_favours_model(subject, data, settings):
    """Two extraction methods on a published model and its partner: does the better one change? (htut2019).

    The claim is about two published models that differ in pretraining. A subject with neither a partner known here
    nor a companion `partner` that is named cannot decide it.
    """
    name = subject.name.removesuffix(TWIN)
    partner = companion("partner", settings, twin=subject.is_twin, default=PARTNERS.get(name))
    if partner is None:
        raise NotDefined(
            f"syn.method_favours_model.htut2019 compares two models that differ in pretraining, and {subject.name} has "
            f"no partner: {how_to_name('partner', settings)}; or run it with --model {next(iter(PARTNERS))}"
        )
    return compare_models([subject, partner], data["treebank"], settings)
