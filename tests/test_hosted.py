"""The two switches of a notebook, set by its form."""

import pytest

from bertology_utils import hosted
from bertology_utils.settings import Settings, SettingsError


@pytest.fixture(autouse=True)
def neither_set(monkeypatch):
    for name in ("BERTOLOGY_MODEL", "BERTOLOGY_DATA", "COLAB_RELEASE_TAG"):
        monkeypatch.setenv(name, "")  # so that what is set is unset again
        monkeypatch.delenv(name)


def chosen() -> tuple[str, str]:
    settings = Settings.of()
    return settings.model, settings.data


def test_what_the_form_says_holds_and_default_leaves_the_environment(monkeypatch):
    hosted.choose()
    assert chosen() == ("mini", "builtin")
    hosted.choose("toy", "original")
    assert chosen() == ("toy", "original")
    hosted.choose(data="builtin")
    assert chosen() == ("toy", "builtin")


@pytest.mark.parametrize(
    "colab, gpu, model, found",
    [
        (True, True, "default", ("bert-base-uncased", "original")),
        (True, True, "mini", ("mini", "original")),
        (True, False, "default", ("mini", "builtin")),
        (False, True, "default", ("mini", "builtin")),
    ],
)
def test_a_hosted_gpu_runtime_is_for_the_real_bert(monkeypatch, colab, gpu, model, found):
    monkeypatch.setattr(hosted, "on_colab", lambda: colab)
    monkeypatch.setattr(hosted, "_gpu", lambda: gpu)
    hosted.choose(model)
    assert chosen() == found


def test_the_environment_goes_before_the_defaults_of_a_runtime(monkeypatch):
    monkeypatch.setattr(hosted, "on_colab", lambda: True)
    monkeypatch.setattr(hosted, "_gpu", lambda: True)
    monkeypatch.setenv("BERTOLOGY_MODEL", "toy")
    hosted.choose()
    assert chosen() == ("toy", "original")


def test_an_impossible_choice_is_refused_and_nothing_set():
    with pytest.raises(SettingsError):
        hosted.choose(model="")
    assert chosen() == ("mini", "builtin")
