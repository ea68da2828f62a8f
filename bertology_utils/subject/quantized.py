"""Weights in 4 bits out of one file: multilingual-e5-small as a package of the index has it.

The file: ``E5S1``, version and sizes; the pieces with their scores and a table of characters (not needed: the tokenizer has
its own file); then a directory of tensors. One that is kept whole is of float32, any other of blocks of 32 weights: a
half-precision scale and 16 bytes, of which byte j holds weight j in its lower half and weight j + 16 in its upper one.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import BertConfig

MAGIC, BLOCK = b"E5S1", 32
BYTES = 2 + BLOCK // 2  # of a block
MAPS = {  # of a layer: BERT's name, and the sizes of its output and input
    "q": ("attention.self.query", "hidden", "hidden"),
    "k": ("attention.self.key", "hidden", "hidden"),
    "v": ("attention.self.value", "hidden", "hidden"),
    "ao": ("attention.output.dense", "hidden", "hidden"),
    "fi": ("intermediate.dense", "inner", "hidden"),
    "fo": ("output.dense", "hidden", "inner"),
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
TOKENIZER = {  # as the network's own configuration has it; the mask takes the space before it with it
    "tokenizer_class": "XLMRobertaTokenizer",
    **{"bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"},
    **{"pad_token": "<pad>", "unk_token": "<unk>"},
    "mask_token": {
        "__type": "AddedToken",
        "content": "<mask>",
        **{"lstrip": True, "rstrip": False, "normalized": True, "single_word": False},
    },
}


@dataclass(frozen=True)
class Head:
    """What the file begins with, and its directory: name of a tensor -> (numbers, offset, bytes)."""

    sizes: dict[str, int]
    epsilon: float
    where: dict[str, tuple[int, int, int]]


def head(raw: bytes) -> Head:
    """Read the head of a file of 4-bit weights.

    Raises
    ------
    ValueError
        It is no such file.
    """
    names = ("hidden", "layers", "heads", "inner", "pieces", "longest", "types")
    magic, version, *sizes = struct.unpack_from("<4sI7i", raw)
    if magic != MAGIC or version != 1:
        raise ValueError(f"begins with {magic!r}, version {version}: not 4-bit weights as known here")
    at = struct.calcsize("<4sI7i")
    epsilon, block, n = struct.unpack_from("<fii", raw, at)
    if block != BLOCK:
        raise ValueError(f"blocks of {block} weights, not of {BLOCK}")
    at += 12 + 16  # behind them the ids of four special pieces
    (letters,) = struct.unpack_from("<Q", raw, at)
    at += 8 + 4 * (n + 1) + 4 * n + letters  # where each piece begins, its score, and all their letters
    _, table = struct.unpack_from("<iI", raw, at)
    at += 8 + table
    (tensors,) = struct.unpack_from("<i", raw, at)
    at += 4
    where = {}
    for _ in range(tensors):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode()
        at += 2 + length + 1  # behind the name a byte for its kind, which its size tells too
        where[name] = struct.unpack_from("<IQQ", raw, at)
        at += 20
    return Head(dict(zip(names, sizes)), epsilon, where)


def tensor(raw: bytes, where: tuple[int, int, int], *shape: int) -> torch.Tensor:
    """One tensor of the file, float32."""
    count, offset, size = where
    if size == 4 * count:
        return torch.from_numpy(np.frombuffer(raw, "<f4", count, offset).reshape(shape).copy())
    blocks = np.frombuffer(raw, np.uint8, count // BLOCK * BYTES, offset).reshape(-1, BYTES)
    scale, halves = blocks[:, :2].copy().view("<f2").astype(np.float32), blocks[:, 2:]  # (n, 1), (n, 16)
    whole = np.concatenate([halves & 15, halves >> 4], 1).astype(np.float32) - 8  # (n, 32)
    return torch.from_numpy((whole * scale).reshape(shape))


def weights(raw: bytes) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """The network's weights under BERT's names, and its configuration."""
    it = head(raw)
    size = it.sizes
    tables = {"word": size["pieces"], "position": size["longest"], "token_type": size["types"]}
    short = {"word": "word", "position": "pos", "token_type": "type"}
    out = {
        f"embeddings.{name}_embeddings.weight": tensor(raw, it.where[f"emb.{short[name]}"], rows, size["hidden"])
        for name, rows in tables.items()
    }
    norms = {"embeddings.LayerNorm": "emb.ln"}
    for k in range(size["layers"]):
        for code, (name, rows, columns) in MAPS.items():
            at = f"encoder.layer.{k}.{name}"
            out[f"{at}.weight"] = tensor(raw, it.where[f"l{k}.{code}.w"], size[rows], size[columns])
            out[f"{at}.bias"] = tensor(raw, it.where[f"l{k}.{code}.b"], size[rows])
        norms |= {f"encoder.layer.{k}.{name}": f"l{k}.{code}" for code, name in NORMS.items()}
    for name, code in norms.items():
        out[f"{name}.weight"] = tensor(raw, it.where[f"{code}.w"], size["hidden"])
        out[f"{name}.bias"] = tensor(raw, it.where[f"{code}.b"], size["hidden"])
    config = BertConfig(
        architectures=["BertModel"],
        vocab_size=size["pieces"],
        hidden_size=size["hidden"],
        num_hidden_layers=size["layers"],
        num_attention_heads=size["heads"],
        intermediate_size=size["inner"],
        max_position_embeddings=size["longest"],
        type_vocab_size=size["types"],
        layer_norm_eps=round(it.epsilon, 15),  # 1e-12, which the file has in float32
    )
    return out, config.to_diff_dict()


def unpacked(parts: Sequence[Path], folder: Path) -> None:
    """Fill a model's folder from the files of weights and of the tokenizer."""
    packed, tokenizer = parts
    raw = packed.read_bytes()
    found, config = weights(raw)
    save_file(found, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    shutil.copy(tokenizer, folder / "tokenizer.json")
    told = {**TOKENIZER, "model_max_length": head(raw).sizes["longest"]}
    (folder / "tokenizer_config.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    for path in folder.iterdir():
        path.chmod(0o644)  # a cache may be shared
