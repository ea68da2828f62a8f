"""Mask adapters: the fused maps are peft's, runs go on where they stopped, others load what is exported."""

from __future__ import annotations

import itertools
import json
import math
import random
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForMaskedLM, BertConfig, BertModel, MPNetConfig, MPNetModel, PreTrainedTokenizerFast

from bertology_pretrain import CheckpointError, adapt
from bertology_pretrain.adapt import Plan, Run
from bertology_pretrain.adaptercard import card
from bertology_pretrain.passages import Text, batches, cut, masked
from bertology_utils.subject import adapters
from bertology_utils.subject.models import bundled

PLAN = Plan(rank=4, alpha=8, batch=256, length=32, warmup=500, cooldown=1500, held_out=0.1, rate=1e-2, head_rate=1e-2)
SHAPE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
NOUNS, VERBS = "cat dog king queen farmer teacher".split(), "sees likes finds knows".split()


@pytest.fixture(scope="module")
def tokenizer():
    file = str(bundled()["mini"] / "tokenizer.json")
    names = {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]", "unk": "[UNK]"}
    return PreTrainedTokenizerFast(tokenizer_file=file, **{f"{k}_token": v for k, v in names.items()})


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    file = tmp_path_factory.mktemp("text") / "plain.txt"
    rng = random.Random(0)
    lines = [
        " ".join(f"The {rng.choice(NOUNS)} {rng.choice(VERBS)} the {rng.choice(NOUNS)}." for _ in range(6))
        + "\n" * (i % 3)
        for i in range(1200)
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.fixture(scope="module", params=["mpnet", "bert"])
def base(request, tokenizer, tmp_path_factory):
    """A folder with a tiny network that has no head for masks."""
    folder = tmp_path_factory.mktemp(request.param)
    torch.manual_seed(0)
    if request.param == "mpnet":
        ids = {"pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 3}
        MPNetModel(MPNetConfig(vocab_size=len(tokenizer), **SHAPE, **ids)).save_pretrained(folder)
    else:
        BertModel(BertConfig(vocab_size=len(tokenizer), **SHAPE), add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def same(one: Run, other: Run) -> bool:
    return all(torch.equal(p, other.trained[n]) for n, p in one.trained.items())


def test_a_fused_map_has_the_values_and_gradients_of_pefts(base):
    from peft.tuners.lora import Linear

    _, model = adapt.begin(base, PLAN)
    model.float()
    fused = next(m for m in model.modules() if isinstance(m, Linear))
    torch.nn.init.normal_(fused.lora_B["default"].weight)
    x = torch.randn(3, 5, fused.in_features, requires_grad=True)
    leaves = (x, fused.lora_A["default"].weight, fused.lora_B["default"].weight, fused.base_layer.bias)

    def grown(forward):
        out = forward(x)
        return out, torch.autograd.grad((out * torch.arange(out.shape[-1])).sum(), leaves)

    ours, theirs = grown(fused.forward), grown(lambda x: Linear.forward(fused, x))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


def test_it_learns_and_the_export_is_what_was_trained(base, text, tmp_path):
    run = Run(base, [text], PLAN, tmp_path)
    before = adapt.evaluate(run, 40)["loss"]
    frozen = {n: p.clone() for n, p in run.model.named_parameters() if not p.requires_grad}
    assert run.train(12_000, math.inf)
    folder = run.finish(tmp_path / "adapter", "someone/network")
    after = run.curve[-1]
    assert after["loss"] < before - 1 and after["accuracy"] > 0.2
    assert all(torch.equal(p, frozen[n]) for n, p in run.model.named_parameters() if not p.requires_grad)

    config = json.loads((folder / "adapter_config.json").read_text("utf-8"))
    assert config["base_model_name_or_path"] == "someone/network"
    merged = PeftModel.from_pretrained(AutoModelForMaskedLM.from_pretrained(base), folder).merge_and_unload().eval()
    ids, real, wanted, gold = masked(run.text.held_rows(run.tokenizer, 40), run.tokenizer, 0.15, "held", 0)
    with torch.inference_mode():
        theirs = merged(input_ids=ids, attention_mask=real).logits[wanted].float()
    loss = torch.nn.functional.cross_entropy(theirs, gold[wanted]).item()
    assert loss == pytest.approx(after["loss"], abs=0.1)  # other masks than the curve's batches of 16, half precision


def test_of_a_large_vocabulary_what_occurs_is_scored_alone_and_the_head_has_it_all(base, text, tmp_path):
    run = Run(base, [text], replace(PLAN, counted=200), tmp_path)
    run.model.float()
    run.narrow = run.narrow.float()
    scored, start = run.scored, run.head.decoder.bias.detach().clone()
    drawn = itertools.islice(run.text.drawn(run.tokenizer), 200)
    assert set(scored.tolist()) == {i for _, rows in drawn for row in rows for i in row} and len(scored) < 40
    ids, real, wanted, gold = masked(run.text.held_rows(run.tokenizer, 12), run.tokenizer, 0.5, 1)
    loss = run.backward(run.states(ids, real, wanted), gold[wanted])
    ours = {n: p.grad.clone() for n, p in run.trained.items()}
    run.optimiser.zero_grad()
    among = torch.full((len(run.tokenizer),), -math.inf)
    among[scored] = 0
    theirs = torch.nn.functional.cross_entropy(run.logits(run.states(ids, real, wanted)) + among, gold[wanted])
    theirs.backward()
    assert loss == pytest.approx(theirs.item(), rel=1e-4)
    torch.testing.assert_close(ours, {n: p.grad for n, p in run.trained.items()}, rtol=1e-3, atol=1e-5)

    run.optimiser.zero_grad()
    unknown = torch.full_like(gold[wanted], int((run.place < 0).nonzero()[0]))  # a batch with nothing to score
    assert run.backward(run.states(ids, real, wanted), unknown) == 0
    assert all(p.grad is None or not p.grad.any() for p in run.trained.values())

    run = Run(base, [text], replace(PLAN, counted=200), tmp_path)  # the counts are kept
    before = adapt.evaluate(run, 40)["loss"]
    run.train(12_000, math.inf)
    assert adapt.evaluate(run, 40)["loss"] < before - 0.05 < math.log(len(start)) - 4  # over all pieces
    bias, never = run.head.decoder.bias.detach(), torch.ones(len(start), dtype=torch.bool)
    never[scored] = False
    assert torch.equal(bias[never], start[never]) and bias[never].max() < bias[scored].mean()
    assert not torch.equal(bias[scored], start[scored])


def test_a_run_goes_on_exactly_where_it_stopped(base, text, tmp_path):
    whole = Run(base, [text], PLAN, tmp_path / "whole")
    (tmp_path / "parts").mkdir()
    (tmp_path / "whole").mkdir()
    whole.train(9_000, math.inf)
    first = Run(base, [text], PLAN, tmp_path / "parts")
    first.train(1, math.inf)  # one pool
    second = Run(base, [text], PLAN, tmp_path / "parts")
    assert second.pieces == first.pieces > 0 and same(first, second)
    second.train(9_000, math.inf)
    assert second.pieces == whole.pieces and same(second, whole)
    with pytest.raises(CheckpointError, match="hidden"):
        Run(base, [text], Plan(**{**vars(PLAN), "hidden": 0.4}), tmp_path / "parts")


def test_a_second_run_begins_with_the_first_ones_adapter_and_its_text_goes_on(base, text, tmp_path):
    run = Run(base, [text], PLAN, tmp_path)
    run.train(12_000, math.inf)
    folder = run.finish(tmp_path / "adapter")
    after = Run(base, [text], PLAN, tmp_path / "after", start=folder)
    assert after.draw == run.draw > 0 and after.before[0]["pieces"] == run.pieces
    ours, theirs = adapt.evaluate(after, 40)["loss"], run.curve[-1]["loss"]
    assert ours == pytest.approx(theirs, abs=0.5) and theirs < math.log(len(run.tokenizer)) - 1


def test_held_out_passages_are_never_drawn_and_rows_are_whole_sentences(text, tokenizer):
    corpus = Text([text], PLAN)
    held = {p for file in corpus.held for p in file}
    assert held and not held & {p for file in corpus.passages for p in file}
    passage = corpus.passages[0][0]
    rows = list(cut(passage, tokenizer, PLAN, np.random.default_rng(0)))
    stop = tokenizer.convert_tokens_to_ids(".")
    assert all(row[-1] == stop and len(row) <= PLAN.length - 2 for row in rows)
    assert [i for row in rows for i in row] == tokenizer(passage, add_special_tokens=False)["input_ids"]
    stream = batches(corpus.drawn(tokenizer), PLAN)
    for _, (_, group) in zip(range(40), stream):
        assert len(group) * (max(map(len, group)) + 2) <= PLAN.batch


def test_masks_hide_the_share_asked_and_no_special_symbol(tokenizer):
    rows = [list(range(100, 130))] * 200
    shown, real, wanted, ids = masked(rows, tokenizer, 0.3, 1)
    assert wanted.float().sum() / 6000 == pytest.approx(0.3, abs=0.03)
    assert not wanted[:, 0].any() and not wanted[:, -1].any() and bool(real.all())
    assert (shown[wanted] == tokenizer.mask_token_id).float().mean() == pytest.approx(0.8, abs=0.05)
    assert torch.equal(shown[~wanted], ids[~wanted])
    assert torch.equal(masked(rows, tokenizer, 0.3, 1)[0], shown) and not torch.equal(
        masked(rows, tokenizer, 0.3, 2)[0], shown
    )


@pytest.mark.parametrize("name", sorted(adapters.bundled()))
def test_the_card_of_a_bundled_adapter_is_of_its_files(name, tmp_path):
    """No figure on it is typed by hand, those of a longer run included."""
    shipped = adapters.bundled()[name]
    shutil.copytree(shipped, tmp_path / name)
    assert card(tmp_path / name, name).read_text("utf-8") == (shipped / "README.md").read_text("utf-8")
    if name != "mpnet":
        return
    longer = json.loads((shipped / "longer.json").read_text("utf-8"))
    assert longer["before"][-1]["pieces"] == json.loads((shipped / "training.json").read_text("utf-8"))["pieces"]
