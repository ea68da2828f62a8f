"""Who plays the second model of a comparison: the environment, else the cache folder, else the claim's own default."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support import tiny_folder, write_model

from bertology_utils.settings import Settings
from bertology_utils.subject.companions import companion, how_to_name
from bertology_utils.subject.models import ModelUnavailable


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(model="mini", cache=tmp_path)


def test_none_without_a_name(settings):
    assert companion("shallow", settings) is None
    assert how_to_name("shallow", settings) == (
        "name one in BERTOLOGY_SHALLOW, or put a folder mini-shallow into the cache folder"
    )


def test_settings_beat_folder_beats_default(settings):
    default = str(tiny_folder())
    assert companion("shallow", settings, default=default).name == default
    folder = write_model(settings.cache / "mini-shallow", num_hidden_layers=1)
    assert companion("shallow", settings, default=default).n_layers == 1
    named = replace(settings, shallow=str(tiny_folder()))
    assert companion("shallow", named).name == str(tiny_folder()) != str(folder)


def test_the_folder_is_named_after_the_model_of_the_settings(settings):
    write_model(settings.cache / "mini-shallow", num_hidden_layers=1)
    other = Settings(model="/somewhere/else", cache=settings.cache)
    assert companion("shallow", other) is None
    assert "else-shallow" in how_to_name("shallow", other)


def test_the_twin_has_the_companion_s_shape(settings):
    settings = replace(settings, shallow=str(tiny_folder()))
    twin = companion("shallow", settings, twin=True)
    assert twin.is_twin and twin.n_layers == companion("shallow", settings).n_layers
    settings = replace(settings, shallow=f"{tiny_folder()}-untrained")
    assert companion("shallow", settings, twin=True).name.count("-untrained") == 1


def test_the_environment_names_roles(monkeypatch):
    monkeypatch.setenv("BERTOLOGY_SHALLOW", "somewhere")
    assert Settings.of().shallow == "somewhere" and Settings.of().nonsp == ""


def test_a_named_model_that_is_not_there_is_an_error(settings):
    settings = replace(settings, shallow="/no/such/folder")
    with pytest.raises(ModelUnavailable, match="/no/such/folder"):
        companion("shallow", settings)
