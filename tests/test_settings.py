"""Environment, keyword and command line fill the same record."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertology_utils.settings import Settings, SettingsError


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("MODEL", "DATA", "SEED", "N", "MIRROR", "EVIDENCE", "CACHE", "DEVICE", "DTYPE"):
        monkeypatch.delenv(f"BERTOLOGY_{name}", raising=False)


def test_defaults_are_offline_and_exact():
    settings = Settings.of()
    assert (settings.model, settings.data, settings.dtype, settings.n) == ("mini", "builtin", "float32", None)


def test_keywords_win_over_the_environment(monkeypatch):
    monkeypatch.setenv("BERTOLOGY_MODEL", "bert-base-uncased")
    monkeypatch.setenv("BERTOLOGY_SEED", "7")
    assert Settings.of().model == "bert-base-uncased" and Settings.of().seed == 7
    assert Settings.of(model="mini", seed=None).model == "mini"
    assert Settings.of(Settings(model="x"), data="original").model == "x"


def test_folders_are_paths(monkeypatch):
    monkeypatch.setenv("BERTOLOGY_MIRROR", "/some/mirror")
    assert Settings.of().mirror == Path("/some/mirror")
    assert Settings.of(evidence="e").evidence == Path("e")


@pytest.mark.parametrize(
    "bad", [{"n": "many"}, {"dtype": "float8"}, {"n": 0}, {"batch_tokens": 0}, {"draws": 1}, {"colour": "red"}]
)
def test_impossible_values_are_named(bad):
    with pytest.raises(SettingsError, match=next(iter(bad))):
        Settings.of(**bad)


def test_unknown_device_is_one_line():
    with pytest.raises(SettingsError, match="device"):
        Settings.of(device="abacus").torch_device()


def test_a_gpu_that_is_not_there_is_one_line(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert Settings.of(device="cuda").torch_device().type == "cuda"
    with pytest.raises(SettingsError, match="device is 'cuda:1', but torch sees 1"):
        Settings.of(device="cuda:1").torch_device()


def test_the_token_budget_is_the_device_s_unless_it_is_said():
    assert Settings(device="cpu").budget == 512 and Settings(device="cpu", batch_tokens=64).budget == 64
