"""Any BERT: each architecture, tiny and with random weights, in the layout in which it is published."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import torch
import transformers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from support import WORDS, tiny_folder, write_model
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from bertology_utils.claims.registry import NotDefined, NotRunnable
from bertology_utils.compress import elimination, parts, remove_heads
from bertology_utils.data import load as load_data
from bertology_utils.experiments.size import studied
from bertology_utils.experiments.training import tuned_runs
from bertology_utils.finetune import Recipe, classify, duplicate
from bertology_utils.runs import run
from bertology_utils.settings import Settings
from bertology_utils.subject import encode, hooks
from bertology_utils.subject.models import ModelUnsuitable, load

TEXTS = ["the dogs near the cat sleep .", "she sees a small red house", "men like the old river bank !"]
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 130,
    "initializer_range": 0.2,
}
DISTIL = {
    "dim": 32,
    "n_layers": 3,
    "n_heads": 4,
    "hidden_dim": 64,
    "max_position_embeddings": 130,
    "initializer_range": 0.2,
}
MODERN = {**SIZES, "initializer_cutoff_factor": 2.0, "global_attn_every_n_layers": 2, "local_attention": 8}
SHAPES = {  # class, configuration, tokenizer
    "distilbert": ("DistilBertForMaskedLM", DISTIL, "wordpiece"),
    "albert": ("AlbertForPreTraining", {**SIZES, "embedding_size": 16}, "unigram"),
    "electra": ("ElectraForMaskedLM", {**SIZES, "embedding_size": 16}, "wordpiece"),
    "mpnet": ("MPNetForMaskedLM", SIZES, "wordpiece"),
    "roberta": ("RobertaForMaskedLM", SIZES, "bpe"),
    "xlm-roberta": ("XLMRobertaForMaskedLM", SIZES, "unigram"),
    "modernbert": ("ModernBertForMaskedLM", MODERN, "bpe"),
}
OTHER = ("albert", "distilbert", "modernbert")  # layers that share, or are put together in other ways
TUNING: dict[str, tuple[str, ...]] = {  # claim -> architectures that it is not defined for
    "trn.more_layers.su2019": (),
    "trn.restore_lower.hao2019": ("albert",),
    "trn.adapters.houlsby2019": ("albert", "modernbert"),
    "siz.token_elimination.goyal2020": OTHER,
    "mbt.typology.pires2019": (),
}
WHOLE = [name for name in SHAPES if name != "albert"]  # with layers of their own
ANGLE = {"bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>",
         "unk_token": "<unk>", "mask_token": "<mask>"}  # fmt: skip


def byte_pairs() -> Tokenizer:
    """Byte-level pieces as RoBERTa's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator(WORDS, trainer)
    return tokenizer


def unigrams() -> Tokenizer:
    """Pieces with a mark at the beginning of a word, as XLM-R's and ALBERT's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], unk_token="<unk>"
    )
    tokenizer.train_from_iterator([" ".join(WORDS)] * 3, trainer)
    return tokenizer


@cache
def folder(shape: str) -> Path:
    made, config, kind = SHAPES[shape]
    where = Path(mkdtemp(prefix="bertology-tiny-"))
    special = {}
    if kind == "wordpiece":
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (where / name).write_bytes((tiny_folder() / name).read_bytes())
        size = json.loads((tiny_folder() / "config.json").read_text())["vocab_size"]
    else:
        tokenizer = byte_pairs() if kind == "bpe" else unigrams()
        ids = {t: tokenizer.token_to_id(t) for t in ("<s>", "</s>", "<pad>")}
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[(t, ids[t]) for t in ("<s>", "</s>")]
        )
        transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **ANGLE).save_pretrained(where)
        size = tokenizer.get_vocab_size()
        special = {"bos_token_id": ids["<s>"], "eos_token_id": ids["</s>"], "pad_token_id": ids["<pad>"]}
        special |= {"cls_token_id": ids["<s>"], "sep_token_id": ids["</s>"]} if shape == "modernbert" else {}
    config = getattr(transformers, made.removesuffix("ForMaskedLM").removesuffix("ForPreTraining") + "Config")(
        vocab_size=size, **config, **special
    )
    torch.manual_seed(3)
    getattr(transformers, made)(config).save_pretrained(where)
    return where


@cache
def subject(shape: str):
    return load(str(folder(shape)))


@pytest.mark.parametrize("shape", SHAPES)
def test_states_maps_and_odds_are_the_models_own(shape):
    it = subject(shape)
    words = [t.split() for t in TEXTS]
    (batch,) = encode.batches(it, encode.tokenize(it, words), budget=10**6)
    out = encode.forward(it, batch, output_hidden_states=True, output_attentions=True)
    assert len(out.hidden_states) == it.n_layers + 1 == 4
    for maps in out.attentions:  # (B, A, T, T)
        sums = maps.sum(-1)[batch.mask.bool()[:, None].expand(-1, it.n_heads, -1)]
        assert maps.shape[1] == it.n_heads and torch.allclose(sums, torch.ones_like(sums), atol=1e-5)
    with torch.inference_mode():
        whole = it.model(input_ids=batch.ids, attention_mask=batch.mask)
        logits = whole.logits if "logits" in whole else whole.prediction_logits
    assert it.has_mlm and torch.allclose(it.predict(out.last_hidden_state), logits, atol=1e-4)
    assert it.max_length == (128 if shape in ("roberta", "xlm-roberta", "mpnet") else 130)


ODD = "café e\u0301 don't 東京 日本語が שלום مرحبا 😀 👩\u200d👩\u200d👧 a\u200bb \u200d".split()
ODD += "… [MASK] <mask> </s> ##s ▁ Ġ dogs".split()
ODD.append("x" * 25)
ANY_WORDS = st.lists(st.sampled_from(ODD) | st.text(min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=4)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=60, deadline=None)
@given(ANY_WORDS)
@example(ODD[:10])
@example(ODD[10:])
def test_whatever_the_words_each_has_pieces_in_order_and_none_is_read_as_a_special_token(shape, words):
    it = subject(shape)
    (row,) = encode.tokenize(it, [words])
    inner = [w for w in row.words if w >= 0]
    assert inner == sorted(inner) and set(inner) == set(range(len(words)))
    kinds = set(it.tokenizer.all_special_ids) - {it.tokenizer.unk_token_id}
    assert not kinds & {token for token, word in zip(row.ids, row.words) if word >= 0}
    ((_, states),) = encode.hidden_states(it, [words])
    assert states.shape == (it.n_layers + 1, len(words), it.hidden_size) and np.isfinite(states).all()


@pytest.mark.parametrize("shape", WHOLE)
def test_heads_can_be_switched_off(shape):
    it = subject(shape)
    words = [t.split() for t in TEXTS]
    (batch,) = encode.batches(it, encode.tokenize(it, words), budget=10**6)

    def states():
        return encode.forward(it, batch, output_hidden_states=True).hidden_states

    plain = states()
    with hooks.ablate_heads(it, [(1, h) for h in range(it.n_heads)]):
        without = states()
    assert torch.equal(without[1], plain[1]) and not torch.allclose(without[2], plain[2], atol=1e-3)
    with hooks.changed_states(it, 1, lambda hidden: 0 * hidden):
        assert float(states()[1].abs().max()) == 0
    assert all(torch.equal(a, b) for a, b in zip(plain, states()))


def test_what_an_architecture_lacks_is_said_in_a_line():
    with pytest.raises(ModelUnsuitable, match="type albert: its layers share their weights"):
        _ = subject("albert").layers
    with pytest.raises(ModelUnsuitable, match="type modernbert: its queries, keys and values are made by one matrix"):
        hooks.head_values(subject("modernbert"), 0)


@pytest.mark.parametrize("shape", WHOLE)
def test_layers_called_again_give_the_models_states(shape):
    it = subject(shape)
    (batch,) = encode.batches(it, encode.tokenize(it, [t.split() for t in TEXTS]), budget=10**6)
    with torch.inference_mode():
        states, calls = parts.states(it, batch)
        again = parts._from(it, states[1], calls, parts.Off(0))
    real = batch.mask.bool()
    torch.testing.assert_close(again[real], states[-1][real], atol=1e-5, rtol=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_vectors_that_all_go_on_change_nothing_or_a_reason_is_given(shape):
    it = subject(shape)
    (batch,) = encode.batches(it, encode.tokenize(it, [t.split() for t in TEXTS]), budget=10**6)
    if shape in OTHER:
        with pytest.raises(ModelUnsuitable, match=f"type {shape}: its layers cannot be called with fewer"):
            elimination.states(it, batch, [1, 1, 1])
        return
    with torch.inference_mode():
        whole = encode.forward(it, batch).last_hidden_state[:, 0]
        all_go_on = elimination.states(it, batch, [1, 1, 1])[:, 0]
        moved = elimination.states(it, batch, [1, 0.999, 0.999])[:, 0]  # of every row all places, gathered
        fewer = elimination.states(it, batch, [1, 0.5, 0.5])[:, 0]
    torch.testing.assert_close(all_go_on, whole, atol=1e-5, rtol=0)
    torch.testing.assert_close(moved, whole, atol=1e-5, rtol=0)
    assert not torch.allclose(fewer, whole, atol=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_heads_taken_out_are_heads_switched_off_or_a_reason_is_given(shape):
    it, heads = subject(shape), [(0, 1), (1, 0), (1, 1), (1, 2), (1, 3), (2, 3)]
    (batch,) = encode.batches(it, encode.tokenize(it, [t.split() for t in TEXTS]), budget=10**6)
    if shape in OTHER:
        with pytest.raises(ModelUnsuitable, match=f"type {shape}: its heads are not BERT's"):
            remove_heads(it, heads)
        return
    with hooks.ablate_heads(it, heads):
        masked = encode.forward(it, batch).last_hidden_state
    less = duplicate(remove_heads(it, heads))
    real = batch.mask.bool()
    torch.testing.assert_close(encode.forward(less, batch).last_hidden_state[real], masked[real], atol=1e-5, rtol=0)
    count = [sum(p.numel() for p in s.base.parameters()) for s in (it, less)]
    assert count[1] < count[0]


@pytest.mark.parametrize("shape", WHOLE)
def test_maps_are_handed_over_while_a_model_runs(shape):
    it, seen = subject(shape), []
    (batch,) = encode.batches(it, encode.tokenize(it, [t.split() for t in TEXTS]), budget=10**6)
    with hooks.on_maps(it, 1, lambda module, args, output: seen.append(output[1])):
        encode.forward(it, batch)
    encode.forward(it, batch)
    (maps,) = seen
    assert torch.equal(maps, encode.forward(it, batch, output_attentions=True).attentions[1])


@pytest.mark.parametrize("shape", SHAPES)
def test_all_that_an_encoder_has_is_tuned(shape):
    """Shared layers, projections and relative positions too; nothing but the pooler, which the head stands for."""
    it = subject(shape)
    items = [i for i in load_data("entailment", n=24)["entailment"] if i.split == "train"][:4]
    tuned = classify(it, items, Recipe(epochs=1, batch=4, rate=1e-2, warmup=1.0)).subject
    before, after = (dict(s.base.named_parameters()) for s in (it, tuned))
    still = {n for n, p in before.items() if torch.equal(p, after[n])}
    assert not [n for n in still if not n.startswith("pooler.")]


@pytest.mark.parametrize("shape", SHAPES)
def test_claims_run_on_it_or_say_why_not(shape):
    settings = Settings.of(model=str(folder(shape)), n=60, draws=100)
    for id in ("emb.anisotropy.ethayarajh2019", "hed.special_tokens.clark2019"):
        assert run(id, settings, twin=False, save=False).rows["value"].notna().any()
    if shape in ("albert", "modernbert"):
        with pytest.raises((NotRunnable, ModelUnsuitable), match=f"not defined for .*{shape}"):
            run("hed.norms.kobayashi2020", settings, twin=False, save=False)


@pytest.mark.parametrize("shape", SHAPES)
def test_claims_that_tune_run_on_it_or_say_why_not(shape, monkeypatch):
    """One of each way of tuning, compressing and transferring; what there is to compress is there whatever was learnt."""
    for name, value in {"TRAIN": 16, "CHOICE": 8, "TEST": 20, "SEEDS": 1, "PAIRS": 5}.items():
        monkeypatch.setattr(studied, name, value)
    monkeypatch.setattr(studied.Study, "learnt", True)
    monkeypatch.setattr(tuned_runs, "RECIPE", replace(tuned_runs.RECIPE, epochs=1))
    for id, undefined in TUNING.items():
        settings = Settings(model=str(folder(shape)), n=200 if id.startswith("mbt") else 48, draws=10, device="cpu")
        if shape in undefined:
            with pytest.raises(NotDefined, match=f"{id}.* not defined for .*{shape}"):
                run(id, settings, twin=False, save=False)
        else:
            rows = run(id, settings, twin=False, save=False).rows
            assert rows["value"].notna().any(), id


def published(name: str) -> Path:
    """As BERT is published: LayerNorm has `gamma` and `beta`, the decoder is tied, a next-sentence head is left over."""
    where = Path(mkdtemp(prefix="bertology-tiny-"))
    write_model(where)
    state = load_file(where / "model.safetensors")
    old = {
        k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): v
        for k, v in state.items()
    }
    assert not any("decoder" in k for k in old) and any("seq_relationship" in k for k in old)
    save_file(old, where / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((where / "config.json").read_text())
    config = {k: v for k, v in config.items() if k not in ("transformers_version", "dtype")}
    (where / "config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    (where / "tokenizer_config.json").write_text(
        json.dumps({"do_lower_case": "uncased" in name, "model_max_length": 512})
    )
    return where


@pytest.mark.parametrize("name", ["bert-base-uncased", "bert-base-cased"])
def test_the_layout_in_which_bert_is_published_is_read_whole(name):
    words = [t.split() for t in TEXTS]
    one, other = load(str(published(name))), load(str(tiny_folder()))
    assert (one.has_mlm, one.has_nsp) == (True, True)
    for (_, a), (_, b) in zip(encode.hidden_states(one, words), encode.hidden_states(other, words)):
        np.testing.assert_array_equal(a, b)
