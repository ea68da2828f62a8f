"""Word order against hierarchy, layer by layer (lin2019)."""

from __future__ import annotations

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Ambiguity, Data
from ...probes import Targets, fitting, gather
from ...probes.targets import build
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import Profile, best_in, curve_rows, lead_rows, thirds
from ...settings import Settings
from ...subject.models import Subject
from ..syntax.hierarchical import WINDOWS, above, beside
from . import plants
from .fits import FITS, MOST, TESTED, Fitted, draw, each_fit, fit_layers

SENTENCES, PLACES = 6000, 8000  # of which words are asked for their index; test words among them, for a small fall
LONGEST = 16  # words whose index is asked for: further ones are too rare to learn


def indices(data: Data) -> Targets:
    """Words labelled with their place in the sentence, from plain sentences.

    Sentences of an ambiguity set are split anew (every tenth dev, two more of ten test): its own test sentences are of
    another shape than those it trains on, which has nothing to do with word order.
    """
    every = list(dict.fromkeys(i.words for task in data.items.values() for i in task))
    sentences = [every[k] for k in np.sort(np.random.default_rng(0).permutation(len(every))[:SENTENCES])]
    split = [("dev", "test", "test", *["train"] * 7)[n % 10] for n in range(len(sentences))]
    found = [(n, f"{w:02d}", w) for n, words in enumerate(sentences) for w in range(min(len(words), LONGEST))]
    return build(sentences, split, found)


def order_scores(subject: Subject, data: Data, settings: Settings) -> tuple[Fitted, str]:
    """The token-index probe of every layer (lin2019), and what was left out."""
    targets, note = fitting(subject, indices(data))
    targets = draw(targets, settings.seed, tested=PLACES)
    return fit_layers(gather(subject, targets, settings=settings), targets, settings), note


def order_rows(found: Fitted, settings: Settings) -> list[dict]:
    """Accuracy by layer and its controls; the lowest third against the rest and the word alone; how far it falls from there.

    The embeddings, to which places are added, are not among the lowest third; `third` is its uppermost layer.
    """
    profile, keys = found.profile(settings), {"task": "word order"}
    low, rest = thirds(profile.depth)
    rows = [*curve_rows(profile, **keys), *found.control_rows(settings, **keys)]
    rows += lead_rows(profile, found.dev, {"low above the embeddings - rest": (low[1:] or low, rest)}, **keys)
    best = rows[-1]["layer"]
    for name, baseline in found.baselines(settings).items():
        rows.append(intervals.row(f"low - {name}", profile.over(best, baseline), profile.n, **keys, layer=best))
    third, last = low[-1], profile.depth
    return [*rows, intervals.row("third - last layer", profile.lead(third, last), profile.n, **keys, layer=third)]


@claim(
    "lay.word_order.lin2019", "ambiguity", n=1600, limit=8000, planted=plants.order_fades, nulls=(*VECTORS, "constant")
)
def word_order(subject, data, settings):
    """A linear probe for each word's index in the sentence, on every layer (lin2019)."""
    found, note = order_scores(subject, data, settings)
    return intervals.table(order_rows(found, settings), [note])


@claim(
    "lay.hierarchy.lin2019",
    "ambiguity",
    n=1600,
    limit=8000,  # both conditions' sentences: words enough for every fit of either
    planted=plants.hierarchy_grows,
    nulls=(*VECTORS, "constant", plants.wider),
)
def hierarchy(subject, data, settings):
    """Main auxiliary and subject noun told by layer, where the first candidate is the wrong one (lin2019).

    A classifier of words is trained where the first candidate is right, which chooses its penalty as well; does the right
    word score above the first candidate where it is not? `upper - low` sets the layers above the lowest third against
    those in it; what `accuracy, low` leaves to one is the most that it can be. Every third sentence of that kind chooses
    the layers. `upper less words beside` sets the upper layers against codes of a word and of those beside it, up to two
    on each side, which know no structure and are learnt from as the layers are. Word order is the token-index probe on
    the same sentences.
    """
    found, note = order_scores(subject, data, settings)
    rows, notes = order_rows(found, settings), [note]
    for condition in sorted({i.condition for i in data["ambiguity"]}):
        right, dev, near, said = told_apart(
            subject, [i for i in data["ambiguity"] if i.condition == condition], settings
        )
        profile, keys = Profile.of(right, np.arange(right.shape[-1]), settings), {"task": condition.replace("_", " ")}
        low, upper = thirds(profile.depth)
        rows += curve_rows(profile, **keys)
        rows += lead_rows(profile, dev, {"upper - low": (upper, low)}, **keys)
        best, lowest = rows[-1]["layer"], best_in(dev, low)
        rows.append(intervals.row("accuracy, low", profile.scores()[lowest], profile.n, **keys, layer=lowest))
        rows.append(intervals.row("accuracy, upper", profile.scores()[best], profile.n, **keys, layer=best))
        rival = Profile.of(near, np.arange(near.shape[-1]), settings)
        rows.append(intervals.row("words beside", rival.scores()[0], profile.n, **keys))
        lead = profile.over(best, rival)
        rows.append(intervals.row("upper less words beside", lead, profile.n, **keys, layer=best))
        notes += said
    return intervals.table(rows, notes)


def told_apart(
    subject: Subject, items: list[Ambiguity], settings: Settings
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Whether the right word scores above the first candidate.

    Returns
    -------
    right : bool array (R, L + 1, N)
        Of R fits, every layer, and the scored test sentences.
    dev : float array (L + 1,)
        Share of right choices in the sentences that choose.
    near : bool array (R, 1, N)
        What codes of the words beside a word tell of the scored sentences, without any model, in as many fits.
    notes : list of str
        What was left out, and which words those are.
    """
    items = [i for i in items if i.split != "test" or i.linear != i.target]
    words = [(i.target, i.linear) if i.split == "test" else range(len(i.words)) for i in items]
    found = [(n, str(w == items[n].target), w) for n, places in enumerate(words) for w in places]
    targets, note = fitting(subject, build([i.words for i in items], [i.split for i in items], found))
    most = {"train": MOST[1] * FITS, "dev": TESTED // 2, "test": TESTED}  # as `draw`, but whole sentences
    kept = [np.flatnonzero(targets.split == split)[:n] for split, n in most.items()]
    targets = targets.take(np.sort(np.concatenate(kept)))
    chooses = np.arange((targets.split == "test").sum() // 2) % 3 == 0
    near = _leads(beside(targets), targets, settings)
    window = choose(near[..., chooses].mean((0, 2)))
    right, name = _leads(gather(subject, targets, settings=settings), targets, settings), items[0].condition
    notes = [note, f"{name}: of words beside a word, most is told by the word {WINDOWS[window][0]}"]
    return right[..., ~chooses], right[..., chooses].mean((0, 2)), near[:, [window]][..., ~chooses], notes


def _leads(x: np.ndarray, targets: Targets, settings: Settings) -> np.ndarray:
    """Whether the first of each two test words (the right one) scores above the second, by fit and layer: (R, L + 1, N)."""
    asked = x[:, targets.split == "test"]
    told = [[above(p, layer) for p, layer in zip(probes, asked)] for probes in each_fit(x, targets, settings)]
    return np.array(told, bool)
