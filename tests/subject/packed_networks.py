"""Stand-ins for what comes in packages: a tiny MPNet cut into five parts, a tiny BERT in 4 bits, distributions with them."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from support import WORDS, tiny_folder
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, MPNetConfig, MPNetForMaskedLM, PreTrainedTokenizerFast

from bertology_utils.subject import networks, quantized
from bertology_utils.subject.networks import Network
from bertology_utils.subject.packaged import Packed

HEAD = ("lm_head.", "cls.")


def write_mpnet(folder: Path, *, seed: int = 3, head: bool = False, layers: int = 3) -> Path:
    """A tiny MPNet with random weights, without its masked-LM head unless `head`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((tiny_folder() / name).read_bytes())
    pieces = json.loads((tiny_folder() / "config.json").read_text("utf-8"))["vocab_size"]
    sizes = {"hidden_size": 32, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 64}
    torch.manual_seed(seed)
    model = MPNetForMaskedLM(
        MPNetConfig(vocab_size=pieces, max_position_embeddings=130, initializer_range=0.2, **sizes)
    )
    model.save_pretrained(folder)
    state = load_file(folder / "model.safetensors")
    if not head:
        state = {k.removeprefix("mpnet."): v for k, v in state.items() if not k.startswith(HEAD)}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def distribution(site: Path, pin: str, path: str, content: bytes) -> Packed:
    """A file of a distribution, as pip would leave it in `site`; its module cannot be imported."""
    name, _, version = pin.partition("==")
    place = site / path
    place.parent.mkdir(parents=True, exist_ok=True)
    (site / path.split("/")[0] / "__init__.py").write_text(
        "raise RuntimeError('weights are read, and nothing is run')\n"
    )
    place.write_bytes(content)
    told = site / f"{name.replace('-', '_')}-{version}.dist-info"
    told.mkdir(parents=True, exist_ok=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return Packed(pin, path, hashlib.sha256(content).hexdigest())


def in_five_parts(site: Path, model: Path) -> Network:
    """`mpnet` as it is packed, but tiny: one archive, cut into the five files of five distributions."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("all-mpnet-base-v2/1_Pooling/config.json", "{}")  # another config.json, in a folder of its own
        archive.writestr("all-mpnet-base-v2/desktop.ini", "")
        for file in sorted(model.iterdir()):
            archive.write(file, f"all-mpnet-base-v2/{file.name}")
    content, real = whole.getvalue(), networks.NETWORKS["mpnet"]
    size = -(-len(content) // 5)
    cut = [content[k * size : (k + 1) * size] for k in range(5)]
    parts = tuple(distribution(site, p.distribution, p.path, c) for p, c in zip(real.parts, cut, strict=True))
    weights = hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()
    return replace(real, parts=parts, sha256=weights)


def four_bits(x: torch.Tensor) -> tuple[bytes, torch.Tensor]:
    """A tensor in blocks of 32 weights of 4 bits, and what becomes of it."""
    blocks = x.detach().numpy().reshape(-1, 32)
    scale = (np.abs(blocks).max(1, keepdims=True) / 7).astype("<f2")
    codes = np.clip(np.round(blocks / np.maximum(scale.astype(np.float32), 1e-9)), -8, 7)
    packed = ((codes[:, :16] + 8).astype(np.uint8)) | ((codes[:, 16:] + 8).astype(np.uint8) << 4)
    raw = np.concatenate([scale.view(np.uint8).reshape(-1, 2), packed], 1).tobytes()
    return raw, torch.from_numpy((codes * scale.astype(np.float32)).astype(np.float32).reshape(x.shape))


def write_four_bits(config: BertConfig, state: dict[str, torch.Tensor]) -> tuple[bytes, dict[str, torch.Tensor]]:
    """A file of 4-bit weights of a BERT, and the weights that it holds."""
    named = {"emb.ln.w": "embeddings.LayerNorm.weight", "emb.ln.b": "embeddings.LayerNorm.bias"}
    for code, name in (("word", "word"), ("pos", "position"), ("type", "token_type")):
        named[f"emb.{code}"] = f"embeddings.{name}_embeddings.weight"
    for k in range(config.num_hidden_layers):
        every = {code: name for code, (name, *_) in quantized.MAPS.items()} | quantized.NORMS
        for code, name in every.items():
            for short, part in (("w", "weight"), ("b", "bias")):
                named[f"l{k}.{code}.{short}"] = f"encoder.layer.{k}.{name}.{part}"
    n, letters, table = 4, b"<s><pad></s><unk>", b"normal"
    start = struct.pack(
        "<4sI7ifii4iQ", b"E5S1", 1, config.hidden_size, config.num_hidden_layers, config.num_attention_heads,
        config.intermediate_size, config.vocab_size, config.max_position_embeddings, config.type_vocab_size,
        config.layer_norm_eps, 32, n, 0, 2, 1, 3, len(letters),
    )  # fmt: skip
    start += bytes(4 * (n + 1) + 4 * n) + letters + struct.pack("<iI", 0, len(table)) + table
    start += struct.pack("<i", len(named))
    kept, tensors, held = [], [], {}
    for code, name in named.items():
        whole = state[name].dim() == 1  # biases and norms are kept as they are
        raw, value = (state[name].numpy().astype("<f4").tobytes(), state[name]) if whole else four_bits(state[name])
        kept.append((code, state[name].numel(), raw, whole))
        held[name] = value
    at = len(start) + sum(2 + len(code) + 1 + 20 for code, *_ in kept)
    directory = b""
    for code, count, raw, whole in kept:
        directory += struct.pack("<H", len(code)) + code.encode() + bytes([not whole])
        directory += struct.pack("<IQQ", count, at, len(raw))
        tensors.append(raw)
        at += len(raw)
    return start + directory + b"".join(tensors), held


def tokenizer_file() -> bytes:
    """A small tokenizer of XLM-R's kind."""
    words = [*("▁" + w for w in WORDS), *"abcdefghijklmnopqrstuvwxyz.,"]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", *words, "<mask>"]
    unigram = models.Unigram([(p, -float(k)) for k, p in enumerate(dict.fromkeys(pieces))], unk_id=3)
    tokenizer = Tokenizer(unigram)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer).backend_tokenizer.to_str().encode()


def in_four_bits(site: Path) -> tuple[Network, dict[str, torch.Tensor]]:
    """`me5-q4` as it is packed, but tiny, and the weights that it has."""
    text = tokenizer_file()
    pieces = len(json.loads(text)["model"]["vocab"])
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=pieces + 3, hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=96, initializer_range=0.2,
    )  # fmt: skip
    raw, held = write_four_bits(config, BertModel(config, add_pooling_layer=False).state_dict())
    real = networks.NETWORKS["me5-q4"]
    contents = (raw, text)
    parts = tuple(distribution(site, p.distribution, p.path, c) for p, c in zip(real.parts, contents, strict=True))
    return replace(real, parts=parts), held
