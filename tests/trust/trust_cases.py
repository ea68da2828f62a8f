"""What each row of the table of inputs and faults puts in: a function per row that runs the command line."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import fake_hub
import pytest
import torch
import yaml
from safetensors.torch import load_file, save_file
from support import tiny_folder, write_model

from bertology_utils import cli, files
from bertology_utils.claims.evidence import Evidence
from bertology_utils.pretrain import checkpoint, loop

GAPS = "syn.agreement.goldberg2019"  # a claim about predictions at a gap
LAYERS = "hed.norms.kobayashi2020"  # one that reaches into single layers


@dataclass(frozen=True)
class Said:
    """What the command said and its exit code."""

    code: int
    out: str
    err: str


class Bench:
    """A folder to spoil things in, and the command line in this process."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture) -> None:
        self.folder, self.patch, self.capture = folder, patch, capture
        for name in [n for n in os.environ if n.startswith("BERTOLOGY_")]:
            patch.delenv(name)
        patch.setenv("BERTOLOGY_EVIDENCE", str(folder / "evidence"))
        patch.setenv("BERTOLOGY_CACHE", str(folder / "cache"))

    def __call__(self, *words: object) -> Said:
        self.patch.setattr(sys, "argv", ["bertology", *map(str, words)])
        self.capture.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        read = self.capture.readouterr()
        return Said(code, read.out, read.err)

    def run(self, *words: object, claim: str = GAPS) -> Said:
        """``bertology run`` on few items of the tiny model, unless another is named."""
        model = () if "--model" in words else ("--model", tiny_folder())
        return self("run", claim, "--n", 30, "--no-twin", *model, *words)

    def model(self, **config: object) -> Path:
        """A copy of the tiny model to be spoilt."""
        return write_model(self.folder / "model", **config)

    def on(self, folder: Path, claim: str = GAPS) -> Said:
        return self.run("--model", folder, "--no-save", claim=claim)


CASES: dict[str, Callable[[Bench], Said]] = {}


def case(id: str) -> Callable:
    def keep(function: Callable[[Bench], Said]) -> Callable[[Bench], Said]:
        assert id not in CASES
        CASES[id] = function
        return function

    return keep


def edit(path: Path, change: Callable[[dict], object]) -> None:
    """Change a JSON file in place."""
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))


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


for _id, _words in {
    "seed-negative": ("--seed", -1),
    "seed-large": ("--seed", 99999999999),
    "device-unknown": ("--device", "abacus"),
    "device-meta": ("--device", "meta"),
    "device-absent": ("--device", "cuda:99"),
    "dtype-unknown": ("--dtype", "float8"),
    "data-unknown": ("--data", "nonsense"),
}.items():
    CASES[_id] = lambda bench, words=_words: bench.run(*words)


@case("n-zero")
def _(bench):
    return bench("run", GAPS, "--n", 0)


@case("n-few")
def _(bench):
    return bench(
        "run", "emb.sense_clusters.wiedemann2019", "--n", 20, "--model", tiny_folder(), "--no-twin", "--no-save"
    )


@case("variable-unknown")
def _(bench):
    bench.patch.setenv("BERTOLOGY_MODLE", "bert-base-uncased")
    return bench.run()


@case("variable-bad")
def _(bench):
    bench.patch.setenv("BERTOLOGY_N", "many")
    return bench("list")


@case("claim-unknown")
def _(bench):
    return bench("run", "syn.agreement.goldberg2018")


@case("section-unknown")
def _(bench):
    return bench("list", "--section", "phonology")


@case("score-unknown")
def _(bench):
    return bench("score", "nobody")


# Places


@case("evidence-is-file")
def _(bench):
    (bench.folder / "evidence").write_text("")
    return bench.run()


@case("evidence-unwritable")
def _(bench):
    return bench.run("--evidence", "/proc/bertology")  # nobody can make a folder there, not even root


def full(bench: Bench, module: object) -> None:
    """From now on the disk is full for whoever writes by this module."""

    def fsync(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    bench.patch.setattr(module.os, "fsync", fsync)


@case("evidence-disk-full")
def _(bench):
    full(bench, files)
    said = bench.run()
    assert not [p for p in (bench.folder / "evidence").rglob("*") if p.is_file()]
    return said


@case("report-no-place")
def _(bench):
    (bench.folder / "file").write_text("")
    return bench("report", "--section", "size", "--out", bench.folder / "file" / "report.md")


@case("report-disk-full")
def _(bench):
    target = bench.folder / "report.md"
    target.write_text("before")
    full(bench, files)
    said = bench("report", "--section", "size", "--out", target)
    assert target.read_text() == "before" and list(bench.folder.glob(".*")) == []
    return said


def training(bench: Bench, *words: object) -> Said:
    """A run of a few steps."""
    from pretrain_corpus import configuration, write

    text, config = bench.folder / "text.txt", bench.folder / "tiny.yaml"
    write(text)
    config.write_text(yaml.safe_dump(configuration(checkpoint_seconds=1e9).as_dict()))
    given = ("--config", config, "--corpus", text, "--out", bench.folder / "run", "--cache", bench.folder / "cache")
    return bench("pretrain", *given, "--device", "cpu", *words)


@case("checkpoint-no-place")
def _(bench):
    (bench.folder / "run").write_text("")
    return training(bench)


@case("checkpoint-disk-full")
def _(bench):
    full(bench, checkpoint)
    return training(bench, "--minutes", 1e-9)


@case("checkpoint-damaged")
def _(bench):
    (bench.folder / "run").mkdir()
    (bench.folder / "run" / "checkpoint.pt").write_bytes(b"PK\x03\x04 not a checkpoint")
    return training(bench, "--minutes", 1e-9)


def _signalled(bench: Bench, number: int) -> Said:
    advance = loop.Run.advance

    def interrupted(self):
        if self.number == 2:
            os.kill(os.getpid(), number)
        return advance(self)

    bench.patch.setattr(loop.Run, "advance", interrupted)
    said = training(bench)
    assert torch.load(bench.folder / "run" / "checkpoint.pt", weights_only=True)["number"] == 3
    return said


@case("training-interrupted")
def _(bench):
    return _signalled(bench, signal.SIGINT)


@case("training-terminated")
def _(bench):
    return _signalled(bench, signal.SIGTERM)


# Evidence


def record(**change: object) -> Evidence:
    row = {"condition": "simple", "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": 30}
    given = {"claim": GAPS, "model": "mini", "data": "builtin", "kind": "rerun", "rows": [row], "over_twin": []}
    return Evidence(**{**given, "provenance": {"asked": 30, "seed": 0, "dtype": "float32"}, **change})


def _spoilt(bench: Bench, change: Callable[[dict], object]) -> Said:
    edit(record().save(bench.folder / "evidence"), change)
    return _shown(bench)


def _shown(bench: Bench) -> Said:
    said = bench("show", GAPS)
    assert "MINI " in said.out and "YOUR RUN" not in said.out, said  # it goes on, without that record
    return said


@case("record-damaged")
def _(bench):
    path = record().save(bench.folder / "evidence")
    path.write_text(path.read_text()[:-40])
    return _shown(bench)


@case("record-newer")
def _(bench):
    return _spoilt(bench, lambda raw: raw.update(version=99))


@case("record-impossible")
def _(bench):
    return _spoilt(bench, lambda raw: raw["rows"][0].update(value=1.7, high=1.8))


@case("record-outside")
def _(bench):
    return _spoilt(bench, lambda raw: raw["rows"][0].update(value=0.7))


@case("record-no-number")
def _(bench):
    return _spoilt(bench, lambda raw: raw["rows"][0].update(value="high"))


@case("record-verdict")
def _(bench):
    return _spoilt(bench, lambda raw: raw.update(decision="holds"))


@case("record-other-claim")
def _(bench):
    path = record(claim="syn.malformed.ettinger2019").save(bench.folder / "evidence")
    target = bench.folder / "evidence" / GAPS / path.name
    target.parent.mkdir()
    path.rename(target)
    return _shown(bench)


@case("record-renamed")
def _(bench):
    path = record(model="somebert").save(bench.folder / "evidence")
    path.rename(path.with_name("rerun--bert-base-uncased--builtin.json"))
    return _shown(bench)


# The Hub


def _asked(bench: Bench, fault: str, name: str = fake_hub.REPO) -> Said:
    with fake_hub.serving(tiny_folder(), bench.folder / "hub", bench.patch, fault):
        return bench.run("--model", name)


for _fault in ("500", "hangs", "cuts"):
    CASES[f"hub-{_fault}"] = lambda bench, fault=_fault: _asked(bench, fault)


@case("hub-404")
def _(bench):
    return _asked(bench, "", "nobody/nothing")
