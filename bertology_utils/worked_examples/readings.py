"""What is read off the vectors in other ways than by one label a word: properties, codes, erasure, decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..data.items import Data, Labelled
from ..errors import TooFew
from ..experiments.semantics import names, swaps
from ..experiments.syntax import concatenated
from ..experiments.syntax.amnesic import Masked, Whitened, erased
from ..experiments.syntax.probe_size import WIDTHS
from ..experiments.syntax.probing import tags, words_with
from ..experiments.world.statements import ATTRIBUTE
from ..probes import control_task, fitting, from_edges, from_sentences, gather, online_codes
from ..probes.linear import fit, fit_each
from ..probes.statements import judge
from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject
from .gaps import choices
from .probes import L2, LONG, MOST, answer, described, split
from .text import depths, figures, short, verdict


def properties(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Depth of a sentence's tree and share of nouns read off its concatenated vectors, its length being given."""
    items = [s for s in data["treebank"] if concatenated.analysed(s) and len(s.words) <= concatenated.LONGEST]
    items, _ = encode.fitting(subject, items)
    train = np.array([s.split == "train" for s in items], bool)
    if not train.any() or train.all():
        raise TooFew(f"{len(items)} sentences are not in train and test")
    y = np.array([list(concatenated.features(s).values()) for s in items], float)
    layer, names_ = depths(subject.n_layers)[1], list(concatenated.features(items[0]))
    predicted = concatenated.read_off(subject, items, [layer], y, train, settings)[0, 1]
    yield f"ridge regressions on length and layer {layer}, fitted on {train.sum()} sentences"
    for k in [items.index(s) for s in short([s for s in items if s.split == "test"])]:
        yield items[k].describe()
        for name in (*concatenated.STRUCTURE[:2], "share of NOUN"):
            f = names_.index(name)
            yield figures([(name, y[k, f]), ("read off", predicted[k, f])])


def code_length(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """What it costs to send the part of speech of each word, and a label drawn at random for each word type."""
    items = [s for s in data["treebank"] if s.upos]
    targets, _ = fitting(subject, from_sentences(items, words_with("upos")))
    targets = targets.take(np.flatnonzero(targets.split == "train")[:MOST])
    layer = depths(subject.n_layers)[1]
    x = gather(subject, targets, layers=[layer], settings=settings)
    options = {"groups": targets.sentence, "seed": settings.seed, "device": settings.torch_device()}
    real, control = (online_codes(x, t.labels, [L2], **options)[0, 0] for t in (targets, control_task(targets)))
    yield f"bits for each word's part of speech, and for a label drawn at random for each word; layer {layer}"
    known = [s for s in np.unique(targets.sentence) if 5 <= (targets.sentence == s).sum() <= 15]
    for sentence in known[-2:]:
        mine = np.flatnonzero(targets.sentence == sentence)
        yield " ".join(targets.sentences[sentence])
        for name, bits in (("parts of speech", real), ("random labels", control)):
            costs = [f"{targets.types[k]} {bits[k]:.1f}" for k in mine]
            yield f"  {name}: {' · '.join(costs)}; mean {bits[mine].mean():.2f}"
    yield figures([("mean of all words, parts of speech", real.mean()), ("random labels", control.mean())])


def sizes(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """What probes of several sizes say of two words: their part of speech, and a label drawn at random for each word type."""
    items = data["treebank"]
    targets, asked = split(fitting(subject, from_sentences(items, tags(items)))[0], settings)
    known, layer = asked[0], subject.n_layers // 2
    (x,) = gather(subject, targets, layers=[layer], settings=settings)
    tasks = {"part of speech": targets, "random label": control_task(targets, settings.seed)}
    fits = {
        (name, size): fit(x[:known], task.labels[:known], hidden=width, l2=L2, seed=settings.seed)
        for name, task in tasks.items()
        for size, width in WIDTHS.items()
    }
    yield f"probes fitted on {known} words of layer {layer}"
    for t in asked:
        yield described(targets, t)
        for name, task in tasks.items():
            told = "   ".join(answer(size, fits[name, size], x[[t]]) for size in WIDTHS)
            yield f"  {name} {task.labels[t]}: {told}"


def forgotten(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """What is predicted for a masked word before and after its part of speech is erased from the middle layer."""
    items = [s for s in data["treebank"] if s.upos or s.xpos]
    items, _ = encode.fitting(subject, items)
    train, test = ([s for s in items if s.split == part] for part in ("train", "test"))
    if not (train and test):
        raise TooFew(f"{len(items)} sentences are not in train and test")
    learnt, layer = Masked.of(subject, train, settings), subject.n_layers // 2
    eraser = Whitened(learnt.vectors(subject, [layer], settings)[0]).without(learnt.labels)
    many, tokens = f"{eraser.rank} of {subject.hidden_size}", subject.tokenizer.convert_ids_to_tokens
    yield f"{many} directions of layer {layer} erased, learnt from {len(learnt.labels)} masked words"
    for sentence in short(test):
        asked = Masked.of(subject, [sentence], settings)
        if not len(asked.pieces):  # no word is one piece
            continue
        before = asked.distributions(subject, settings)[0]
        with erased(subject, layer, eraser):
            after = asked.distributions(subject, settings)[0]
        yield f"{' '.join(tokens(list(asked.rows[0].ids))[1:-1])}   masked: {tokens(int(asked.pieces[0]))} ({asked.labels[0]})"
        for name, logs in (("before", before), ("after", after)):
            best = logs.argsort(descending=True, stable=True)[:3].tolist()
            yield f"  {name}: {' · '.join(tokens(best))}"
        yield figures([("KL divergence of the two, nats", float((before.exp() * (before - after)).sum()))])


def formalisms(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The role of an argument in one formalism, and its properties in another, from the same vectors."""
    items = [i for i in data["proto_roles"] if i.meta.get("role")]
    targets = from_edges(items, label=lambda i: i.meta["role"])
    by_place = {(i.words, i.span1, i.span2): i for i in items}
    targets, asked = split(fitting(subject, targets)[0], settings)
    held = [
        by_place[targets.sentences[s], tuple(a), tuple(b)].labels for s, (a, b) in zip(targets.sentence, targets.spans)
    ]
    every = sorted({p for labels in held for p in labels})
    gold = np.array([[p in labels for p in every] for labels in held])
    layer, known = depths(subject.n_layers)[1], np.arange(asked[0])
    (x,) = gather(subject, targets, layers=[layer], settings=settings)
    some = gold[known].any(0) & ~gold[known].all(0)
    options = {"l2": L2, "device": settings.torch_device()}
    (role,) = fit_each(x[None, known], targets.labels[known], **options)
    properties_ = fit(x[known], gold[known][:, some], classes=np.array(every)[some], **options)
    yield f"linear probes on layer {layer}, fitted on {len(known)} arguments"
    for t in asked:
        yield described(targets, int(t))
        yield "  " + answer("role", role, x[[t]])
        right = properties_.predict(x[[t]])[0] == gold[t, some]
        yield f"  properties: {', '.join(held[t])}; told rightly: {right.sum()} of {some.sum()}"


def renamed_people(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Who a pronoun means, and who it means when somebody has another name."""
    found = sorted(swaps.versions(data, settings.seed)[0], key=lambda v: len(v.base.words) > LONG)
    items = [i for i in data.items.get("coreference", []) if i.answer is not None and len(i.candidates) == 2][:60]
    tested = found[:2]
    train = [i for i in items if i.id not in {v.base.id for v in tested}] or [v.base for v in found[2:]]
    train, _ = encode.fitting(subject, train)
    if not (train and tested):
        raise TooFew(f"{len(train)} items to learn from and {len(tested)} to ask")
    layer = [depths(subject.n_layers)[1]]
    x, targets = names.vectors(subject, train, layer, settings)
    (probe,) = fit_each(x, targets.labels, classes=names.ANSWERS, l2=names.L2, device=settings.torch_device())
    yield f"a linear probe on layer {layer[0]}, fitted on {len(train)} items"
    for v in tested:
        yield v.base.describe()
        said = names.decided(probe, *names.vectors(subject, v.every(), layer, settings))[0]
        for item, k in list(zip(v.every(), said))[: 1 + len(v.names)]:
            people = " and ".join(" ".join(item.words[slice(*c)]) for c in item.candidates)
            yield f"  {people}: {' '.join(item.words[slice(*item.candidates[k])])}: {verdict(k == v.base.answer)}"


def statements(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Is a statement about an object true? Told from its vector by a probe that has not met the object."""
    task = next((t for t in ATTRIBUTE if data.items.get(t)), None)
    if task is None:
        yield from choices(subject, data, settings)
        return
    items: list[Labelled] = data[task]
    of = {s: [i for i in items if i.split == s] for s in ("train", "dev", "test")}
    dev = of["dev"] or of["train"][::3]
    train = of["train"] if of["dev"] else [i for i in of["train"] if i not in dev]
    chosen = [next((i for i in of["test"] if i.label == label), None) for label in ("1", "0")]
    asked = [i for i in chosen if i is not None]
    found = judge(subject, train, dev, asked, settings)
    yield f"a linear probe on layer {found.layer}, fitted on {len(train)} statements"
    for item, said, lead in zip(asked, found.predicted, found.lead):
        yield item.describe()
        yield f"  said: {'true' if said else 'false'}, log-odds {lead:.2f}: {verdict(bool(said) is (item.label == '1'))}"


def statements_and_sizes(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A statement about an object, and which of two things is larger."""
    yield from statements(subject, data, settings)
    if data.items.get("size_comparison") and subject.has_mlm:
        yield from choices(subject, replace(data, items={"size_comparison": data["size_comparison"]}), settings)
