"""Adapters in peft's format: merged, they compute what base and adapter do; others are refused in one line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from packed_networks import in_five_parts, in_four_bits, write_mpnet

from bertology_utils.settings import Settings
from bertology_utils.subject import adapters, hub, networks, relatives
from bertology_utils.subject.models import load
from bertology_utils.subject.suitable import ModelUnavailable
from tests.support import write_model

MAPS = {  # as mask adapters are trained: all linear maps of each layer, and the head
    "mpnet": (r".*encoder\.layer\.\d+\..*\.(q|k|v|o|dense)", ["lm_head.dense", "lm_head.layer_norm"]),
    "bert": (
        r".*encoder\.layer\.\d+\..*\.(query|key|value|dense)",
        ["cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"],
    ),
}
ME5 = networks.NETWORKS["me5"]
IDS = torch.tensor([[3, 7, 9, 5, 11, 4], [3, 12, 6, 8, 4, 0]])


def write_base(kind: str, folder: Path) -> Path:
    return write_mpnet(folder) if kind == "mpnet" else write_model(folder, nsp=False, mlm=False)


def write_adapter(kind: str, base: Path, folder: Path, *, head: bool = True, named: str | None = None) -> torch.Tensor:
    """An adapter with random numbers in it, and the logits of base and adapter side by side."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForMaskedLM

    maps, whole = MAPS[kind]
    config = LoraConfig(
        r=4, lora_alpha=8, target_modules=maps, bias="all" if head else "none", modules_to_save=whole if head else None
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = AutoModelForMaskedLM.from_pretrained(base, attn_implementation="eager")
        model = get_peft_model(network, config).eval()
    torch.manual_seed(9)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(0.2 * torch.randn_like(parameter))
        logits = model(input_ids=IDS, attention_mask=(IDS != 0).long()).logits
    model.save_pretrained(folder, save_embedding_layers=False)
    told = json.loads((folder / adapters.CONFIG).read_text())
    (folder / adapters.CONFIG).write_text(json.dumps({**told, "base_model_name_or_path": named or str(base)}))
    return logits


@pytest.fixture(params=list(MAPS))
def kind(request):
    return request.param


@pytest.fixture
def made(kind, tmp_path, capfd):
    """Folders of base and adapter, and the logits of the two."""
    base = write_base(kind, tmp_path / "base")
    logits = write_adapter(kind, base, tmp_path / "adapter")
    capfd.readouterr()
    return base, tmp_path / "adapter", logits


def logits_of(subject) -> torch.Tensor:
    with torch.inference_mode():
        return subject.predict(subject.base(input_ids=IDS, attention_mask=(IDS != 0).long()).last_hidden_state)


def test_merged_logits_are_those_of_base_and_adapter(made, capfd):
    base, adapter, logits = made
    state = torch.random.get_rng_state()
    it = load(str(adapter), Settings(device="cpu"))
    assert capfd.readouterr() == ("", "") and torch.equal(torch.random.get_rng_state(), state)
    real = (IDS != 0)[..., None]
    assert float((logits_of(it) - logits).abs().mul(real).max()) < 1e-5 and float(logits.abs().max()) > 1
    assert it.has_mlm and not it.has_nsp and it.source == f"folder ({base}) + adapter folder"
    plain = load(str(base), Settings(device="cpu"))
    assert not plain.has_mlm and it.sha256 != plain.sha256
    assert not any("lora" in name for name, _ in it.model.named_modules())
    assert not it.model.training and not any(p.requires_grad for p in it.model.parameters())
    twin = it.twin()
    assert twin.has_mlm and {k: v.shape for k, v in twin.model.state_dict().items()} == {
        k: v.shape for k, v in it.model.state_dict().items()
    }


def test_in_half_precision_it_is_merged_first_and_rounded_then(made):
    _, adapter, _ = made
    whole = load(str(adapter), Settings(device="cpu")).model.state_dict()
    half = load(str(adapter), Settings(device="cpu", dtype="bfloat16")).model.state_dict()
    assert all(torch.equal(v.to(torch.bfloat16) if v.is_floating_point() else v, half[k]) for k, v in whole.items())


def test_an_adapter_without_a_head_fills_no_gaps(kind, tmp_path):
    base = write_base(kind, tmp_path / "base")
    write_adapter(kind, base, tmp_path / "adapter", head=False)
    assert not load(str(tmp_path / "adapter"), Settings(device="cpu")).has_mlm


def test_what_does_not_fit_is_refused_in_one_line(made, kind, tmp_path):
    _, adapter, _ = made
    other = write_base("bert" if kind == "mpnet" else "mpnet", tmp_path / "other")
    config = json.loads((adapter / adapters.CONFIG).read_text())
    for base, why in (
        (str(other), "does not fit its base"),
        ("./nowhere", "no such folder"),
        (None, "names no network"),
    ):
        told = {**config, "base_model_name_or_path": base}
        (adapter / adapters.CONFIG).write_text(json.dumps(told))
        with pytest.raises(ModelUnavailable, match=why) as refused:
            load(str(adapter), Settings(device="cpu"))
        assert "\n" not in str(refused.value)


def test_an_adapter_for_more_layers_is_refused(made, kind, tmp_path):
    base, adapter, _ = made
    told = json.loads((base / "config.json").read_text())
    if kind == "mpnet":
        smaller = write_mpnet(tmp_path / "smaller", layers=2)
    else:
        smaller = write_model(tmp_path / "smaller", nsp=False, mlm=False, num_hidden_layers=2)
    config = json.loads((adapter / adapters.CONFIG).read_text())
    (adapter / adapters.CONFIG).write_text(json.dumps({**config, "base_model_name_or_path": str(smaller)}))
    with pytest.raises(ModelUnavailable, match=r"does not fit its base, first .*layer\.2"):
        load(str(adapter), Settings(device="cpu"))
    assert told["num_hidden_layers"] == 3


def test_pickled_adapters_are_not_looked_at(made):
    _, adapter, _ = made
    (adapter / adapters.WEIGHTS).rename(adapter / "adapter_model.bin")
    with pytest.raises(ModelUnavailable, match=f"no {adapters.WEIGHTS}"):
        load(str(adapter), Settings(device="cpu"))


def test_an_adapter_of_an_adapter_is_refused(made, tmp_path):
    _, adapter, _ = made
    shutil.copytree(adapter, tmp_path / "second")
    config = json.loads((adapter / adapters.CONFIG).read_text())
    (tmp_path / "second" / adapters.CONFIG).write_text(json.dumps({**config, "base_model_name_or_path": str(adapter)}))
    with pytest.raises(ModelUnavailable, match="is an adapter's folder too"):
        load(str(tmp_path / "second"), Settings(device="cpu"))


@pytest.mark.parametrize("named", ["mpnet", "sentence-transformers/all-mpnet-base-v2"])
def test_mpnet_is_its_base_with_the_bundled_adapter(tmp_path, monkeypatch, named):
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    base = write_mpnet(tmp_path / "base")
    monkeypatch.setitem(networks.NETWORKS, "mpnet", in_five_parts(site, base))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    settings = Settings(device="cpu", cache=tmp_path / "cache")
    monkeypatch.setattr(adapters, "bundled", dict)
    with pytest.raises(ModelUnavailable, match="mpnet-plain with a mask adapter, and none is bundled"):
        load("mpnet", settings)
    logits = write_adapter("mpnet", base, tmp_path / "adapter", named=named)
    monkeypatch.setattr(adapters, "bundled", lambda: {"mpnet": tmp_path / "adapter"})
    it = load("mpnet", settings)
    assert it.name == "mpnet" and it.has_mlm and it.source.endswith("part-005==0.0.1 + adapter mpnet (bundled)")
    assert float((logits_of(it) - logits).abs().mul((IDS != 0)[..., None]).max()) < 1e-5
    assert not load("mpnet-plain", settings).has_mlm and load("mpnet-untrained", settings).name == "mpnet-untrained"
    mine = load(str(tmp_path / "adapter"), settings)  # the same base, by a name or by the Hub's
    assert mine.sha256 == it.sha256 and mine.source.endswith("part-005==0.0.1 (mpnet-plain) + adapter folder")


def test_me5_stays_plain_and_with_its_adapter_has_a_name_of_its_own(tmp_path, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    monkeypatch.setitem(networks.NETWORKS, "me5-q4", in_four_bits(site)[0])
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(hub, "_downloaded", lambda *_: (_ for _ in ()).throw(ConnectionError("no network")))
    settings = Settings(device="cpu", cache=tmp_path / "cache")
    monkeypatch.setattr(adapters, "bundled", dict)
    with pytest.raises(
        ModelUnavailable, match=r"is me5 with a mask adapter, and none is bundled \(a checkout .* has it\)"
    ):
        load("me5-mlm", settings)
    assert not relatives.here("me5-mlm-q4", settings) and relatives.here("me5-q4", settings)
    logits = write_adapter("bert", relatives.put("me5-q4", settings), tmp_path / "adapter", named=ME5.repo)
    monkeypatch.setattr(adapters, "bundled", lambda: {"me5-mlm": tmp_path / "adapter"})
    it = load("me5-mlm", settings)
    assert it.name == "me5-mlm-q4" and it.has_mlm and it.source.endswith("0.3.0 + adapter me5-mlm (bundled)")
    assert float((logits_of(it) - logits).abs().mul((IDS != 0)[..., None]).max()) < 1e-5
    twin, plain = load("me5-mlm-untrained", settings), load("me5", settings)
    assert twin.name == "me5-mlm-q4-untrained" and twin.has_mlm and twin.is_twin
    assert plain.name == "me5-q4" and not plain.has_mlm and plain.sha256 != it.sha256
    with pytest.raises(ModelUnavailable):
        load("me5-mlm-plain", settings)


def test_peft_is_only_imported_where_there_is_an_adapter():
    code = "import sys; from bertology_utils import load; load('toy'); sys.exit('peft' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_bundled_adapters_say_whose_they_are_and_are_small():
    for name, folder in adapters.bundled().items():
        network = networks.NETWORKS[name]
        assert adapters.base_of(folder) in (name, networks.NETWORKS[network.of or name].repo)
        assert sum(p.stat().st_size for p in folder.iterdir()) < 10e6 and (folder / "README.md").is_file()


def test_what_is_drawn_at_load_is_no_part_of_what_a_network_is_known_by(made):
    """Its last bits follow the processor: records of one network would seem to be of several."""
    base, _, _ = made
    plain, other, changed = (load(str(base), Settings(device="cpu")) for _ in range(3))
    assert plain.drawn and all(name.startswith(("lm_head.", "cls.")) for name in plain.drawn)
    for subject, names in ((other, plain.drawn), (changed, plain.model.state_dict().keys() - plain.drawn)):
        subject.model.state_dict()[min(names)].add_(1)
    assert other.sha256 == plain.sha256 != changed.sha256
    assert not plain.twin().drawn
