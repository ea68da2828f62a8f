"""Figures of the chapters on training and on size computed a second time: by hand on a tuned network, or from runs and records.

The network is tuned by the package, for one epoch; all that is then said of it is computed with its layers alone.
"""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from by_hand import plain

from bertology_utils import finetune
from bertology_utils.claims import evidence
from bertology_utils.compress import drop_layers, quantize, weights
from bertology_utils.data import load
from bertology_utils.experiments.size.heads import without
from bertology_utils.experiments.training.tuned_inside import _weights_moved
from bertology_utils.family.record import SHIPPED
from bertology_utils.finetune.restoring import attention_change, special_mass
from bertology_utils.settings import Settings
from bertology_utils.subject import models

SETTINGS = Settings(draws=20)
HEADS = 8  # of each of mini's eight layers


@cache
def shipped(id: str) -> list[evidence.Evidence]:
    return evidence.find(id, Settings(evidence=evidence.SHIPPED))


@cache
def texts():
    items = load("entailment", "builtin", n=600)["entailment"]
    return [i for i in items if "contradicts" not in i.meta]


@cache
def tuned() -> finetune.Classifier:
    train = [i for i in texts() if i.split == "train"][:64]
    return finetune.classify(models.load("mini"), train, finetune.Recipe(epochs=1, batch=16, rate=3e-4))


def held():
    return [i for i in texts() if i.split == "dev"][:10]


def encoded(item):
    return plain().tokenizer(item.text, item.text_b, return_tensors="pt")


@torch.no_grad()
def answers(base, head, gone=()) -> np.ndarray:
    """Logits (texts, classes) with the layers' own modules, one after the other, without those that are gone."""
    out = []
    for item in held():
        enc = encoded(item)
        x = base.embeddings(enc["input_ids"], token_type_ids=enc["token_type_ids"])
        for k, layer in enumerate(base.encoder.layer):
            if k not in gone:
                found = layer(x)
                x = found[0] if isinstance(found, tuple) else found
        out.append(head.out(torch.tanh(head.dense(x[:, 0])))[0].numpy())
    return np.array(out)


def linear(base):
    return [m for m in base.encoder.layer.modules() if isinstance(m, torch.nn.Linear)]


def test_layers_that_are_dropped():
    c = tuned()
    for gone in ((0, 1, 2), (5, 6, 7)):
        less = replace(c, subject=drop_layers(c.subject, gone))
        assert less.logits(held(), SETTINGS) == pytest.approx(answers(c.subject.base, c.head, gone), abs=1e-3)
    assert not np.allclose(answers(c.subject.base, c.head, gone), answers(c.subject.base, c.head), atol=0.1)


def test_heads_that_are_cut_out():
    """A head's columns of the layer's output matrix are zero."""
    c, gone = tuned(), [(0, 3), (4, 0), (4, 7), (7, 2)]
    base = copy.deepcopy(c.subject.base)
    size = base.config.hidden_size // HEADS
    for layer, head in gone:
        base.encoder.layer[layer].attention.output.dense.weight.data[:, head * size : (head + 1) * size] = 0
    mine = answers(base, c.head)
    assert without(c, gone).logits(held(), SETTINGS) == pytest.approx(mine, abs=1e-3)
    assert not np.allclose(mine, answers(c.subject.base, c.head), atol=1e-2)


def test_the_smallest_weights_set_to_zero():
    c = tuned()
    base = copy.deepcopy(c.subject.base)
    least = np.quantile(np.concatenate([m.weight.detach().abs().flatten() for m in linear(base)]), 0.6)
    for m in linear(base):
        m.weight.data[m.weight.abs() <= least] = 0
    masked = weights.permanent(weights.masked(c.subject, weights.find_masks(c.subject, 0.6)))
    assert replace(c, subject=masked).logits(held(), SETTINGS) == pytest.approx(answers(base, c.head), abs=1e-2)


def test_weights_in_three_bits():
    """Sixty-four weights share a scale: the largest of them is 3, and the others are rounded to whole steps."""
    c = tuned()
    base = copy.deepcopy(c.subject.base)
    for m in linear(base):
        groups = m.weight.detach().reshape(-1, 64).numpy()
        step = np.abs(groups).max(1, keepdims=True) / 3
        m.weight.data = torch.tensor(np.rint(groups / step) * step.astype(np.float16)).reshape(m.weight.shape).float()
    mine = answers(base, c.head)
    assert quantize.grouped(c, 3).logits(held(), SETTINGS) == pytest.approx(mine, abs=2e-2)
    assert not np.allclose(mine, answers(c.subject.base, c.head), atol=0.1)


@pytest.mark.parametrize("record", shipped("siz.magnitude_pruning.gordon2020"), ids=lambda e: f"{e.model} {e.data}")
def test_bytes_of_sparse_matrices(record):
    """Four bytes for each weight that is left and a bit for each place, against four bytes for each place."""
    for row in record.rows:
        if row["measure"] == "bytes of linear weights, dense / sparse":
            assert row["value"] == pytest.approx(4 / (4 * (1 - row["share"]) + 1 / 8), rel=1e-3)


@torch.no_grad()
def test_what_tuning_moves():
    c, before = tuned(), plain().model.bert
    change, special = [], []
    for item in held():
        enc = encoded(item)
        one, two = (
            torch.cat(m(**enc, output_attentions=True).attentions).double().numpy() for m in (c.subject.base, before)
        )  # (layers, heads, from, to)
        flat, other = one.reshape(8, HEADS, -1), two.reshape(8, HEADS, -1)
        cosine = (flat * other).sum(-1) / np.linalg.norm(flat, axis=-1) / np.linalg.norm(other, axis=-1)
        change.append(1 - cosine.mean(1))
        ids = enc["input_ids"][0].numpy()
        marks = [plain().tokenizer.cls_token_id, plain().tokenizer.sep_token_id]
        special.append(np.stack([one[..., ids == k].sum(-1).mean((1, 2)) for k in marks], -1))
    now = models.load("mini")
    assert attention_change(c.subject, now, held(), SETTINGS) == pytest.approx(np.array(change), abs=1e-4)
    assert special_mass(c.subject, held(), SETTINGS) == pytest.approx(np.array(special), abs=1e-4)
    assert np.max(change) > 1e-3
    moved = []
    for a, b in zip(c.subject.base.encoder.layer, before.encoder.layer):
        x, y = (torch.cat([p.flatten() for p in m.parameters()]).double() for m in (a, b))
        moved.append(float((x - y).norm() / y.norm()))
    assert _weights_moved(c.subject, now) == pytest.approx(moved, rel=1e-3)


@torch.no_grad()
def test_how_far_cls_lies_off_centre():
    """Of 240 generated texts, as in mini's record: the median dimension's mean, in its standard deviations."""
    (record,) = (e for e in shipped("trn.cls_norm.zhou2019") if (e.model, e.data) == ("mini", "builtin"))
    train = [i for i in texts() if i.split == "train"][:240]
    first = np.array([plain().model.bert(**encoded(i)).last_hidden_state[0, 0].numpy() for i in train])
    (there,) = (r["value"] for r in record.rows if r["measure"].startswith("offset of [CLS]"))
    assert np.median(np.abs(first.mean(0)) / first.std(0)) == pytest.approx(there, abs=0.02)


@pytest.mark.parametrize(
    "record",
    [e for e in shipped("trn.seed_variance.dodge2020") if any("order" in row for row in e.rows)],
    ids=lambda e: f"{e.model} {e.data}",
)
def test_what_seeds_explain(record):
    """Mean squares of a table of runs: heads' seeds by orders' seeds, one run per cell."""
    runs = [row for row in record.rows if row["measure"] == "accuracy of a run"]
    x = np.zeros((4, 4))
    for row in runs:
        x[int(row["head"]), int(row["order"])] = row["value"]
    rest = x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()
    noise = (rest**2).sum() / 9
    mine = [max(0.0, 4 * x.mean(axis).var(ddof=1) - noise) / 4 for axis in (1, 0)]
    told = {row["measure"]: row["value"] for row in record.rows}
    for name, own in zip(("initialisation", "data order"), mine):
        assert told[f"standard deviation by {name}"] == pytest.approx(own**0.5, abs=1e-4)
    assert told["standard deviation, all runs"] == pytest.approx(x.std(ddof=1), abs=1e-4)


def test_losses_of_the_runs_on_english():
    """Nats per masked piece of the held-out documents, the mean of a group's seeds, and what a doubling of the pieces does."""
    per = defaultdict(list)
    for path in (SHIPPED / "english").glob("*.json"):
        run = json.loads(path.read_text())
        asked = run["items"]["heldout"]
        group = run["config"]["name"].removeprefix("english-").rsplit("-", 1)[0]
        group = {"no second task": "base", "base": "next sentence"}.get(group, group)  # as the tier was first drawn up
        per[group].append(sum(asked["loss"]) / sum(asked["n"]))
    (record,) = (e for e in shipped("trn.data_volume.liu2019b") if e.data == "corpus")
    checked = 0
    for row in record.rows:
        if row["measure"] == "loss":
            assert row["value"] == pytest.approx(np.mean(per[row["group"]]), abs=1e-3)
            checked += 1
        elif row["measure"] == "loss per doubling of pieces":
            few, many = row["step"].split(" to ")
            assert row["value"] == pytest.approx(np.mean(per[many]) - np.mean(per[few]), abs=1e-3)
            checked += 1
    assert checked == 5
