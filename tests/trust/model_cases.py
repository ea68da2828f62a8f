"""Models that are not what they seem: a case for each row of the table of faults that puts one in."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import torch
from bench import LAYERS, Bench, Said, case, edit
from safetensors.torch import load_file, save_file
from support import WORDS, tiny_folder, write_model


def reweigh(folder: Path, change: Callable[[str, torch.Tensor], torch.Tensor]) -> None:
    """Change the weights of a model folder."""
    path = folder / "model.safetensors"
    save_file({k: change(k, v).contiguous() for k, v in load_file(path).items()}, path, metadata={"format": "pt"})


@case("model-without-tokenizer")
def _(bench):
    folder = bench.model()
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    return bench.on(folder)


def _vocabulary(bench: Bench, change: Callable[[dict], dict]) -> Said:
    folder = bench.model()

    def of_model(raw):
        raw["model"]["vocab"] = change(raw["model"]["vocab"])

    edit(folder / "tokenizer.json", of_model)
    return bench.on(folder)


@case("model-small-vocabulary")
def _(bench):
    return _vocabulary(bench, lambda v: {w: i for w, i in v.items() if i < 60})


@case("model-large-vocabulary")
def _(bench):
    return _vocabulary(bench, lambda v: {**v, "robot": len(v)})


@case("model-all-unknown")
def _(bench):
    return _vocabulary(bench, lambda v: {w if w.startswith("[") else f"§{i}": i for w, i in v.items()})


@case("model-without-mask")
def _(bench):
    folder = bench.model()
    edit(
        folder / "tokenizer_config.json",
        lambda raw: (raw.pop("mask_token"), raw.update(tokenizer_class="PreTrainedTokenizerFast")),
    )
    return bench.on(folder)


@case("model-without-template")
def _(bench):
    folder = bench.model()
    edit(folder / "tokenizer.json", lambda raw: raw.update(post_processor=None))
    # under a class of its own the library would put the template back
    edit(folder / "tokenizer_config.json", lambda raw: raw.update(tokenizer_class="PreTrainedTokenizerFast"))
    return bench.on(folder)


@case("model-cased-read-lower")
def _(bench):
    folder = write_model(bench.folder / "model", cased=True, words=[*WORDS, *(w.title() for w in WORDS if w.isalpha())])
    (folder / "tokenizer_config.json").unlink()
    return bench.on(folder)


@case("model-pointer")
def _(bench):
    folder = bench.model()
    (folder / "model.safetensors").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 440449768\n"
    )
    return bench.on(folder)


@case("model-short")
def _(bench):
    folder = bench.model()
    edit(folder / "tokenizer_config.json", lambda raw: raw.update(model_max_length=12))
    return bench.on(folder)


@case("model-nan")
def _(bench):
    folder = bench.model()
    reweigh(folder, lambda k, v: v * float("nan") if k.endswith("layer.1.output.dense.weight") else v)
    return bench.on(folder)


@case("model-zero")
def _(bench):
    folder = bench.model()
    reweigh(folder, lambda k, v: v * 0)
    return bench.on(folder)


def _configured(bench: Bench, **change: object) -> Said:
    folder = bench.model()
    edit(folder / "config.json", lambda raw: raw.update(change))
    return bench.on(folder)


@case("model-decoder")
def _(bench):
    return _configured(bench, is_decoder=True)


@case("model-fewer-layers")
def _(bench):
    return _configured(bench, num_hidden_layers=2)


@case("model-more-layers")
def _(bench):
    return _configured(bench, num_hidden_layers=4)


@case("model-wrong-type")
def _(bench):
    return _configured(bench, num_hidden_layers="three")


@case("model-shapes")
def _(bench):
    folder = bench.model()
    reweigh(folder, lambda k, v: v[:, :16] if k.endswith("layer.1.output.dense.weight") else v)
    return bench.on(folder)


@case("model-truncated")
def _(bench):
    folder = bench.model()
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return bench.on(folder)


@case("model-pickled")
def _(bench):
    folder = bench.model()
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return bench.on(folder)


@case("model-no-config")
def _(bench):
    folder = bench.model()
    (folder / "config.json").unlink()
    return bench.on(folder)


@case("model-bad-config")
def _(bench):
    folder = bench.model()
    (folder / "config.json").write_text("{")
    return bench.on(folder)


@case("model-bad-tokenizer")
def _(bench):
    folder = bench.model()
    path = folder / "tokenizer.json"
    path.write_text(path.read_text()[:500])
    return bench.on(folder)


def other(bench: Bench, model: type, config: object) -> Path:
    """A model of another architecture, with the tiny model's tokenizer."""
    folder = bench.folder / "other"
    torch.manual_seed(0)
    model(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tiny_folder() / name, folder / name)
    return folder


def vocabulary() -> int:
    return json.loads((tiny_folder() / "config.json").read_text())["vocab_size"]


@case("model-gpt2")
def _(bench):
    from transformers import GPT2Config, GPT2LMHeadModel

    return bench.on(other(bench, GPT2LMHeadModel, GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=vocabulary())))


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}


@case("model-electra")
def _(bench):
    from transformers import ElectraConfig, ElectraForPreTraining

    config = ElectraConfig(**SMALL, embedding_size=32, vocab_size=vocabulary(), initializer_range=0.2)
    return bench.on(other(bench, ElectraForPreTraining, config))


@case("model-albert")
def _(bench):
    from transformers import AlbertConfig, AlbertForPreTraining

    config = AlbertConfig(**SMALL, embedding_size=16, vocab_size=vocabulary(), initializer_range=0.2)
    return bench.on(other(bench, AlbertForPreTraining, config), claim=LAYERS)


@case("model-modernbert")
def _(bench):
    from transformers import ModernBertConfig, ModernBertForMaskedLM

    ids = {f"{name}_token_id": 0 for name in ("pad", "bos", "eos", "cls", "sep")}
    config = ModernBertConfig(**SMALL, **ids, vocab_size=vocabulary(), initializer_range=0.2)
    return bench.on(other(bench, ModernBertForMaskedLM, config), claim=LAYERS)


@case("model-no-filler")
def _(bench):
    verbs = ("is", "are", "was", "were", "has", "have", "likes", "like", "sleeps", "sleep", "runs", "run", "walk")
    return _vocabulary(bench, lambda v: {f"§{i}" if w in verbs else w: i for w, i in v.items()})


@case("model-no-folder")
def _(bench):
    return bench.run("--model", "./nowhere")


@case("model-empty")
def _(bench):
    return bench.run("--model", "")


@case("model-twin-of-nothing")
def _(bench):
    return bench.run("--model=-untrained")


@case("model-twin-of-twin")
def _(bench):
    return bench.run("--model", "mini-untrained-untrained")


@case("model-shadow")
def _(bench):
    (bench.folder / "bert-base-uncased").mkdir()
    bench.patch.chdir(bench.folder)
    return bench.run("--model", "bert-base-uncased")


@case("model-bad-name")
def _(bench):
    return bench.run("--model", "a b/c?d")
