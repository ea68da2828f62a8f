"""Quantized models are smaller on disk, near the original, and load and run in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from support import tiny, tiny_folder

from bertology_utils import Settings
from bertology_utils.compress import file_bytes, linear_bytes, quantize
from bertology_utils.compress.weights import matrices
from bertology_utils.data.items import Labelled
from bertology_utils.finetune import ClassHead, Classifier, Recipe, classify, states, text_rows
from bertology_utils.subject.encode import batches

TEXTS = [
    "the dog sleeps .",
    "the old key near the cabinets was small .",
    "she likes the young cats .",
    "a robin runs .",
]
ITEMS = [Labelled(id=str(k), split="test", text=t, label=str(k % 2)) for k, t in enumerate(TEXTS)]


def classifier():
    torch.manual_seed(0)
    return Classifier(tiny(), ClassHead(tiny(), 2).eval().requires_grad_(False), ("0", "1"))


def test_int8_takes_a_quarter_of_the_bytes_and_says_much_the_same():
    one, less = classifier(), quantize.int8(classifier())
    assert linear_bytes(one.subject.base.encoder) / linear_bytes(less.subject.base.encoder) > 3.5
    assert file_bytes(less.subject.base) < file_bytes(one.subject.base)
    (batch,) = batches(one.subject, text_rows(one.subject, ITEMS), 10**6)
    with torch.inference_mode():
        before, after = (states(c.subject, batch)[batch.mask.bool()] for c in (one, less))
    alike = torch.nn.functional.cosine_similarity(before, after, dim=-1)
    assert 0.98 < float(alike.min()) < 1 - 1e-9  # much the same, and not the very same


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_so_many_bits_have_so_many_levels_and_packing_loses_nothing(bits):
    weight = torch.randn(24, 40, generator=torch.Generator().manual_seed(bits))
    codes, scales, far = quantize.levels(weight, bits)
    assert int(codes.abs().max()) == 2 ** (bits - 1) - 1 and not len(far)
    assert torch.equal(quantize.unpacked(quantize.packed(codes, bits), bits, tuple(codes.shape)), codes)
    assert quantize.packed(codes, bits).numel() == -(-codes.numel() * bits // 8)
    back = quantize.restored(codes, scales, far, weight[:0].flatten(), weight.shape)
    assert float((back - weight).abs().max()) <= float(scales.max()) / 2 + 1e-6  # half a step at most


def test_more_bits_are_nearer_and_outliers_kept_help():
    weight = torch.randn(64, 64, generator=torch.Generator().manual_seed(0))
    weight[0, 0] = 40.0  # one weight that ruins the scale of its group

    def far_off(bits, outliers):
        codes, scales, far = quantize.levels(weight, bits, outliers=outliers)
        back = quantize.restored(codes, scales, far, weight.flatten()[far], weight.shape)
        return float((back - weight)[0].abs().mean())

    assert far_off(8, False) < far_off(4, False) < far_off(2, False)
    assert far_off(3, True) < far_off(3, False)
    with pytest.raises(ValueError, match="9 bits"):
        quantize.levels(weight, 9)


@pytest.mark.parametrize("outliers", [False, True])
def test_few_bits_make_a_small_file(outliers):
    one, less = classifier(), quantize.grouped(classifier(), 3, outliers=outliers)
    assert linear_bytes(less.subject.base.encoder) < linear_bytes(one.subject.base.encoder) / 5
    assert less.logits(ITEMS, Settings()).shape == (4, 2)


LOAD = """
import sys, torch
from bertology_utils import Settings, load
from bertology_utils.compress import quantize
from bertology_utils.data.items import Labelled
from bertology_utils.finetune import ClassHead, Classifier
MADE = {"int8": quantize.int8, "grouped": lambda c: quantize.grouped(c, 3, outliers=True)}
model, weights, texts = sys.argv[1:]
subject = load(model)
items = [Labelled(id=str(k), split="test", text=t, label="0") for k, t in enumerate(texts.split("|"))]
for way, saved in torch.load(weights, weights_only=False).items():
    blank = Classifier(subject, ClassHead(subject, 2).eval(), ("0", "1"))
    made = MADE[way](blank)
    made.subject.base.load_state_dict(saved["base"])
    made.head.load_state_dict(saved["head"])
    print(" ".join(f"{x:.5f}" for x in made.logits(items, Settings()).ravel()))
"""


def test_quantized_models_load_and_run_in_a_fresh_process(tmp_path):
    tuned = classify(tiny(), ITEMS * 2, Recipe(epochs=1, batch=4, rate=1e-3))  # other weights than the folder's
    made = {"int8": quantize.int8(tuned), "grouped": quantize.grouped(tuned, 3, outliers=True)}
    path = tmp_path / "weights.pt"
    torch.save({k: {"base": c.subject.base.state_dict(), "head": c.head.state_dict()} for k, c in made.items()}, path)
    asked = [sys.executable, "-W", "ignore", "-c", LOAD, str(tiny_folder()), str(path), "|".join(TEXTS)]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    for line, less in zip(said, made.values(), strict=True):
        assert np.allclose(np.array(line.split(), float), less.logits(ITEMS, Settings()).ravel(), atol=1e-4)


def test_training_sees_rounded_weights_and_they_stay():
    found = classify(quantize.rounded(tiny(), 2), ITEMS * 4, Recipe(epochs=1, batch=4, rate=1e-3))
    subject = quantize.plain(found.subject)
    for name, linear in matrices(subject).items():
        codes, scales, far = quantize.levels(linear.weight, 2)
        back = quantize.restored(codes, scales, far, linear.weight.flatten()[:0], linear.weight.shape)
        torch.testing.assert_close(back, linear.weight, atol=1e-6, rtol=1e-4, msg=name)
        assert not torch.equal(linear.weight, matrices(tiny())[name].weight)
    assert replace(found, subject=subject).logits(ITEMS, Settings()).shape == (4, 2)
