"""The models of `make real` as they are published, tiny and with random weights: their layout is what is tested.

Of BERT: LayerNorm has `gamma` and `beta`, the decoder is tied and absent, the class is that of the masked-LM head and the
head for the next sentence is there all the same, `tokenizer_config.json` names no class. Of RoBERTa: no pooler, no decoder,
the positions' numbers among the weights, pieces in `vocab.json` and `merges.txt` too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForPreTraining,
    DistilBertConfig,
    DistilBertForMaskedLM,
    RobertaConfig,
    RobertaForMaskedLM,
)

from bertology_utils.subject import hub
from bertology_utils.subject.models import bundled

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
NAMES = tuple(hub.REVISIONS)
ANGLE = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def everything(folder: Path, names: Sequence[str] = NAMES, **sizes: int) -> dict[str, tuple[Path, str]]:
    """A Hub's repositories: each model at the commit it is pinned to, tiny unless sizes are given."""
    made = {}
    for name in names:
        where = folder / name
        where.mkdir(parents=True)
        (_roberta if name.startswith("roberta") else _bert)(name, where, {**SIZES, **sizes})
        made[f"{hub.ORGANISATION.get(name, 'google-bert')}/{name}"] = (where, hub.REVISIONS[name])
    return made


def _tokenizer(name: str, where: Path) -> None:
    """The files of a tokenizer of word pieces, those of `mini`."""
    shutil.copy(bundled()["mini"] / "tokenizer.json", where)
    lower = "uncased" in name
    tokenizer = json.loads((where / "tokenizer.json").read_text("utf-8"))
    tokenizer["normalizer"]["lowercase"] = lower
    vocabulary = tokenizer["model"]["vocab"]
    for letter in "" if lower else ascii_uppercase:
        vocabulary |= {letter: len(vocabulary), f"##{letter}": len(vocabulary) + 1}
    _write(where / "tokenizer.json", tokenizer)
    (where / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n", "utf-8")
    _write(where / "tokenizer_config.json", {"do_lower_case": lower, "model_max_length": 512})


def _bert(name: str, where: Path, sizes: dict[str, int]) -> None:
    _tokenizer(name, where)
    vocabulary = json.loads((where / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    torch.manual_seed(1)
    model = BertForPreTraining(BertConfig(vocab_size=len(vocabulary), **sizes))
    config = {k: v for k, v in model.config.to_dict().items() if k not in ("transformers_version", "dtype")}
    _write(where / "config.json", {**config, "architectures": ["BertForMaskedLM"]})
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    state = {
        next((k.replace(a, b) for a, b in old.items() if a in k), k): v.contiguous()
        for k, v in model.state_dict().items()
        if "decoder" not in k and "position_ids" not in k
    }
    assert "cls.seq_relationship.weight" in state and "cls.predictions.bias" in state
    save_file(state, where / "model.safetensors", metadata={"format": "pt"})


def distilled(where: Path, **sizes: int) -> Path:
    """The folder of a DistilBERT: BERT's embeddings without segments, no pooler."""
    where.mkdir(parents=True)
    _tokenizer("distilbert-base-uncased", where)
    vocabulary = json.loads((where / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    shape = {
        "dim": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "hidden_dim": "intermediate_size",
    }
    torch.manual_seed(1)
    config = DistilBertConfig(
        vocab_size=len(vocabulary), **{name: {**SIZES, **sizes}[of] for name, of in shape.items()}
    )
    DistilBertForMaskedLM(config).save_pretrained(where)
    return where


def _roberta(name: str, where: Path, sizes: dict[str, int]) -> None:
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer, pieces.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=list(ANGLE), initial_alphabet=alphabet)
    words = json.loads((bundled()["mini"] / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    trainer.special_tokens = [*ANGLE[:-1], AddedToken("<mask>", lstrip=True)]
    pieces.train_from_iterator([f" {w}" for w in list(words)[:3000] if w.isalpha()], trainer)
    pieces.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    pieces.save(str(where / "tokenizer.json"))
    pieces.model.save(str(where))
    _write(where / "tokenizer_config.json", {"model_max_length": 512})
    torch.manual_seed(1)
    config = RobertaConfig(vocab_size=pieces.get_vocab_size(), max_position_embeddings=514, type_vocab_size=1, **sizes)
    model = RobertaForMaskedLM(config)
    raw = {k: v for k, v in model.config.to_dict().items() if k not in ("transformers_version", "dtype")}
    _write(where / "config.json", {**raw, "architectures": ["RobertaForMaskedLM"]})
    state = {k: v.contiguous() for k, v in model.state_dict().items() if "decoder" not in k and "pooler" not in k}
    state["roberta.embeddings.position_ids"] = torch.arange(514)[None]
    save_file(state, where / "model.safetensors", metadata={"format": "pt"})


def _write(path: Path, raw: dict) -> None:
    path.write_text(json.dumps(raw), "utf-8")
