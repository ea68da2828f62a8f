"""What a trained run can do, item by item, so that records can be compared pair by pair.

Generated items alone, in the package's own language: agreement sentences that no training text holds (`generated.reserved`),
facts whose sentences are held out, probes on the generated treebank, and a task that the run is tuned on. The items
of a tier are the same in all its records. They are kept as strings of 0 and 1, or as counts per sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import bertology_world as builtin
from bertology_utils.attention.collect import collect
from bertology_utils.compress import remove_heads
from bertology_utils.data.items import Labelled, Sentence
from bertology_utils.family.config import Config
from bertology_utils.finetune import classes
from bertology_utils.finetune.loop import Recipe
from bertology_utils.probes.linear import fit_each
from bertology_utils.probes.targets import fitting, from_sentences, gather
from bertology_utils.scores.choice import choose
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze
from bertology_utils.subject.models import Subject, load

from .. import curve
from ..competence import condition, new, ranks
from ..corpus import Corpus
from . import places, whole
from .languages import bits

AGREEMENT, FACTS = 1200, 2000  # items asked for; nonce ones and those of more than one piece are left out
ATTENDED = 300  # sentences whose maps are compared
L2 = 1e-3  # half the squared weights count so much in a probe's loss
SENTENCES, TARGETS = 1500, 1500  # of the treebank, over all splits; targets per split
PROBED = {
    "upos": lambda s: [(tag, i) for i, tag in enumerate(s.upos)],
    "deprel": lambda s: [(relation, i) for i, relation in enumerate(s.deprels)],
}
TUNED, TOLD = (
    "sentiment",
    2000,
)  # the task that runs are tuned on, and its items: pair tasks are out of reach at this size
RECIPE = Recipe(epochs=2)


def measure(folder: Path, corpus: Corpus, config: Config, only: Sequence[str] = ()) -> dict[str, Any]:
    """Every measurement of a run, or those that are named.

    Parameters
    ----------
    folder : Path
        The exported model.
    corpus : Corpus
        That it was trained on, for the held-out places.
    config : Config
        What symbol hid the pieces and whether it was trained on pairs.
    only : sequence of str, optional
        Names of measurements; none: all that the run can be asked.

    Returns
    -------
    dict
        ``heldout`` (`places.losses`), ``relations`` where the run had a second task, ``agreement`` (a string of 0 and 1 per
        construction; none where pieces were not hidden by [MASK]), ``probes`` (right and all targets per sentence),
        ``facts`` and ``tuned``; of a run that detects replaced pieces ``probes`` and ``tuned`` alone; ``heads`` where it is
        named; ``bits`` (`fewer_bits`) where the configuration names some; ``checkpoints`` (agreement over training) where the run
        exported any.
    """
    settings = Settings(device="cpu", model=str(folder))
    subject = load(str(folder.resolve()), settings)
    if config.objective == "rtd":  # it fills no gaps
        return {"probes": {name: probe(subject, name, settings) for name in PROBED}, "tuned": tuned(subject, settings)}
    out: dict[str, Any] = {}
    for name, call in _calls(subject, folder, corpus, config, settings, only).items():
        if not only or name in only:
            out[name] = call()
    return out


def _calls(
    subject: Subject, folder: Path, corpus: Corpus, config: Config, settings: Settings, only: Sequence[str]
) -> dict[str, Callable[[], Any]]:
    """What a run that fills gaps can be asked, by name, in the order of a record."""
    cut, pairs = places.of(corpus), config.pair != "none"
    model: Any = subject.model
    heldout = partial(places.losses, model, cut, pairs=pairs, symbol=config.mask_symbol)
    out: dict[str, Callable[[], Any]] = {
        "heldout": lambda: {k: [round(float(x), 3) for x in v] for k, v in heldout().items()}
    }
    if pairs:
        out["relations"] = lambda: {name: bits(v) for name, v in places.relations(model, cut).items()}
    if config.mask_symbol == "mask":
        out |= {"agreement": partial(agreement, subject, settings), "facts": partial(facts, subject, settings)}
        if "heads" in only:  # of the runs that are compared by it
            out["heads"] = partial(heads, subject, lambda less: places.losses(less, cut, pairs=pairs)["loss"], settings)
    out["probes"] = lambda: {name: probe(subject, name, settings) for name in PROBED}
    out["tuned"] = partial(tuned, subject, settings)
    if config.bits:
        out["bits"] = partial(fewer_bits, subject, settings, [int(b) for b in config.bits.split()])
    if config.exports:
        out["checkpoints"] = partial(growth, folder.parent)
    return out


def growth(run: Path) -> list[dict[str, Any]]:
    """Agreement at each exported checkpoint of a run, by number of attractors: as `curve.agreement`."""
    frame = curve.agreement(run, AGREEMENT)
    kept = ["tokens", "heldout_mlm", "attractors", "value", "low", "high", "n"]
    return [
        {k: round(v, 4) if isinstance(v, float) else v for k, v in r.items()} for r in frame[kept].to_dict("records")
    ]


def agreement(subject: Subject, settings: Settings) -> dict[str, str]:
    """Whether the right verb form is preferred, by construction and attractors (goldberg2019)."""
    items = [i for i in builtin.build("agreement", AGREEMENT, 0) if not i.meta["nonce"]]
    items, _ = cloze.single_piece(subject, items)
    right = cloze.choose(subject, items, settings) > 0
    names = [condition(i) for i in items]
    return {name: bits(right[[n == name for n in names]]) for name in sorted(set(names))}


def heads(subject: Subject, loss: Callable[[Any], np.ndarray], settings: Settings) -> dict[str, list[float]]:
    """How alike the heads of a layer attend, and the loss without half of them and without all (clark2019).

    Parameters
    ----------
    loss : callable
        A model's held-out loss, (D,) sums per document in nats.

    Returns
    -------
    dict
        ``divergence``: mean Jensen-Shannon divergence of the heads of a layer, in nats, per sentence of the treebank;
        ``loss``: as `loss` gives it, mean over all ways to take the same half of the heads out of each layer;
        ``headless``: the same without any head, what attention as a whole is worth.
    """
    words = [s.words for s in builtin.build("treebank", ATTENDED, 0)]
    distances = collect(subject, words, distances=True, settings=settings).distances
    assert distances is not None  # asked for
    ways = combinations(range(subject.n_heads), subject.n_heads // 2)

    def without(gone: Iterable[int]) -> np.ndarray:
        return loss(remove_heads(subject, [(layer, head) for layer in range(subject.n_layers) for head in gone]).model)

    half, headless = np.mean([without(way) for way in ways], 0), without(range(subject.n_heads))
    rounded = {"loss": half, "headless": headless}
    return {"divergence": distances[:, 0].round(4).tolist(), **{k: v.round(3).tolist() for k, v in rounded.items()}}


def facts(subject: Subject, settings: Settings) -> dict[str, str]:
    """Whether the answer is the likeliest piece, and whether it is the commonest answer of its relation (petroni2019)."""
    items = new(builtin.build("facts", FACTS, 0), "facts")
    items = [i for i in items if any(cloze.filler_id(subject, a) is not None for a in i.answers)]
    answers: dict[str, list[str]] = {}
    for item in items:
        answers.setdefault(item.condition, []).extend(item.answers)
    usual = {relation: max(sorted(set(a)), key=a.count) for relation, a in answers.items()}
    known = ranks(subject, items, settings) == 0
    return {"right": bits(known), "majority": bits(np.array([usual[i.condition] in i.answers for i in items]))}


def probe(subject: Subject, name: str, settings: Settings) -> dict[str, list[int]]:
    """A linear probe at the layer above the embeddings that is best on dev: right and all test targets per sentence."""
    items: list[Sentence] = builtin.build("treebank", SENTENCES, 0)
    fit, _ = fitting(subject, from_sentences(items, PROBED[name]))
    targets = fit.draw(TARGETS, settings.seed)
    x = gather(subject, targets, settings=settings)  # (L + 1, N, F)
    train, dev, test = targets.splits()
    probes = fit_each(x[:, train], targets.labels[train], l2=L2, device=settings.torch_device())
    right = np.array([probe.predict(layer) for probe, layer in zip(probes, x)]) == targets.labels
    best = choose(right[1:, dev].mean(1)) + 1
    _, sentence = np.unique(targets.sentence[test], return_inverse=True)
    told = np.bincount(sentence, right[best, test])
    return {"right": told.astype(int).tolist(), "n": np.bincount(sentence).tolist()}


def tuned(subject: Subject, settings: Settings) -> dict[str, Any]:
    """A copy tuned on a generated task: which test items it tells, and the share of the commonest class."""
    found, test = _classifier(subject)
    return {"right": bits(found.right(test, settings)), "majority": _majority(test)}


def _majority(items: Sequence[Labelled]) -> float:
    labels = [i.label for i in items]
    return max(labels.count(x) for x in set(labels)) / len(labels)


def _classifier(subject: Subject) -> tuple[classes.Classifier, list[Labelled]]:
    items, _ = classes.fitting(subject, builtin.build(TUNED, TOLD, 0))
    train, test = ([i for i in items if i.split == split] for split in ("train", "test"))
    return classes.classify(subject, train, RECIPE), test


def fewer_bits(subject: Subject, settings: Settings, widths: Sequence[int]) -> dict[str, Any]:
    """The tuned copy as it is (``32``) and with every matrix of its encoder in so many bits.

    Returns
    -------
    dict
        Bits -> which test items it tells (``right``), and the bytes of its encoder in a file (``bytes``); and ``majority``,
        the share of the commonest class.
    """
    found, test = _classifier(subject)
    made = {32: found} | {n: whole.encoder(found, n) for n in widths}
    told = {str(n): {"right": bits(c.right(test, settings)), "bytes": whole.bytes_of(c)} for n, c in made.items()}
    return told | {"majority": _majority(test)}
