"""Who plays the second model of a comparison: the environment, else the cache folder, else the claim's own default."""

from __future__ import annotations

import pytest
from support import tiny_folder, write_model

from bertology_utils.settings import Settings
from bertology_utils.subject.companions import companion, how_to_name
from bertology_utils.subject.models import ModelUnavailable


@pytest.fixture
def settings(tmp_path, monkeypatch) -> Settings:
    monkeypatch.delenv("BERTOLOGY_SHALLOWER", raising=False)
    return Settings(model="mini", cache=tmp_path)


def test_none_without_a_name(settings):
    assert companion("shallower", settings) is None
    assert how_to_name("shallower", settings) == (
        "name one in BERTOLOGY_SHALLOWER, or put a folder mini-shallower into the cache folder"
    )


def test_environment_beats_folder_beats_default(settings, monkeypatch):
    default = str(tiny_folder())
    assert companion("shallower", settings, default=default).name == default
    folder = write_model(settings.cache / "mini-shallower", num_hidden_layers=1)
    assert companion("shallower", settings, default=default).n_layers == 1
    monkeypatch.setenv("BERTOLOGY_SHALLOWER", str(tiny_folder()))
    assert companion("shallower", settings).name == str(tiny_folder()) != str(folder)


def test_the_folder_is_named_after_the_model_of_the_settings(settings):
    write_model(settings.cache / "mini-shallower", num_hidden_layers=1)
    other = Settings(model="/somewhere/else", cache=settings.cache)
    assert companion("shallower", other) is None
    assert "else-shallower" in how_to_name("shallower", other)


def test_the_twin_has_the_companion_s_shape(settings, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_SHALLOWER", str(tiny_folder()))
    twin = companion("shallower", settings, twin=True)
    assert twin.is_twin and twin.n_layers == companion("shallower", settings).n_layers
    monkeypatch.setenv("BERTOLOGY_SHALLOWER", f"{tiny_folder()}-untrained")
    assert companion("shallower", settings, twin=True).name.count("-untrained") == 1


def test_a_named_model_that_is_not_there_is_an_error(settings, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_SHALLOWER", "/no/such/folder")
    with pytest.raises(ModelUnavailable, match="/no/such/folder"):
        companion("shallower", settings)
