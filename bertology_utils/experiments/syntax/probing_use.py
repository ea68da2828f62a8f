"""Beyond accuracy: how easily labels are extracted, and whether the model misses them once erased."""

from __future__ import annotations

import random

import numpy as np
import torch

from ... import probes
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import Means, control_task, from_sentences
from ...scores import intervals
from ...settings import Settings
from ...subject import encode
from ...subject.models import ModelUnsuitable, Subject
from .probing import MOST, few, words_with


def tags(items: list[Sentence]):
    """Finder of every word with its part of speech (universal where there is one, else the treebank's own)."""
    return words_with("upos" if any(i.upos for i in items) else "xpos")


@claim(
    "syn.mdl.voita2020",
    tasks="treebank",
    n=250,
    limit=300,
    # a twentieth of a compression is the least gap worth the name; the comparison of gaps is about its sign alone
)
def description_length(subject, data, settings):
    """Online code length and accuracy of parts of speech and of control labels, at every layer (voita2020).

    Gaps are relative: real over control, less one. Compression is the uniform code's length over the online code's;
    the code is of the train split, accuracy is on test.
    """
    items = few(data["treebank"], 4)
    targets, note = probes.fitting(subject, from_sentences(items, tags(items)))
    targets = targets.draw(MOST, settings.seed)
    tasks = {"real": targets, "control": control_task(targets, settings.seed)}
    x = probes.gather(subject, targets, settings=settings)
    train, test = targets.split == "train", targets.split == "test"
    device, draws = settings.torch_device(), min(settings.draws, 1000)
    sent = Means(targets.sentence[train], seed=settings.seed, draws=draws)
    told = Means(targets.sentence[test], seed=settings.seed + 1, draws=draws)
    codes, rights = {}, {}  # kind of labels -> (L + 1, N)
    for kind, task in tasks.items():
        labels = task.labels[train]
        bits = probes.online_code(
            x[:, train], labels, groups=targets.sentence[train], seed=settings.seed, device=device
        )
        codes[kind] = bits / probes.uniform_bits(labels)  # share of the uniform code
        fitted = probes.fit_each(x[:, train], labels, device=device)
        rights[kind] = np.array([p.predict(v) for p, v in zip(fitted, x[:, test])]) == task.labels[test]
    rows = []
    for layer in range(len(x)):
        code, right = ({kind: values[layer] for kind, values in of.items()} for of in (codes, rights))
        for kind in tasks:
            ratio = intervals.interval(1 / code[kind].mean(), 1 / sent.draws(code[kind]))
            rows.append(intervals.row("compression", ratio, int(train.sum()), layer=layer, labels=kind))
            rows.append(intervals.row("accuracy", told(right[kind]), int(test.sum()), layer=layer, labels=kind))
        shorter = code["control"].mean() / code["real"].mean() - 1
        shorter_drawn = sent.draws(code["control"]) / sent.draws(code["real"]) - 1
        better = right["real"].mean() / max(right["control"].mean(), 1e-9) - 1
        better_drawn = told.draws(right["real"]) / np.maximum(told.draws(right["control"]), 1e-9) - 1
        n = len(code["real"])
        for measure, value, drawn in (
            ("compression gap", shorter, shorter_drawn),
            ("accuracy gap", better, better_drawn),
            ("compression gap less accuracy gap", shorter - better, shorter_drawn - better_drawn),
        ):
            rows.append(intervals.row(measure, intervals.interval(value, drawn), n, layer=layer))
    return intervals.table(rows, [note])


@claim(
    "syn.amnesic.elazar2020",
    tasks="treebank",
    n=320,
    limit=240,
    # one point of accuracy at least, after the last layer: what the study's main table is about
)
def amnesic(subject, data, settings):
    """Part of speech erased after a layer, against as many random directions erased there (elazar2020).

    Single-piece words are masked (about one in six); the projection is learnt from the vectors at the masks of train
    sentences, stops by dev, and is applied to every position of test sentences. After the embeddings, the middle layer
    and the last one.
    """
    if not subject.has_mlm:
        raise ModelUnsuitable(f"{subject.name} has no masked-language-model head")
    items = few(data["treebank"], 5)
    items = [i for i, ok in zip(items, encode.fits(subject, [i.words for i in items])) if ok]
    masked = {s: Masked.of(subject, [i for i in items if i.split == s], settings) for s in ("train", "dev", "test")}
    layers = sorted({0, subject.n_layers // 2, subject.n_layers})
    x = {s: masked[s].vectors(subject, layers, settings) for s in ("train", "dev")}
    test, device = masked["test"], settings.torch_device()
    before = test.distributions(subject, settings)
    mean, n = Means(test.groups, seed=settings.seed, draws=settings.draws), len(test.groups)
    rows = [intervals.row("masked-LM accuracy", mean(test.right(before)), n)]
    for k, layer in enumerate(layers):
        found = probes.inlp(x["train"][k], masked["train"].labels, x["dev"][k], masked["dev"].labels, device=device)
        others = probes.random_directions(subject.hidden_size, len(found.directions), settings.seed)
        after = {}
        for kind, directions in (("part of speech", found.directions), ("random", others)):
            with probes.erased(subject, layer, probes.project_out(directions)):
                after[kind] = test.distributions(subject, settings)
        keys = {"layer": layer, "place": "last layer" if layer == subject.n_layers else "lower layer"}
        drop = {kind: test.right(before) - test.right(logs) for kind, logs in after.items()}
        moved = {kind: (before.exp() * (before - logs)).sum(-1).cpu().numpy() for kind, logs in after.items()}
        for kind in after:
            rows.append(intervals.row("drop of accuracy", mean(drop[kind]), n, erased=kind, **keys))
            rows.append(intervals.row("KL divergence (nats)", mean(moved[kind]), n, erased=kind, **keys))
        rows.append(intervals.row("drop over random", mean(drop["part of speech"] - drop["random"]), n, **keys))
        rows.append(intervals.row("KL over random", mean(moved["part of speech"] - moved["random"]), n, **keys))
        known = f"layer {layer}: {len(found.directions)} of {subject.hidden_size} directions erased; probe "
        rows[-1]["note"] = f"{known}{found.accuracy[0]:.3f} before, {found.accuracy[-1]:.3f} after"
    notes = [r.pop("note") for r in rows if "note" in r]
    return intervals.table(rows, notes)


class Masked:
    """Sentences with some words masked: rows of pieces, and for each mask the word's tag, piece and sentence."""

    COPIES = 2  # of each sentence, with different words masked
    SHARE = 0.15

    def __init__(self, rows: list, labels: np.ndarray, pieces: np.ndarray, groups: np.ndarray) -> None:
        self.rows, self.labels, self.pieces, self.groups = rows, labels, pieces, groups

    @classmethod
    def of(cls, subject: Subject, items: list[Sentence], settings: Settings) -> Masked:
        rng, mask = random.Random(settings.seed), subject.tokenizer.mask_token_id
        rows, labels, pieces, groups = [], [], [], []
        for k, (item, row) in enumerate(zip(items, encode.tokenize(subject, [i.words for i in items]))):
            tag = item.upos or item.xpos
            whole = [t for t, w in enumerate(row.words) if w >= 0 and row.words.count(w) == 1]
            whole = [t for t in whole if row.ids[t] != subject.tokenizer.unk_token_id]
            for _ in range(cls.COPIES):
                chosen = sorted(rng.sample(whole, min(len(whole), max(1, round(cls.SHARE * len(item.words))))))
                if not chosen:
                    continue
                ids = tuple(mask if t in chosen else x for t, x in enumerate(row.ids))
                rows.append(encode.Row(ids, row.types, row.words, row.n_words))
                labels += [tag[row.words[t]] for t in chosen]
                pieces += [row.ids[t] for t in chosen]
                groups += [k] * len(chosen)
        return cls(rows, np.array(labels), np.array(pieces), np.array(groups))

    def vectors(self, subject: Subject, layers: list[int], settings: Settings) -> np.ndarray:
        """Hidden states at the masks, (layers, M, H)."""
        found: list = [None] * len(self.rows)
        mask = subject.tokenizer.mask_token_id
        for batch in encode.batches(subject, self.rows, settings.batch_tokens):
            states = encode.forward(subject, batch, output_hidden_states=True).hidden_states
            for b, i in enumerate(batch.index):
                found[i] = torch.stack([states[k][b, batch.ids[b] == mask] for k in layers]).float().cpu().numpy()
        return np.concatenate(found, 1)

    def distributions(self, subject: Subject, settings: Settings) -> torch.Tensor:
        """Natural-log probabilities at the masks, (M, V)."""
        found: list = [None] * len(self.rows)
        for i, logs in probes.at_masks(subject, self.rows, settings.batch_tokens):
            found[i] = logs
        return torch.cat(found)

    def right(self, logs: torch.Tensor) -> np.ndarray:
        """Whether the likeliest piece is the word that stood there, (M,), as numbers."""
        return (logs.argmax(-1).cpu().numpy() == self.pieces).astype(float)
